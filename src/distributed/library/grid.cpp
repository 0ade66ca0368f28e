#include "distributed/library/grid.hpp"

#include <optional>
#include <string>

#include "distributed/gpu/cuda.hpp"
#include "distributed/library/failure.hpp"
#include "distributed/library/watched_transport.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/product/product.hpp"

namespace distributed {
namespace {

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

// Throws on each process that did not throw itself.
void throw_of(const FailureOfRank& told, const char* verb, const std::optional<Failure>& mine) {
  if (mine) throw *mine;
  throw Failure(told.failure.status(),
                "rank " + std::to_string(told.rank) + " " + verb + ": " + told.failure.what());
}

// An error of this call does not stay pending. There was none before it.
struct ClearsCudaErrors {
  ~ClearsCudaErrors() { static_cast<void>(cudaGetLastError()); }
};

}  // namespace

Communicator::Communicator(MPI_Comm comm) {
  if (MPI_Comm_dup(comm, &comm_) != MPI_SUCCESS)
    throw Failure(SGEMM_LADDER_COMMUNICATION_ERROR, "MPI cannot duplicate the communicator");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

ProcessGrid::ProcessGrid(MPI_Comm comm, int rows, int cols, bool has_place)
    : comm_(comm), agreement_(comm_, USUAL_PATIENCE), shape_{rows, cols} {
  int processes = 0;
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &processes);
  std::array<int64_t, 2> of_first{rows, cols};
  agreement_.bring_first(of_first);
  refuse_together([&] {
    const std::string of_rows = "argument 2 (rows)", of_cols = "argument 3 (cols)";
    for (const auto& [name, mine, first] :
         {std::tuple{of_rows, rows, of_first[0]}, {of_cols, cols, of_first[1]}}) {
      if (mine < 1) throw_invalid(name, "is " + std::to_string(mine) + "; it must be at least 1");
      if (mine != first) throw_mismatch(name, std::to_string(mine), std::to_string(first));
    }
    if (int64_t{rows} * cols != processes)
      throw_invalid(of_rows, "is " + std::to_string(rows) + " and " + of_cols + " is " +
                                 std::to_string(cols) +
                                 "; their product must be the number of processes, which is " +
                                 std::to_string(processes));
    if (!has_place)
      throw_invalid("argument 4 (grid)", "is null; it must be the address of a pointer");
    device_ = current_device();
  });
  refuse_together([&] {
    transport_ = make_transport(USUAL_CARRIER, comm_, shape_);
    workspace_.emplace();
  });
}

// Runs a step. If it fails on one process, throws on all.
void ProcessGrid::refuse_together(const std::function<void()>& step) {
  const std::optional<Failure> mine = failure_of(step);
  if (const auto told = agreement_.first_failure(mine, Agreement::Limit::none))
    throw_of(*told, "refused", mine);
}

void ProcessGrid::check_device() const {
  if (const int device = current_device(); device != device_)
    throw Failure(SGEMM_LADDER_INVALID_ARGUMENT,
                  "the current device is " + std::to_string(device) +
                      "; it must be that of argument 1 (grid), which is " +
                      std::to_string(device_));
  if (const cudaError_t before = cudaPeekAtLastError(); before != cudaSuccess)
    throw Failure(SGEMM_LADDER_CUDA_ERROR, std::string("CUDA had failed before this call: ") +
                                               cudaGetErrorString(before) + " (" +
                                               cudaGetErrorName(before) + ")");
}

void ProcessGrid::check_memory(const Product& product) const {
  const int64_t needed = bytes_of_product(product, shape_, rank_),
                there = free_bytes() + workspace_->bytes();
  if (needed > there)
    throw Failure(SGEMM_LADDER_OUT_OF_MEMORY,
                  "the product needs " + std::to_string(needed) +
                      " bytes of device memory beside the matrices, and " + std::to_string(there) +
                      " are free; smaller panels need less");
}

void ProcessGrid::multiply(const Arguments& arguments) {
  if (has_failed_)
    throw Failure(SGEMM_LADDER_INVALID_ARGUMENT,
                  "argument 1 (grid) is one on which a product has failed; destroy it, and make "
                  "another");
  const std::optional<Failure> refused =
      failure_of([&] { check_arguments(arguments, shape_, rank_); });
  // Whether rank 0 has allowed its arguments, and their common numbers.
  std::array<int64_t, 1 + std::tuple_size_v<CommonNumbers>> numbers{};
  const std::span<int64_t, std::tuple_size_v<CommonNumbers>> common(numbers.begin() + 1,
                                                                    numbers.end());
  if (!refused) {
    numbers[0] = 1;
    std::ranges::copy(common_numbers(arguments), common.begin());
  }
  agreement_.bring_first(numbers);
  std::optional<ClearsCudaErrors> clears;
  Product product;
  refuse_together([&] {
    if (refused) throw *refused;
    if (numbers[0] != 0) {
      CommonNumbers of_first;
      std::ranges::copy(common, of_first.begin());
      check_common(arguments, of_first);
    }
    check_device();
    clears.emplace();
    check(cudaDeviceSynchronize());
    product = product_of(arguments, shape_);
    if (arguments.is_empty()) return;
    check_memory(product);
    reserve(product, shape_, rank_, *workspace_);
  });
  if (arguments.is_empty()) return;
  WatchedTransport watched(*transport_, agreement_);
  const std::optional<Failure> failure =
      failure_of([&] { distributed::multiply(product, shape_, rank_, watched, *workspace_); });
  if (const auto told = watched.end(failure)) {
    has_failed_ = true;
    throw_of(*told, "failed", told->rank == rank_ ? std::optional(told->failure) : std::nullopt);
  }
}

}  // namespace distributed

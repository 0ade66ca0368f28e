// The functions in C. No exception leaves them.
#include "sgemm_ladder_distributed.h"

#include <array>
#include <cstdio>
#include <memory>

#include "distributed/library/arguments.hpp"
#include "distributed/library/failure.hpp"
#include "distributed/library/grid.hpp"

struct sgemm_ladder_grid {
  distributed::ProcessGrid grid;
};

namespace distributed {
namespace {

thread_local std::array<char, 640> last_error{};

// Runs a function of the header. Keeps why it fails.
template <typename Body>
int run(const char* function, const Body& body) noexcept {
  last_error[0] = '\0';
  const auto keep = [&](int status, const char* text) {
    std::snprintf(last_error.data(), last_error.size(), "%s: %s", function, text);
    return status;
  };
  try {
    body();
    return SGEMM_LADDER_OK;
  } catch (const Failure& failure) {
    return keep(failure.status(), failure.what());
  } catch (const std::bad_alloc&) {
    return keep(SGEMM_LADDER_OUT_OF_MEMORY, "the host has too little memory");
  } catch (const std::exception& error) {
    return keep(SGEMM_LADDER_FAILED, error.what());
  } catch (...) {
    return keep(SGEMM_LADDER_FAILED, "an exception without a text");
  }
}

bool is_true(int (*ask)(int*)) {
  int answer = 0;
  ask(&answer);
  return answer != 0;
}

void check_communicator(MPI_Comm comm) {
  if (!is_true(MPI_Initialized) || is_true(MPI_Finalized))
    throw Failure(SGEMM_LADDER_INVALID_ARGUMENT,
                  "MPI does not run; call it between MPI_Init() and MPI_Finalize()");
  int is_between_groups = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_between_groups);
  if (comm == MPI_COMM_NULL || is_between_groups != 0)
    throw_invalid("argument 1 (comm)",
                  comm == MPI_COMM_NULL ? "is MPI_COMM_NULL; it must be a communicator"
                                        : "is an intercommunicator; it must be one of one group");
}

void check_not_null(const char* argument, const void* pointer, const char* allowed) {
  if (pointer == nullptr) throw_invalid(argument, std::string("is null; it must be ") + allowed);
}

constexpr const char* GRID = "argument 1 (grid)";
constexpr const char* A_GRID = "a grid of sgemm_ladder_grid_create()";

}  // namespace
}  // namespace distributed

using distributed::check_not_null, distributed::Failure;

extern "C" {

int sgemm_ladder_grid_create(MPI_Comm comm, int rows, int cols, sgemm_ladder_grid** grid) {
  return distributed::run(__func__, [&] {
    if (grid != nullptr) *grid = nullptr;
    distributed::check_communicator(comm);
    auto made = std::unique_ptr<sgemm_ladder_grid>(
        new sgemm_ladder_grid{{comm, rows, cols, grid != nullptr}});
    if (grid != nullptr) *grid = made.release();  // else the grid was refused
  });
}

int sgemm_ladder_grid_destroy(sgemm_ladder_grid* grid) {
  return distributed::run(__func__, [&] {
    if (grid == nullptr) return;
    if (distributed::is_true(MPI_Finalized))
      throw Failure(SGEMM_LADDER_INVALID_ARGUMENT,
                    "MPI has ended; destroy a grid before MPI_Finalize()");
    delete grid;
  });
}

int sgemm_ladder_local_size(const sgemm_ladder_grid* grid, const int64_t* desc, int64_t* rows,
                            int64_t* cols) {
  return distributed::run(__func__, [&] {
    check_not_null(distributed::GRID, grid, distributed::A_GRID);
    const distributed::Grid& shape = grid->grid.shape();
    const distributed::Layout layout =
        distributed::checked_layout("argument 2 (desc)", desc, shape);
    check_not_null("argument 3 (rows)", rows, "the address of an int64_t");
    check_not_null("argument 4 (cols)", cols, "the address of an int64_t");
    *rows = layout.rows_on(shape, grid->grid.rank());
    *cols = layout.cols_on(shape, grid->grid.rank());
  });
}

int sgemm_ladder_distributed_sgemm(sgemm_ladder_grid* grid, int trans_a, int trans_b, int64_t m,
                                   int64_t n, int64_t k, float alpha, const float* A,
                                   const int64_t* desc_a, const float* B, const int64_t* desc_b,
                                   float beta, float* C, const int64_t* desc_c,
                                   const sgemm_ladder_distributed_options* options) {
  return distributed::run(__func__, [&] {
    check_not_null(distributed::GRID, grid, distributed::A_GRID);
    grid->grid.multiply(
        {trans_a, trans_b, m, n, k, alpha, A, desc_a, B, desc_b, beta, C, desc_c, options});
  });
}

const char* sgemm_ladder_distributed_error_string(int status) {
  switch (status) {
    case SGEMM_LADDER_OK:
      return "the product was computed";
    case SGEMM_LADDER_OUT_OF_MEMORY:
      return "too little memory";
    case SGEMM_LADDER_COMMUNICATION_ERROR:
      return "a message failed, or nothing came for too long";
    case SGEMM_LADDER_MISMATCH:
      return "the processes have different arguments";
    case SGEMM_LADDER_FAILED:
      return "the product failed";
    default:
      return sgemm_ladder_error_string(static_cast<sgemm_ladder_status>(status));
  }
}

const char* sgemm_ladder_distributed_last_error(void) { return distributed::last_error.data(); }

}  // extern "C"

// sgemm_distributed: one product on the GPUs of many processes. mpirun starts it.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/error.hpp"
#include "distributed/check/elements.hpp"
#include "distributed/check/projections.hpp"
#include "distributed/check/samples.hpp"
#include "distributed/cli/request.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/product/product.hpp"
#include "sgemm_ladder.h"

namespace distributed {
namespace {

using runner::Error, runner::ExitCode;

int rank_in(MPI_Comm processes) {
  int rank = 0;
  MPI_Comm_rank(processes, &rank);
  return rank;
}

int size_of(MPI_Comm processes) {
  int size = 0;
  MPI_Comm_size(processes, &size);
  return size;
}

// Returns true if it is true on all processes.
bool is_true_everywhere(bool here) {
  int everywhere = 0;
  const int mine = here ? 1 : 0;
  MPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return everywhere != 0;
}

// Throws on all processes if one has other arguments or another version than the process 0.
void agree(const Request& r) {
  const std::string mine = fmt::format("{} {} {} {} {} {}", sgemm_ladder_version(), text_of(r),
                                       r.alpha, r.beta, r.seed, r.samples);
  std::vector<char> first(1024);
  std::copy_n(mine.begin(), std::min(mine.size(), first.size() - 1), first.begin());
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (!is_true_everywhere(mine == first.data()))
    throw Error(ExitCode::usage,
                "the processes have different arguments or versions; start the same program with "
                "the same arguments on all");
}

// Gives each process of a machine a GPU of its own.
void choose_device() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  const int place = rank_in(machine), processes = size_of(machine);
  MPI_Comm_free(&machine);
  const int gpus = gpus_for(processes);
  if (!is_true_everywhere(processes <= gpus))
    throw Error(
        ExitCode::usage,
        fmt::format("a machine has {} processes and {} GPUs; each process needs a GPU of its own",
                    processes, gpus));
  choose_gpu(place);
}

// A process's share of the result, as the process 0 gathers it.
struct Share {
  double whole, product, communication, worst;
  int64_t elements;
  int64_t is_wrong;
  WrongElement wrong;
};

std::string text_of(const WrongElement& wrong, int rank) {
  return fmt::format("rank {}: element ({}, {}) of C is {}; {} is right", rank, wrong.row,
                     wrong.col, wrong.got, wrong.wanted);
}

// Returns the first of some numbers, and how many more there are.
std::string text_of(const std::vector<int64_t>& numbers) {
  constexpr size_t MOST = 5;
  std::string text = fmt::format(
      "{}", fmt::join(numbers.begin(),
                      numbers.begin() + static_cast<std::ptrdiff_t>(std::min(MOST, numbers.size())),
                      ", "));
  if (numbers.size() > MOST) text += fmt::format(" and {} more", numbers.size() - MOST);
  return text.empty() ? "none" : text;
}

// Prints the result. Returns the exit code.
ExitCode report(const Request& r, const std::vector<Share>& shares, const Differences& inexact) {
  Share all{};
  std::string wrong;
  for (size_t rank = 0; rank < shares.size(); ++rank) {
    const Share& share = shares[rank];
    all.whole = std::max(all.whole, share.whole);
    all.product = std::max(all.product, share.product);
    all.communication = std::max(all.communication, share.communication);
    all.worst = share.worst > all.worst || share.worst != share.worst ? share.worst : all.worst;
    all.elements += share.elements;
    if (share.is_wrong != 0) wrong += text_of(share.wrong, static_cast<int>(rank)) + "\n";
  }
  const double seen = std::clamp(all.whole - all.product, 0.0, all.communication);
  const double hidden = all.communication > 0 ? 1 - seen / all.communication : 1;
  const double flops =
      2.0 * static_cast<double>(r.m) * static_cast<double>(r.n) * static_cast<double>(r.k);
  if (!inexact.are_none())
    wrong += fmt::format("the product of whole numbers is wrong in the rows {} and columns {}\n",
                         text_of(inexact.rows), text_of(inexact.cols));
  const bool is_right = wrong.empty() && all.elements > 0;
  fmt::print("{}\n", text_of(r));
  fmt::print("{:>10} {:>10} {:>10} {:>10} {:>8} {:>12} {:>8}\n", "seconds", "GFLOP/s", "product",
             "messages", "hidden", "error/bound", "correct");
  fmt::print("{:>10.4f} {:>10.1f} {:>10.4f} {:>10.4f} {:>7.0f}% {:>12.4f} {:>8}\n", all.whole,
             flops / all.whole / 1e9, all.product, all.communication, 100 * hidden, all.worst,
             is_right ? "yes" : "NO");
  std::fflush(stdout);
  if (is_right) return ExitCode::ok;
  fmt::print(stderr, "{}", wrong);
  return ExitCode::wrong;
}

// The matrices of a run, and this process's parts of them.
class Matrices {
 public:
  Matrices(const Request& r, int rank)
      : r_(r),
        rank_(rank),
        a_(r.trans_a ? square_blocks(r.k, r.m, r.block, r.grid)
                     : square_blocks(r.m, r.k, r.block, r.grid)),
        b_(r.trans_b ? square_blocks(r.n, r.k, r.block, r.grid)
                     : square_blocks(r.k, r.n, r.block, r.grid)),
        c_(square_blocks(r.m, r.n, r.block, r.grid)),
        data_a_(floats_of(a_)),
        data_b_(floats_of(b_)),
        data_c_(floats_of(c_)) {}

  // Returns the product that was asked for, or one of whole numbers, whose alpha and beta are whole too.
  Product filled_with(Elements elements) const {
    check(fill(data_a_.data(), elements, Name::a, r_.seed, a_, r_.grid, rank_, nullptr));
    check(fill(data_b_.data(), elements, Name::b, r_.seed, b_, r_.grid, rank_, nullptr));
    check(fill(data_c_.data(), elements, Name::c, r_.seed, c_, r_.grid, rank_, nullptr));
    check(cudaDeviceSynchronize());
    const auto factor = [&](const Layout& layout, const DeviceFloats& data, bool is_transposed) {
      return Factor{layout, data.data(), ld_of(layout), is_transposed};
    };
    const auto scalar = [&](float x) {
      return elements == Elements::random || x == 0 || x == 1 ? x : 2;
    };
    return {.m = r_.m,
            .n = r_.n,
            .k = r_.k,
            .alpha = scalar(r_.alpha),
            .beta = scalar(r_.beta),
            .a = factor(a_, data_a_, r_.trans_a),
            .b = factor(b_, data_b_, r_.trans_b),
            .c = c_,
            .c_data = data_c_.data(),
            .ldc = ld_of(c_),
            .panel = r_.panel,
            .algorithm = r_.algorithm};
  }

 private:
  int64_t ld_of(const Layout& layout) const {
    return std::max<int64_t>(1, layout.rows_on(r_.grid, rank_));
  }
  int64_t floats_of(const Layout& layout) const {
    return layout.rows_on(r_.grid, rank_) * layout.cols_on(r_.grid, rank_);
  }

  const Request& r_;
  const int rank_;
  const Layout a_, b_, c_;
  const DeviceFloats data_a_, data_b_, data_c_;
};

// Computes a product of whole numbers, and returns where C is wrong.
Differences exact_pass(const Request& r, const Matrices& matrices, int rank, Transport& transport) {
  const Product product = matrices.filled_with(Elements::whole);
  const Projections expected = expected_projections(product, r.grid, rank, MPI_COMM_WORLD);
  multiply(product, r.grid, rank, transport);
  return differences(expected, product, r.grid, rank, MPI_COMM_WORLD);
}

ExitCode run(const Request& r) {
  const int rank = rank_in(MPI_COMM_WORLD);
  agree(r);
  choose_device();
  const Matrices matrices(r, rank);
  const std::unique_ptr<Transport> transport = make_transport(r.carrier, MPI_COMM_WORLD, r.grid);
  const Differences wrong = exact_pass(r, matrices, rank, *transport);

  const Product product = matrices.filled_with(Elements::random);
  MPI_Barrier(MPI_COMM_WORLD);
  const Times times = multiply(product, r.grid, rank, *transport);
  const Checked checked = check_samples(product, r.grid, rank, r.seed, r.samples);

  const Share mine{times.whole,
                   times.product,
                   times.communication,
                   checked.worst,
                   checked.elements,
                   checked.wrong ? 1 : 0,
                   checked.wrong.value_or(WrongElement{})};
  std::vector<Share> shares(static_cast<size_t>(r.grid.size()));
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, shares.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  ExitCode code = rank == 0 ? report(r, shares, wrong) : ExitCode::ok;
  MPI_Bcast(&code, sizeof code, MPI_BYTE, 0, MPI_COMM_WORLD);
  return code;
}

// What all processes refuse alike, the process 0 tells. Another failure ends all processes.
ExitCode run_or_tell(int argc, char** argv) {
  const int rank = rank_in(MPI_COMM_WORLD);
  try {
    const Request request = parse(argc, argv, size_of(MPI_COMM_WORLD));
    if (request.help.empty()) return run(request);
    if (rank == 0) fmt::print("{}", request.help);
    return ExitCode::ok;
  } catch (const Error& error) {
    if (rank == 0) fmt::print(stderr, "sgemm_distributed: {}\n", error.what());
    return error.code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "sgemm_distributed: rank {}: {}\n", rank, error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::failure));
    return ExitCode::failure;
  }
}

}  // namespace
}  // namespace distributed

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const runner::ExitCode code = distributed::run_or_tell(argc, argv);
  MPI_Finalize();
  return static_cast<int>(code);
}

#include "distributed/run/measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "app/error.hpp"
#include "app/free_memory.hpp"
#include "distributed/check/bits.hpp"
#include "distributed/check/projections.hpp"
#include "distributed/check/samples.hpp"
#include "distributed/checkpoint/checkpoint.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/run/cublasmp.hpp"
#include "distributed/run/one_gpu.hpp"
#include "distributed/transport/processes.hpp"

namespace distributed {
namespace {

using results::DistributedProcess, results::DistributedProduct;

// ---- What each process tells the process 0.

// A name as it travels.
using Name64 = std::array<char, 64>;

Name64 travelling(const std::string& name) {
  Name64 text{};
  std::copy_n(name.begin(), std::min(name.size(), text.size() - 1), text.begin());
  return text;
}

struct Share {
  Name64 host, device;
  double whole;
  int64_t received_bytes, elements;
  double worst;  // error over its bound
  int has_wrong, is_intact;
  WrongElement wrong;
  int spans;
};

// Returns one value of each process, on the process 0.
template <typename T>
std::vector<T> gathered(const T& mine, int processes, MPI_Comm world) {
  std::vector<T> all(static_cast<size_t>(processes));
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, world);
  return all;
}

// Returns the spans of all processes one after the other, on the process 0.
std::vector<TimedSpan> gathered_spans(const std::vector<TimedSpan>& mine,
                                      const std::vector<Share>& shares, MPI_Comm world) {
  constexpr int BYTES = sizeof(TimedSpan);
  std::vector<int> bytes, begins;
  int sum = 0;
  for (const Share& share : shares) {
    bytes.push_back(share.spans * BYTES);
    begins.push_back(sum);
    sum += bytes.back();
  }
  std::vector<TimedSpan> all(static_cast<size_t>(sum / BYTES));
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()) * BYTES, MPI_BYTE, all.data(),
              bytes.data(), begins.data(), MPI_BYTE, 0, world);
  return all;
}

DistributedProcess process_of(int rank, const Share& share, const TimedSpan* spans) {
  DistributedProcess process{.rank = rank,
                             .host = share.host.data(),
                             .device = share.device.data(),
                             .whole_s = share.whole,
                             .received_bytes = share.received_bytes};
  for (int i = 0; i < share.spans; ++i) {
    const TimedSpan& span = spans[i];
    process.spans.push_back({span.is_product, span.panel, span.begin, span.end});
    (span.is_product ? process.product_s : process.messages_s) += span.end - span.begin;
  }
  return process;
}

// ---- Memory.

// Returns this process's share of the host's free memory.
int64_t free_host_bytes(MPI_Comm world) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  const int processes = size_of(machine);
  MPI_Comm_free(&machine);
  return runner::most_of_free_memory() / processes;
}

// Returns the least free device memory of any process.
int64_t everywhere_free(MPI_Comm world) {
  int64_t free = free_bytes();
  MPI_Allreduce(MPI_IN_PLACE, &free, 1, MPI_INT64_T, MPI_MIN, world);
  return free;
}

// ---- Checks.

// Returns the first of some numbers, and how many more there are.
std::string text_of(const std::vector<int64_t>& numbers) {
  constexpr size_t MOST = 5;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(MOST, numbers.size()));
  std::string text = fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + shown, ", "));
  if (numbers.size() > MOST) text += fmt::format(" and {} more", numbers.size() - MOST);
  return text.empty() ? "none" : text;
}

void add_failures(const char* what, const Differences& d, std::vector<std::string>& failures) {
  if (!d.are_none())
    failures.push_back(fmt::format("{} is wrong in the rows {} and columns {}", what,
                                   text_of(d.rows), text_of(d.cols)));
}

std::vector<std::string> failures_of(const Differences& of_whole, const Differences& of_random,
                                     const std::vector<Share>& shares) {
  std::vector<std::string> failures;
  add_failures("the product of whole numbers", of_whole, failures);
  add_failures("the product", of_random, failures);
  int64_t elements = 0;
  for (size_t rank = 0; rank < shares.size(); ++rank) {
    const Share& share = shares[rank];
    elements += share.elements;
    if (share.has_wrong != 0)
      failures.push_back(fmt::format("rank {}: element ({}, {}) of C is {}; {} is right", rank,
                                     share.wrong.row, share.wrong.col, share.wrong.got,
                                     share.wrong.wanted));
    if (share.is_intact == 0)
      failures.push_back(fmt::format("rank {}: memory beside a matrix was written", rank));
  }
  if (elements == 0) failures.emplace_back("no element was compared");
  return failures;
}

// One product on all processes: its matrices, tiles, and times.
class Runs {
 public:
  Runs(const Problem& problem, const Grid& grid, const std::vector<Tile>& tiles,
       Transport& transport, MPI_Comm world)
      : grid_(grid),
        rank_(rank_in(world)),
        tiles_(tiles),
        transport_(transport),
        world_(world),
        matrices_(problem, grid, rank_) {}

  const Matrices& matrices() const { return matrices_; }

  // Computes a product of whole numbers, and returns where C is wrong. It also warms up.
  Differences of_whole_numbers() {
    const Product product = matrices_.filled_with(Elements::whole);
    const Projections expected = expected_projections(product, grid_, rank_, world_);
    multiply_tiles(product, tiles_, grid_, rank_, transport_, workspace_);
    return differences(expected, product, grid_, rank_, world_);
  }

  // What the rows and columns of C must sum up to.
  Projections expected() {
    const Product product = matrices_.filled_with(Elements::random);
    return expected_projections(product, grid_, rank_, world_, Rounding::fp32);
  }

  // Computes the product that was asked for, several times. Returns the seconds of the slowest process.
  std::vector<double> repeat(int repetitions, bool is_reproducible) {
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
      Product product = matrices_.filled_with(Elements::random);  // beta needs the old C
      product.is_reproducible = is_reproducible;
      MPI_Barrier(world_);
      last_ = multiply_tiles(product, tiles_, grid_, rank_, transport_, workspace_);
      seconds.push_back(slowest());
    }
    return seconds;
  }

  // Computes the tiles that are not in the checkpoint, and reads the others.
  double complete(const Checkpoint& checkpoint) {
    const Product product = matrices_.filled_with(Elements::random);
    std::vector<Tile> missing;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const bool is_there = checkpoint.has(i);
      if (is_there && checkpoint.load(i, part_of(product, tiles_[i], grid_, rank_), grid_)) {
        ++tiles_found_;
        continue;
      }
      if (is_there) ++damaged_;
      missing.push_back(tiles_[i]);
      numbers.push_back(i);
    }
    MPI_Barrier(world_);
    last_ = multiply_tiles(product, missing, grid_, rank_, transport_, workspace_, [&](size_t i) {
      checkpoint.save(numbers[i], part_of(product, missing[i], grid_, rank_), grid_);
    });
    return slowest();
  }

  const Times& last() const { return last_; }
  int64_t tiles_found() const { return tiles_found_; }
  int64_t damaged_tiles() const { return damaged_; }

  // The bits of C, which do not depend on the grid.
  std::string bits() const {
    const Product& p = matrices_.product();
    uint64_t sum = sum_of_bits(p.c_data, p.ldc, p.c, grid_, rank_);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, world_);
    return fmt::format("{:016x}", sum);
  }

 private:
  double slowest() const {
    double seconds = 0;
    MPI_Allreduce(&last_.whole, &seconds, 1, MPI_DOUBLE, MPI_MAX, world_);
    return seconds;
  }

  const Grid grid_;
  const int rank_;
  const std::vector<Tile>& tiles_;
  Transport& transport_;
  const MPI_Comm world_;
  const Matrices matrices_;
  Workspace workspace_;
  Times last_;
  int64_t tiles_found_ = 0, damaged_ = 0;
};

Identity identity_of(const Problem& p, const std::vector<Tile>& tiles) {
  return {{"version", "1"},
          {"size", fmt::format("{}x{}x{}", p.m, p.n, p.k)},
          {"transposes", fmt::format("{}{}", p.trans_a ? 'T' : 'N', p.trans_b ? 'T' : 'N')},
          {"alpha", fmt::format("{}", p.alpha)},
          {"beta", fmt::format("{}", p.beta)},
          {"seed", fmt::format("{}", p.seed)},
          {"kernel", fmt::format("{}", p.algorithm)},
          {"block", fmt::format("{}", p.block)},
          {"panel", fmt::format("{}", p.panel)},
          {"tile", fmt::format("{}x{}", tiles.front().rows, tiles.front().cols)},
          {"GPU", machine_facts().device}};
}

// Returns what the processes of the grid need at most for a tile.
int64_t most_bytes(const Problem& problem, const Tile& tile, const Grid& grid) {
  int64_t most = 0;
  for (int rank = 0; rank < grid.size(); ++rank)
    most =
        std::max(most, bytes_of_tile(product_without_data(problem, grid, rank), tile, grid, rank));
  return most;
}

// Throws on all processes if one of them lacks memory.
void require(int64_t matrices, int64_t panels, int64_t free, const char* of_matrices,
             const char* advice, MPI_Comm world) {
  struct {
    double lacking;
    int rank;
  } mine{static_cast<double>(matrices + panels - free), rank_in(world)}, worst{};
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
  if (worst.lacking <= 0) return;
  std::array<int64_t, 3> sums{matrices, panels, free};
  MPI_Bcast(sums.data(), 3, MPI_INT64_T, worst.rank, world);
  throw runner::Error(
      runner::ExitCode::usage,
      fmt::format("rank {} needs {:.1f} GiB for its parts of A, B and C{}, and {} has {:.1f} GiB "
                  "free; {}",
                  worst.rank, gib(sums[0]),
                  sums[1] == 0 ? "" : fmt::format(" and {:.1f} GiB for panels", gib(sums[1])),
                  of_matrices, gib(sums[2]), advice));
}

}  // namespace

DistributedProduct description_of(const Problem& p, const Grid& grid) {
  return {.M = p.m,
          .N = p.n,
          .K = p.k,
          .transposes_a = p.trans_a,
          .transposes_b = p.trans_b,
          .alpha = p.alpha,
          .beta = p.beta,
          .seed = p.seed,
          .grid_rows = grid.rows,
          .grid_cols = grid.cols,
          .block = p.block,
          .panel = std::min(p.panel, p.k),
          .reproducible = p.is_reproducible,
          .device_bytes = p.device_bytes,
          .least_bytes = results::least_bytes_of(p.m, p.n, p.k, grid.size())};
}

std::vector<Tile> planned_tiles(const Problem& problem, const Grid& grid, const Protocol& protocol,
                                MPI_Comm world) {
  const int rank = rank_in(world);
  const Product product = product_without_data(problem, grid, rank);
  const int64_t matrices = matrix_bytes(product, grid, rank);
  if (problem.device_bytes == 0) {
    constexpr int64_t TILES = 4;  // of a checkpoint: enough to lose little, and few exposed panels
    const int64_t blocks = (problem.n + problem.block - 1) / problem.block;
    const int64_t cols =
        protocol.checkpoint.empty() ? problem.n : (blocks + TILES - 1) / TILES * problem.block;
    std::vector<Tile> tiles = tiles_of(product, problem.m, cols);
    require(matrices, most_bytes(problem, tiles.front(), grid), free_bytes(), "its GPU",
            "take more processes, a smaller --panel, or --device-memory", world);
    return tiles;
  }
  require(matrices, 0, free_host_bytes(world), "its part of the host's memory",
          "take more machines", world);
  std::vector<Tile> tiles =
      tiles_within(product, std::min(problem.device_bytes, everywhere_free(world)),
                   [&](const Tile& tile) { return most_bytes(problem, tile, grid); });
  if (tiles.empty())
    throw runner::Error(
        runner::ExitCode::usage,
        fmt::format("--device-memory {}: a tile of one block needs {} bytes; allow more, or take a "
                    "smaller --panel or --block",
                    problem.device_bytes,
                    most_bytes(problem,
                               {0, std::min(problem.block, problem.m), 0,
                                std::min(problem.block, problem.n)},
                               grid)));
  return tiles;
}

Measured measure(const Problem& problem, const Grid& grid, const Protocol& protocol,
                 const std::vector<Tile>& tiles, Transport& transport, MPI_Comm world) {
  const int rank = rank_in(world);
  std::optional<Checkpoint> checkpoint;
  bool is_fresh = true;
  if (!protocol.checkpoint.empty()) {
    checkpoint.emplace(protocol.checkpoint, identity_of(problem, tiles), world);
    for (size_t i = 0; i < tiles.size(); ++i) is_fresh = !checkpoint->has(i) && is_fresh;
  }
  OneGpu one_gpu;
  if (rank == 0 && protocol.has_one_gpu) one_gpu = time_one_gpu(problem, protocol.repetitions);
  MPI_Barrier(world);

  Runs runs(problem, grid, tiles, transport, world);
  const Differences of_whole = is_fresh ? runs.of_whole_numbers() : Differences{};
  const Projections expected = runs.expected();
  std::vector<double> usual, seconds;
  if (checkpoint) {
    seconds = {runs.complete(*checkpoint)};
  } else {
    if (problem.is_reproducible) usual = runs.repeat(protocol.repetitions, false);
    seconds = runs.repeat(protocol.repetitions, problem.is_reproducible);
  }
  const Matrices& matrices = runs.matrices();
  const Times& last = runs.last();
  const Differences of_random = differences(expected, matrices.product(), grid, rank, world);
  const std::string bits = runs.bits();
  const Checked checked =
      check_samples(matrices.product(), grid, rank, problem.seed, protocol.samples);

  const std::vector<Share> shares = gathered(Share{.host = travelling(host_name()),
                                                   .device = travelling(machine_facts().device),
                                                   .whole = last.whole,
                                                   .received_bytes = last.received_bytes,
                                                   .elements = checked.elements,
                                                   .worst = checked.worst,
                                                   .has_wrong = checked.wrong ? 1 : 0,
                                                   .is_intact = matrices.are_intact() ? 1 : 0,
                                                   .wrong = checked.wrong.value_or(WrongElement{}),
                                                   .spans = static_cast<int>(last.spans.size())},
                                             grid.size(), world);
  const std::vector<TimedSpan> spans = gathered_spans(last.spans, shares, world);
  std::vector<double> cublasmp;  // last, because it overwrites C
  if (protocol.has_reference && problem.device_bytes == 0 && !checkpoint)
    cublasmp = time_cublasmp(matrices.product(), grid, protocol.repetitions, world);
  if (rank != 0) return {};

  Measured measured{description_of(problem, grid), one_gpu.refusal};
  if (runs.damaged_tiles() > 0)
    measured.note += fmt::format("{}{} tiles of the checkpoint were damaged and are computed anew",
                                 measured.note.empty() ? "" : "\n", runs.damaged_tiles());
  DistributedProduct& p = measured.product;
  p.failures = failures_of(of_whole, of_random, shares);
  p.correct = p.failures.empty();
  p.samples_s = seconds;
  p.usual_samples_s = usual;
  p.tiles = static_cast<int64_t>(tiles.size());
  p.tiles_found = runs.tiles_found();
  p.bits = bits;
  p.one_gpu_samples_s = one_gpu.ladder;
  p.cublas_samples_s = one_gpu.cublas;
  p.cublasmp_samples_s = cublasmp;
  const TimedSpan* of_process = spans.data();
  for (size_t i = 0; i < shares.size(); ++i) {
    p.processes.push_back(process_of(static_cast<int>(i), shares[i], of_process));
    of_process += shares[i].spans;
    p.elements_compared += shares[i].elements;
    if (!(shares[i].worst <= p.error_over_bound)) p.error_over_bound = shares[i].worst;  // NaN too
  }
  return measured;
}

}  // namespace distributed

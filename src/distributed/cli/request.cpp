#include "distributed/cli/request.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "app/error.hpp"
#include "app/words.hpp"
#include "distributed/cli/parse.hpp"
#include "sgemm_ladder.h"

namespace distributed {
namespace {

using runner::Error, runner::ExitCode;

constexpr int64_t MOST = int64_t{1} << 31;  // of a size: a matrix has at most 2^62 elements

std::vector<int64_t> numbers(const char* option, const std::string& text) {
  std::vector<int64_t> values;
  for (const std::string& word : runner::split(text, 'x'))
    values.push_back(runner::parse_integer(option, word, 1, MOST));
  return values;
}

// The grid nearest to a square.
Grid usual_grid(int processes) {
  Grid grid{1, processes};
  for (int rows = 1; rows * rows <= processes; ++rows)
    if (processes % rows == 0) grid = {rows, processes / rows};
  return grid;
}

std::vector<int64_t> sides_of_grid(const char* option, const std::string& text) {
  std::vector<int64_t> sides = numbers(option, text);
  if (sides.size() != 2)
    throw Error(ExitCode::usage, fmt::format("{} is '{}'; it must be PxQ, such as 2x2", option,
                                             runner::printable(text)));
  return sides;
}

Grid grid_of(const std::string& text, int processes) {
  const std::vector<int64_t> sides = sides_of_grid("--grid", text);
  if (sides[0] * sides[1] != processes || sides[0] > processes)
    throw Error(ExitCode::usage, fmt::format("--grid {}x{} has {} processes, and mpirun started {}",
                                             sides[0], sides[1], sides[0] * sides[1], processes));
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1])};
}

std::vector<Grid> predicted_grids(const std::string& text) {
  constexpr int64_t MOST_SIDE = 1024;
  std::vector<Grid> grids;
  for (const std::string& word : runner::split(text, ',')) {
    const std::vector<int64_t> sides = sides_of_grid("--predict", word);
    if (std::max(sides[0], sides[1]) > MOST_SIDE)
      throw Error(ExitCode::usage, fmt::format("--predict {}: a side is at most {}",
                                               runner::printable(word), MOST_SIDE));
    grids.push_back({static_cast<int>(sides[0]), static_cast<int>(sides[1])});
  }
  return grids;
}

// Returns a number of units above 0, times the unit.
double parse_rate(const char* option, const std::string& text, double unit) {
  const double number = runner::parse_float(option, text);
  if (number <= 0)
    throw Error(ExitCode::usage,
                fmt::format("{} is {}; it must be above 0", option, runner::printable(text)));
  return number * unit;
}

int algorithm_of(const std::string& text) {
  if (text == "best") return SGEMM_LADDER_BEST;
  if (text == "12" || text == "stream_k") return SGEMM_LADDER_STREAM_K;
  if (text == "16" || text == "tensor_fp32") return SGEMM_LADDER_TENSOR_FP32;
  throw Error(ExitCode::usage,
              fmt::format("--kernel is '{}'; it must be best, 12 or 16", runner::printable(text)));
}

Carrier carrier_of(const std::string& text) {
  if (text == "mpi") return Carrier::mpi;
  if (text != "nccl")
    throw Error(ExitCode::usage,
                fmt::format("--carrier is '{}'; it must be nccl or mpi", runner::printable(text)));
  if (USUAL_CARRIER != Carrier::nccl)
    throw Error(ExitCode::usage, "--carrier nccl needs NVIDIA GPUs; simulated ones have mpi");
  return Carrier::nccl;
}

// A block of a reproducible product is a product of its own, so it is large. It does not depend on the grid.
int64_t usual_block(const Problem& problem) {
  constexpr int64_t USUAL = 512, LEAST = 64, MOST_OF_REPRODUCIBLE = 4096;
  if (!problem.is_reproducible) return USUAL;
  const int64_t part = std::max(problem.m, problem.n) / 8 / LEAST * LEAST;
  return std::clamp(part, LEAST, MOST_OF_REPRODUCIBLE);
}

// Returns a number of bytes, such as 40G: with K, M, G or T for powers of 1024.
int64_t parse_bytes(const char* option, const std::string& text) {
  constexpr std::string_view UNITS = "KMGT";
  std::string number = text;
  const size_t unit = number.empty() ? std::string_view::npos : UNITS.find(number.back());
  if (unit != std::string_view::npos) number.pop_back();
  if (number.empty() || !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
    throw Error(ExitCode::usage,
                fmt::format("{} is '{}'; it must be a number of bytes, such as 40G (K, M, G or T)",
                            option, runner::printable(text)));
  const int shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  return runner::parse_integer(option, number, 1, INT64_MAX >> (shift + 1)) << shift;
}

// Returns a problem for each of "4096,300x200x100", like `usual` otherwise.
std::vector<Problem> problems_of(const std::string& text, const Problem& usual) {
  std::vector<Problem> problems;
  for (const std::string& word : runner::split(text, ',')) {
    std::vector<int64_t> sizes = numbers("--size", word);
    if (sizes.size() != 1 && sizes.size() != 3)
      throw Error(ExitCode::usage, fmt::format("--size is '{}'; it must be N or MxNxK, or several "
                                               "with commas between",
                                               runner::printable(text)));
    sizes.resize(3, sizes[0]);
    Problem& problem = problems.emplace_back(usual);
    problem.m = sizes[0];
    problem.n = sizes[1];
    problem.k = sizes[2];
    if (problem.block == 0) problem.block = usual_block(problem);
    if (problem.panel == 0) problem.panel = usual_panel(problem.k);
    if (problem.is_reproducible && problem.block % 4 != 0)
      throw Error(
          ExitCode::usage,
          fmt::format("--block {} does not fit: with --reproducible it must be a multiple of "
                      "4",
                      problem.block));
  }
  return problems;
}

}  // namespace

Request parse(int argc, const char* const* argv, int processes) {
  Request request;
  Problem usual;
  std::string size = "256", grid, kernel = "best", block, panel, device_memory, alpha = "1",
              beta = "0", seed = "1", samples = "64", repeat = "3", carrier, timeout, predicted,
              gpu = "175", nvlink, network, gpus_per_host;
  CLI::App app(
      "Multiplies matrices that are dealt out to several processes, each with a GPU of its own.\n"
      "Start it with mpirun: mpirun -n 4 sgemm_distributed --size 65536 --grid 2x2\n");
  app.add_option("--size", size, "N for M = N = K, or MxNxK; several with commas (default 256)");
  app.add_option("--grid", grid, "PxQ: rows and columns of processes (default: nearly a square)");
  app.add_option(
      "--block", block,
      "rows and columns of a block (default 512; with --reproducible an eighth, 4096 at most)");
  app.add_option(
      "--panel", panel,
      "how much of K is brought and multiplied at once (default a quarter, from 2048 to 8192)");
  app.add_option("--kernel", kernel, "best, 12 or 16 (default best)");
  app.add_flag("--trans-a", usual.trans_a, "A is transposed: it lies as K rows of M elements");
  app.add_flag("--trans-b", usual.trans_b, "B is transposed: it lies as N rows of K elements");
  app.add_option("--alpha", alpha, "a factor (default 1)");
  app.add_option("--beta", beta, "a factor (default 0)");
  app.add_option("--seed", seed, "of the elements (default 1)");
  app.add_option("--carrier", carrier,
                 "nccl: from GPU to GPU (default); mpi: through the host's memory");
  app.add_flag("--reproducible", usual.is_reproducible,
               "C has the same bits on every grid of the same GPUs");
  app.add_option("--checkpoint", request.protocol.checkpoint,
                 "a folder for finished parts of C, from which a later run goes on; implies "
                 "--reproducible");
  app.add_option("--device-memory", device_memory,
                 "what each GPU may hold, such as 40G; the matrices lie in the host's memory");
  app.add_option("--samples", samples,
                 "elements that each process compares with FP64 (default 64)");
  app.add_option("--repeat", repeat, "how often each product is timed (default 3)");
  app.add_flag("!--no-one-gpu", request.protocol.has_one_gpu,
               "do not time the whole product on one GPU");
  app.add_flag("!--no-reference", request.protocol.has_reference,
               "do not time cuBLASMp, which is timed where it is installed");
  app.add_option("--timeout", timeout,
                 "seconds that a process waits for the others before it gives up");
  app.add_option("--predict", predicted,
                 "PxQ, several with commas: print what a cost model says of these grids, and "
                 "multiply nothing");
  app.add_option("--gpu", gpu, "for --predict: TFLOP/s of a GPU's product (default 175, an H200)");
  app.add_option("--nvlink", nvlink,
                 "for --predict: GB/s that a GPU receives within its host (default 360)");
  app.add_option("--network", network,
                 "for --predict: GB/s that a GPU receives from other hosts (default 50)");
  app.add_option("--gpus-per-host", gpus_per_host, "for --predict (default 8)");
  app.add_option("--json", request.json_file, "writes the results to this file");
  app.add_flag("--replace", request.replace, "replaces the file");
  request.help = parse_or_help(app, argc, argv);
  if (!request.help.empty()) return request;
  if (!predicted.empty()) request.predicted = predicted_grids(predicted);
  request.rates.flops = parse_rate("--gpu", gpu, 1e12);
  if (!nvlink.empty()) request.rates.nvlink_bytes = parse_rate("--nvlink", nvlink, 1e9);
  if (!network.empty()) request.rates.network_bytes = parse_rate("--network", network, 1e9);
  if (!gpus_per_host.empty())
    request.rates.gpus_per_host =
        static_cast<int>(runner::parse_integer("--gpus-per-host", gpus_per_host, 1, 1024));
  request.grid = grid.empty() ? usual_grid(processes) : grid_of(grid, processes);
  if (!block.empty()) usual.block = runner::parse_integer("--block", block, 1, MOST);
  if (!device_memory.empty()) usual.device_bytes = parse_bytes("--device-memory", device_memory);
  if (!request.protocol.checkpoint.empty()) usual.is_reproducible = true;
  if (!panel.empty()) usual.panel = runner::parse_integer("--panel", panel, 1, MOST);
  usual.algorithm = algorithm_of(kernel);
  usual.alpha = runner::parse_float("--alpha", alpha);
  usual.beta = runner::parse_float("--beta", beta);
  usual.seed = runner::parse_natural("--seed", seed);
  request.problems = problems_of(size, usual);
  if (!request.protocol.checkpoint.empty() && request.problems.size() > 1)
    throw Error(ExitCode::usage, "--checkpoint takes one --size");
  if (!carrier.empty()) request.carrier = carrier_of(carrier);
  if (!timeout.empty())
    request.patience = std::chrono::seconds(runner::parse_integer("--timeout", timeout, 1, 86400));
  request.protocol.samples = runner::parse_integer("--samples", samples, 1, MOST);
  request.protocol.repetitions =
      static_cast<int>(runner::parse_integer("--repeat", repeat, 1, 1000));
  return request;
}

std::string name_of_algorithm(int algorithm) {
  return algorithm == SGEMM_LADDER_BEST       ? "best"
         : algorithm == SGEMM_LADDER_STREAM_K ? "12 stream_k"
                                              : "16 tensor_fp32";
}

}  // namespace distributed

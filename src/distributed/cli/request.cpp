#include "distributed/cli/request.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <vector>

#include "app/error.hpp"
#include "app/words.hpp"
#include "sgemm_ladder.h"

namespace distributed {
namespace {

using runner::Error, runner::ExitCode;

constexpr int64_t MOST = int64_t{1} << 31;  // of a size: a matrix has at most 2^62 elements

// Returns the numbers of "2x3": `most` of them, or one that stands for all if `least` is 1.
std::vector<int64_t> numbers(const char* option, const std::string& text, size_t most,
                             int64_t least_value) {
  const std::vector<std::string> words = runner::split(text, 'x');
  if (words.size() != most && words.size() != 1)
    throw Error(ExitCode::usage,
                fmt::format("{} is '{}'; it must be {}", option, runner::printable(text),
                            most == 2 ? "PxQ" : "N or MxNxK"));
  std::vector<int64_t> values;
  for (const std::string& word : words)
    values.push_back(runner::parse_integer(option, word, least_value, MOST));
  return values;
}

// The grid nearest to a square.
Grid usual_grid(int processes) {
  Grid grid{1, processes};
  for (int rows = 1; rows * rows <= processes; ++rows)
    if (processes % rows == 0) grid = {rows, processes / rows};
  return grid;
}

Grid grid_of(const std::string& text, int processes) {
  const std::vector<int64_t> sides = numbers("--grid", text, 2, 1);
  if (sides.size() != 2)
    throw Error(ExitCode::usage, fmt::format("--grid is '{}'; it must be PxQ, such as 2x2",
                                             runner::printable(text)));
  if (sides[0] * sides[1] != processes || sides[0] > processes)
    throw Error(ExitCode::usage, fmt::format("--grid {}x{} has {} processes, and mpirun started {}",
                                             sides[0], sides[1], sides[0] * sides[1], processes));
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1])};
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

const char* name_of(int algorithm) {
  return algorithm == SGEMM_LADDER_BEST       ? "best"
         : algorithm == SGEMM_LADDER_STREAM_K ? "12 stream_k"
                                              : "16 tensor_fp32";
}

}  // namespace

Request parse(int argc, const char* const* argv, int processes) {
  constexpr int64_t USUAL_PANEL = 4096;
  Request request;
  std::string size = "256", grid, kernel = "best", block = "512", panel, alpha = "1", beta = "0",
              seed = "1", samples = "64", carrier;
  CLI::App app(
      "Multiplies matrices that are dealt out to several processes, each with a GPU of its own.\n"
      "Start it with mpirun: mpirun -n 4 sgemm_distributed --size 65536 --grid 2x2\n");
  app.add_option("--size", size, "N for M = N = K, or MxNxK (default 256)");
  app.add_option("--grid", grid, "PxQ: rows and columns of processes (default: nearly a square)");
  app.add_option("--block", block, "rows and columns of a block (default 512)");
  app.add_option("--panel", panel,
                 "how much of K is brought and multiplied at once (default 4096)");
  app.add_option("--kernel", kernel, "best, 12 or 16 (default best)");
  app.add_flag("--trans-a", request.trans_a, "A is transposed: it lies as K rows of M elements");
  app.add_flag("--trans-b", request.trans_b, "B is transposed: it lies as N rows of K elements");
  app.add_option("--alpha", alpha, "a factor (default 1)");
  app.add_option("--beta", beta, "a factor (default 0)");
  app.add_option("--seed", seed, "of the elements (default 1)");
  app.add_option("--carrier", carrier,
                 "nccl: from GPU to GPU (default); mpi: through the host's memory");
  app.add_option("--samples", samples,
                 "elements that each process compares with FP64 (default 64)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    request.help = app.help();
    return request;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, std::string(error.what()) + " (see --help)");
  }
  std::vector<int64_t> sizes = numbers("--size", size, 3, 1);
  sizes.resize(3, sizes[0]);
  request.m = sizes[0];
  request.n = sizes[1];
  request.k = sizes[2];
  request.grid = grid.empty() ? usual_grid(processes) : grid_of(grid, processes);
  request.block = runner::parse_integer("--block", block, 1, MOST);
  request.panel = panel.empty() ? USUAL_PANEL : runner::parse_integer("--panel", panel, 1, MOST);
  request.panel = std::min(request.panel, request.k);
  request.algorithm = algorithm_of(kernel);
  request.alpha = runner::parse_float("--alpha", alpha);
  request.beta = runner::parse_float("--beta", beta);
  request.seed = runner::parse_natural("--seed", seed);
  if (!carrier.empty()) request.carrier = carrier_of(carrier);
  request.samples = runner::parse_integer("--samples", samples, 1, MOST);
  return request;
}

std::string text_of(const Request& r) {
  const std::string size =
      r.m == r.n && r.n == r.k ? fmt::format("{}³", r.m) : fmt::format("{}x{}x{}", r.m, r.n, r.k);
  return fmt::format("{} FP32{}{} · grid {}x{}, blocks of {}, panels of {} · {}{}", size,
                     r.trans_a ? " · A transposed" : "", r.trans_b ? " · B transposed" : "",
                     r.grid.rows, r.grid.cols, r.block, r.panel, name_of(r.algorithm),
                     r.carrier == Carrier::nccl ? " · NCCL" : " · MPI");
}

}  // namespace distributed

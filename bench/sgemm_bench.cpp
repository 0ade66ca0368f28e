// Every rung of the ladder at every size as a benchmark of Google Benchmark, over the runner's own measurement.
//
//   ./sgemm_runner bench                                                  all of them
//   ./sgemm_runner bench --benchmark_filter=/02_ --sizes=256,64x64x2048
//   ./sgemm_runner bench --benchmark_repetitions=9 --benchmark_out=run.json
//
// (or this program itself, without `bench`.) docs/benchmark.md says more.
#include "bench/sgemm_benchmarks.hpp"
#include "kernels/ladder.hpp"
#include "runner/cli/program.hpp"

namespace {

runner::ExitCode run(int argc, char** argv) {
  return bench::run({argv, argv + argc}, ladder::all());
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program(argc, argv, run); }

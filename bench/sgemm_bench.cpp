// Every rung of the ladder at every size as a benchmark of Google Benchmark, over the runner's own measurement.
//
//   build/*/bin/sgemm_bench                                                  all of them
//   build/*/bin/sgemm_bench --benchmark_filter=/02_ --sizes=256,64x64x2048
//   build/*/bin/sgemm_bench --benchmark_repetitions=9 --benchmark_out=run.json
//
// docs/benchmark.md says more.
#include <csignal>
#include <exception>
#include <vector>

#include "bench/sgemm_benchmarks.hpp"
#include "kernels/ladder.hpp"
#include "runner/error.hpp"
#include "runner/output.hpp"

int main(int argc, char** argv) {
  // Writing to a reader who has gone, or beyond the size that a file may have, returns an error instead.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return static_cast<int>(bench::run({argv, argv + argc}, ladder::all()));
  } catch (const std::exception&) {
    const runner::Error error = runner::caught_error();
    runner::write_stderr(std::string("sgemm_bench: ") + error.what() + "\n");
    return static_cast<int>(error.code());
  }
}

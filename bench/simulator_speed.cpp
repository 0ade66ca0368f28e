// How fast the simulated GPU interprets and counts: lane-instructions per second for every rung, on one
// host core and on all of them.
//
//   build/sim/bin/simulator_speed                      the whole table
//   build/sim/bin/simulator_speed --benchmark_filter=01_naive
//
// Every block is counted, as in the runner.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"

namespace {

constexpr int64_t SIZE = 256;

// Device memory for one matrix of SIZE x SIZE small numbers.
class Matrix {
 public:
  Matrix() {
    std::vector<float> values(SIZE * SIZE);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3.0f;
    ok_ = cudaMalloc(&data_, values.size() * sizeof(float)) == cudaSuccess &&
          cudaMemcpy(data_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice) ==
              cudaSuccess;
  }
  ~Matrix() { cudaFree(data_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  float* data() const { return data_; }
  bool ok() const { return ok_; }

 private:
  float* data_ = nullptr;
  bool ok_ = false;
};

void run_rung(benchmark::State& state, const ladder::Rung& rung, int workers) {
  const Matrix A, B, C;
  if (!A.ok() || !B.ok() || !C.ok()) return state.SkipWithError("no device memory");
  const ladder::Sgemm problem{SIZE,     SIZE, SIZE, 1.0f,     A.data(), SIZE,
                              B.data(), SIZE, 0.0f, C.data(), SIZE};
  simulator::set_worker_threads(workers);
  simulator::reset_counters();
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's idiom
    if (ladder::launch(rung, problem, nullptr) != cudaSuccess)
      return state.SkipWithError("the launch failed");
  }
  const simulator::Counters counters = simulator::counters();
  simulator::set_worker_threads(0);
  // Time spent interpreting alone; a rate over it is a rate per second of wall time.
  state.counters["lane_instructions/s"] =
      static_cast<double>(counters.lane_instructions) / counters.seconds;
  state.counters["ffma/s"] = static_cast<double>(counters.ffma) / counters.seconds;
  state.counters["workers"] = workers;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> worker_counts{1};
  if (simulator::worker_threads() > 1) worker_counts.push_back(simulator::worker_threads());
  for (const ladder::Rung* rung : ladder::all()) {
    if (rung->number == 0) continue;  // the reference runs on the host
    for (const int workers : worker_counts) {
      const std::string number = (rung->number < 10 ? "0" : "") + std::to_string(rung->number);
      const std::string name = number + "_" + rung->name + "/" + std::to_string(SIZE) +
                               "/cores:" + std::to_string(workers);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [rung, workers](benchmark::State& state) { run_rung(state, *rung, workers); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

// Measures the speed of the simulated GPU: lane-instructions per second for every rung, and multiply-adds per second
// for every mma.sync and some wgmma. It measures on one host core, on all cores, and on one core with the search for hazards.
//
//   build/sim/bin/simulator_speed                      the whole table
//   build/sim/bin/simulator_speed --benchmark_filter=01_naive
//   SIMULATOR_LEVEL=v3 build/sim/bin/simulator_speed   with narrower vector instructions of the host
//
// Every block is counted, as in the runner.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/tensor_products.hpp"
#include "kernels/ladder.hpp"
#include "simulator/simulator.hpp"

namespace {

constexpr int64_t SIZE = 256;

// Device memory for one matrix of SIZE x SIZE numbers in [-1, 1).
class Matrix {
 public:
  Matrix() {
    std::vector<float> values(SIZE * SIZE);
    std::mt19937 random(1);  // its numbers are the same with every library
    for (float& value : values)
      value = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f;
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

struct How {
  int workers;  // host threads
  bool looks_for_hazards;
};

std::string name_of(const How& how) {
  return "cores:" + std::to_string(how.workers) + (how.looks_for_hazards ? "/hazards" : "");
}

// One core, all cores if there are more, and one core with the search for hazards.
std::vector<How> ways() {
  std::vector<How> ways = {{1, false}};
  if (simulator::worker_threads() > 1) ways.push_back({simulator::worker_threads(), false});
  ways.push_back({1, true});
  return ways;
}

// Times `launch` again and again. Each launch runs, although all have the same arguments and memory.
void run(benchmark::State& state, const std::function<cudaError_t()>& launch, const How& how) {
  simulator::repeat_launches(false);
  simulator::set_worker_threads(how.workers);
  simulator::look_for_hazards(how.looks_for_hazards);
  simulator::reset_counters();
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's idiom
    if (launch() != cudaSuccess) return state.SkipWithError("the launch failed");
  }
  const simulator::Counters counters = simulator::counters();
  simulator::set_worker_threads(0);
  // counters.seconds is the wall time of interpreting alone.
  const auto rate = [&](uint64_t count) { return static_cast<double>(count) / counters.seconds; };
  state.counters["lane_instructions/s"] = rate(counters.lane_instructions);
  state.counters["ffma/s"] = rate(counters.ffma);
  state.counters["tensor_multiply_adds/s"] = rate(counters.tensor_flops / 2);
}

void run_rung(benchmark::State& state, const ladder::Rung& rung, const How& how) {
  const Matrix A, B, C;
  if (!A.ok() || !B.ok() || !C.ok()) return state.SkipWithError("no device memory");
  const ladder::Sgemm problem{SIZE,     SIZE, SIZE, 1.0f,     A.data(), SIZE,
                              B.data(), SIZE, 0.0f, C.data(), SIZE};
  run(state, [&] { return ladder::launch(rung, problem, nullptr); }, how);
}

void run_tensor_products(benchmark::State& state, const TensorProducts& products, const How& how) {
  static_assert(SIZE * SIZE >= TensorProducts::THREADS);
  const Matrix sums;
  if (!sums.ok()) return state.SkipWithError("no device memory");
  run(state, [&] { return products.launch(sums.data()); }, how);
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& benchmark) {
  benchmark::RegisterBenchmark(name.c_str(), benchmark)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  for (const ladder::Rung* rung : ladder::all()) {
    if (rung->number == 0) continue;  // the reference runs on the host
    const std::string number = (rung->number < 10 ? "0" : "") + std::to_string(rung->number);
    for (const How& how : ways()) {
      add(number + "_" + rung->name + "/" + std::to_string(SIZE) + "/" + name_of(how),
          [rung, how](benchmark::State& state) { run_rung(state, *rung, how); });
    }
  }
  for (const TensorProducts& products : tensor_products()) {
    for (const How& how : ways()) {
      add(std::string(products.name) + "/" + name_of(how),
          [&products, how](benchmark::State& state) { run_tensor_products(state, products, how); });
    }
  }
  benchmark::AddCustomContext("simulator_level", simulator::level().name);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

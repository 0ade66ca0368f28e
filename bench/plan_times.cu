// Times rungs 11 and 12 with every tile, and with every division that rung 12 may choose, on the shapes of bench/shapes.py. Writes the
// file that bench/fit_times reads. Needs a GPU of compute capability 8.0 or higher.
//
//     bench/shapes.py --list --seed 1 | build/cuda/bin/plan_times > bench/baselines/nvidia-h200-plans.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/split_search.hpp"
#include "kernels/tuned/tile_table.hpp"

namespace {

using namespace ladder;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "plan_times: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(70);
}

// Times launches in a graph, so that the host does not count.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }

  // Returns the microseconds of a launch: the shorter mean of two graphs of launches, after one to warm up. `expected_us`: about
  // how long a launch takes.
  double us_of(const std::function<cudaError_t(cudaStream_t)>& launch, double expected_us) {
    constexpr double GRAPH_US = 400;
    const int launches = std::clamp(static_cast<int>(GRAPH_US / expected_us), 2, 20);
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < launches; ++i) check(launch(stream_), "launch");
    cudaGraph_t graph{};
    check(cudaStreamEndCapture(stream_, &graph), "capture");
    cudaGraphExec_t executable{};
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    float best_ms = 0;
    for (int run = 0; run < 3; ++run) {
      check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
      check(cudaGraphLaunch(executable, stream_), "cudaGraphLaunch");
      check(cudaEventRecord(end_, stream_), "cudaEventRecord");
      check(cudaEventSynchronize(end_), "cudaEventSynchronize");
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
      if (run == 1 || (run > 1 && ms < best_ms)) best_ms = ms;
    }
    check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return best_ms * 1e3 / launches;
  }

 private:
  cudaStream_t stream_{};
  cudaEvent_t begin_{}, end_{};
};

// A matrix that is large enough for every shape. Its numbers do not matter to these kernels.
float* new_matrix(size_t floats) {
  float* matrix = nullptr;
  check(cudaMalloc(&matrix, floats * sizeof(float)), "cudaMalloc");
  check(cudaMemset(matrix, 0x3d, floats * sizeof(float)), "cudaMemset");
  return matrix;
}

void time_shape(const Sgemm& p, const Device& device, Stopwatch& stopwatch) {
  const bool vector = are_b_and_c_vector_aligned(p, 16);
  const auto as_double = [](int64_t n) { return static_cast<double>(n); };
  const double M = as_double(p.M), N = as_double(p.N), K = as_double(p.K);
  const double expected_us = 3 + 2 * M * N * K / 3e7 + 4 * (M * K + K * N + M * N) / 3e6;
  const auto print = [&](int kernel, const SplitPlan& plan, double us) {
    std::printf("%d,%d,%lld,%lld,%lld,%zu,%lld,%lld,%.2f\n", kernel, vector ? 1 : 0,
                static_cast<long long>(p.M), static_cast<long long>(p.N),
                static_cast<long long>(p.K), plan.choice, static_cast<long long>(plan.blocks),
                static_cast<long long>(plan.rounds), us);
  };
  for (size_t choice = 0; choice < std::size(TUNED_TABLE); ++choice) {
    const Tile& t = TUNED_TABLE[choice].tile;
    if (t.shared_bytes() > device.shared_bytes) continue;
    const double us = stopwatch.us_of(
        [&](cudaStream_t stream) {
          return launch_tuned_choice(choice, Call(p), vector, device.multiprocessors, stream);
        },
        expected_us);
    print(11, undivided(choice, t, p.M, p.N, p.K), us);
  }
  for (size_t choice = 0; choice < std::size(STREAM_K_TABLE); ++choice) {
    const Tile& t = STREAM_K_TABLE[choice].tile;
    if (t.shared_bytes() > device.shared_bytes) continue;
    std::set<std::pair<int64_t, int64_t>> timed;  // blocks and rounds
    for_each_plan(choice, t, p.M, p.N, p.K, device, [&](const SplitPlan& plan) {
      if (!timed.insert({plan.blocks, plan.rounds}).second) return;
      const double us = stopwatch.us_of(
          [&](cudaStream_t stream) {
            return launch_stream_k_choice(plan, p, vector, device.multiprocessors, stream);
          },
          expected_us);
      print(12, plan, us);
    });
  }
}

}  // namespace

int main() {
  Device device{};
  check(describe_device(&device), "describe_device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("# %s, %s: bench/plan_times; microseconds in a graph\n", properties.name, date);
  std::printf("kernel,vector,m,n,k,tile,blocks,rounds,us\n");

  constexpr int64_t MOST = 8192;  // as in bench/shapes.py
  Sgemm p{};
  float* const A = new_matrix(MOST * MOST);
  float* const B = new_matrix(MOST * MOST);
  p.A = A;
  p.B = B;
  p.C = new_matrix(MOST * MOST);
  p.alpha = 1;
  Stopwatch stopwatch;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::ranges::replace(line, 'x', ' ');
    std::istringstream words(line);
    if (!(words >> p.M >> p.N >> p.K) || std::min({p.M, p.N, p.K}) < 1 ||
        std::max({p.M, p.N, p.K}) > MOST) {
      std::fprintf(stderr, "plan_times: '%s' is no shape like 640x480x320, up to %lld\n",
                   line.c_str(), static_cast<long long>(MOST));
      return 2;
    }
    p.lda = p.K;
    p.ldb = p.ldc = p.N;
    if (p.M > FEW_LINES && p.N > FEW_LINES) time_shape(p, device, stopwatch);
  }
}

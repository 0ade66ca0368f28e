// The two roofs of a CUDA device. Host and device code are in one file, as a kernel and its launch belong together.
#include <algorithm>
#include <array>
#include <functional>

#include "app/error.hpp"
#include "runner/machine/cuda/gate.hpp"
#include "runner/machine/cuda/owned.hpp"
#include "runner/machine/cuda/roofs.hpp"
#include "runner/machine/device_buffer.hpp"

namespace runner {
namespace {

constexpr int RUNS = 10;
constexpr int THREADS = 512;
constexpr int CHAINS =
    16;  // each thread's independent multiply-adds: more than their latency needs
constexpr int STEPS = 2048;

__global__ void __launch_bounds__(THREADS) multiply_add_kernel(float factor, float* out) {
  float sum[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 8
  for (int step = 0; step < STEPS; ++step) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) sum[i] = sum[i] * factor + factor;
  }
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) total += sum[i];
  if (total == 1.5f) *out = total;  // never true, but the compiler does not know that
}

// Returns the shortest time of some runs. The first run warms up.
double best_ms(const std::function<void()>& launch) {
  Gate gate;
  Owned<cudaEvent_t, cudaEventDestroy> start, stop;
  check(cudaEventCreate(start.out()));
  check(cudaEventCreate(stop.out()));
  double best = 0;
  for (int run = 0; run <= RUNS; ++run) {
    gate.close(nullptr);
    check(cudaEventRecord(start.get()));
    launch();
    check(cudaEventRecord(stop.get()));
    gate.open();
    check(cudaEventSynchronize(stop.get()));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.get(), stop.get()));
    if (run == 1 || (run > 1 && ms < best)) best = ms;
  }
  return best;
}

double copy_gbytes_per_second() {
  int device = 0, l2_bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  const int64_t bytes = std::max<int64_t>(int64_t{1} << 28, 8 * int64_t{l2_bytes});
  const DeviceBuffer<char> from(bytes), to(bytes);
  check(cudaMemset(from.data(), 1, static_cast<size_t>(bytes)));
  const double ms = best_ms([&] {
    check(cudaMemcpyAsync(to.data(), from.data(), static_cast<size_t>(bytes),
                          cudaMemcpyDeviceToDevice));
  });
  return 2 * static_cast<double>(bytes) / (ms * 1e6);
}

double fp32_gflops() {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  const int blocks =
      properties.multiProcessorCount * (properties.maxThreadsPerMultiProcessor / THREADS) * 8;
  const DeviceBuffer<float> out(1);
  const double ms = best_ms([&] {
    multiply_add_kernel<<<blocks, THREADS>>>(0.5f, out.data());
    check(cudaGetLastError());
  });
  return 2.0 * CHAINS * STEPS * THREADS * blocks / (ms * 1e6);
}

}  // namespace

results::Roofs measure_roofs() {
  results::Roofs roofs;
  const auto measured = [](double (*measure)()) -> std::optional<double> {
    try {
      return measure();
    } catch (const Error&) {
      static_cast<void>(cudaGetLastError());
      return std::nullopt;
    }
  };
  roofs.copy_gbytes_per_second = measured(copy_gbytes_per_second);
  roofs.fp32_gflops = measured(fp32_gflops);
  return roofs;
}

}  // namespace runner

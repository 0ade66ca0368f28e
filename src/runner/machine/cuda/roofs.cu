// The roofs of a CUDA device. Host and device code are in one file, as a kernel and its launch belong together.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <functional>

#include "app/error.hpp"
#include "results/values/statistics.hpp"
#include "runner/machine/cuda/gate.hpp"
#include "runner/machine/cuda/owned.hpp"
#include "runner/machine/cuda/roofs.hpp"
#include "runner/machine/cuda/stopwatch.hpp"
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

// Random numbers in [-1, 1): a product of zeros would take less power and run at a higher clock.
__global__ void fill_kernel(__half* numbers, int64_t count) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    auto x = static_cast<unsigned>(i);
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    numbers[i] = __float2half(static_cast<float>(static_cast<int>(x ^ x >> 16)) * 0x1p-31f);
  }
}

DeviceBuffer<__half> random_halves(int64_t count) {
  DeviceBuffer<__half> numbers(count);
  fill_kernel<<<1024, 256>>>(numbers.data(), count);
  check(cudaGetLastError());
  return numbers;
}

cudaError_t as_cuda_error(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorNotSupported;
}

double measure_fp16_gflops(int64_t M, int64_t N, int64_t K, double seconds) {
  const DeviceBuffer<__half> A = random_halves(M * K), B = random_halves(K * N);
  const DeviceBuffer<float> C(M * N);
  Owned<cublasHandle_t, cublasDestroy> handle;
  check(as_cuda_error(cublasCreate(handle.out())));
  const auto launch = [&](cudaStream_t stream) {
    const float one = 1, zero = 0;
    cublasStatus_t status = cublasSetStream(handle.get(), stream);
    if (status != CUBLAS_STATUS_SUCCESS) return as_cuda_error(status);
    // Column-major, so C^T = B^T A^T, as rung 0 has it.
    status = cublasGemmEx(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(N),
                          static_cast<int>(M), static_cast<int>(K), &one, B.data(), CUDA_R_16F,
                          static_cast<int>(N), A.data(), CUDA_R_16F, static_cast<int>(K), &zero,
                          C.data(), CUDA_R_32F, static_cast<int>(N), CUBLAS_COMPUTE_32F,
                          CUBLAS_GEMM_DEFAULT);
    return as_cuda_error(status);
  };
  const results::Timing timing =
      Stopwatch({.seconds = seconds, .samples = 25}).measure(launch, Stopwatch::Launch());
  return 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K) /
         (results::quartiles(timing.samples_ms).median * 1e6);
}

}  // namespace

std::optional<double> fp16_gflops(int64_t M, int64_t N, int64_t K, double seconds) {
  if (std::max({M, N, K}) > INT32_MAX || std::min({M, N, K}) < 1) return std::nullopt;
  try {
    // The better of two: the first one in a process takes 2.4 us more for each product (seen at 128^3 and 1024^3 on an H200).
    const double first = measure_fp16_gflops(M, N, K, seconds / 2);
    return std::max(first, measure_fp16_gflops(M, N, K, seconds / 2));
  } catch (const Error&) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
}

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

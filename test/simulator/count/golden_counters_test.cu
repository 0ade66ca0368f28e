// Whole kernels' counters, compared with Nsight Compute's counters of the same kernels on an H200.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "device/tensor_core.cuh"
#include "simulator/runtime/api/diagnostics.hpp"

namespace {

constexpr int N = 256;        // the matrix kernels' size: 256^3
constexpr int COUNT = 65536;  // the copies' elements
constexpr int TOKENS = 4096, DIM = 256;

__global__ void naive_rowfast(const float* A, const float* B, float* C) {
  const int row = blockIdx.x * 32 + threadIdx.x;
  const int col = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void naive_colfast(const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void coalesced1d(const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 32 + threadIdx.x / 32;
  const int col = blockIdx.x * 32 + threadIdx.x % 32;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void tiled(const float* A, const float* B, float* C) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  const int r = threadIdx.x / 32, c = threadIdx.x % 32;
  const int row = blockIdx.y * 32 + r, col = blockIdx.x * 32 + c;
  float sum = 0.0f;
  for (int k0 = 0; k0 < N; k0 += 32) {
    As[r][c] = A[row * N + k0 + c];
    Bs[r][c] = B[(k0 + r) * N + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += As[r][k] * Bs[k][c];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

__global__ void copy_float(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

__global__ void copy_float4(const float4* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

struct alignas(32) Float8 {
  float v[8];
};
__global__ void copy_float8(const Float8* in, Float8* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

template <int STRIDE>
__global__ void strided(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * STRIDE];
}

__global__ void off1(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}

__global__ void emb1d(const int* tokens, const float* table, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[tokens[i / DIM] * DIM + i % DIM];
}

struct Golden {
  uint64_t global_load_requests, global_load_sectors, global_store_requests, global_store_sectors;
  uint64_t shared_loads, shared_stores, shared_load_wavefronts, shared_store_wavefronts, ffma;
};

std::map<std::string, Golden> read_golden() {
  std::map<std::string, Golden> golden;
  std::ifstream file(TEST_DATA "/global_counters_h200.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    for (char& c : line) {
      if (c == ',') c = ' ';
    }
    std::istringstream row(line);
    std::string name;
    Golden g{};
    row >> name >> g.global_load_requests >> g.global_load_sectors >> g.global_store_requests >>
        g.global_store_sectors >> g.shared_loads >> g.shared_stores >> g.shared_load_wavefronts >>
        g.shared_store_wavefronts >> g.ffma;
    EXPECT_FALSE(row.fail()) << line;
    golden[name] = g;
  }
  return golden;
}

Golden counted() {
  using simulator::Access;
  Golden g{};
  const simulator::Counters counters = simulator::counters();
  for (const auto& row : counters.accesses) {
    if (row.access == Access::global_load) {
      g.global_load_requests += row.requests;
      g.global_load_sectors += row.sectors;
    } else if (row.access == Access::global_store) {
      g.global_store_requests += row.requests;
      g.global_store_sectors += row.sectors;
    } else if (row.access == Access::shared_load) {
      g.shared_loads += row.requests;
      g.shared_load_wavefronts += row.wavefronts;
    } else if (row.access == Access::shared_store) {
      g.shared_stores += row.requests;
      g.shared_store_wavefronts += row.wavefronts;
    }
  }
  g.ffma = counters.ffma;
  return g;
}

class GoldenCounters : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&in_, 8 * COUNT * 4 + 256), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&more_, TOKENS * DIM * 4), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out_, TOKENS * DIM * 4), cudaSuccess);
    ASSERT_EQ(cudaMemset(in_, 0, 8 * COUNT * 4 + 256), cudaSuccess);
    ASSERT_EQ(cudaMemset(more_, 0, TOKENS * DIM * 4), cudaSuccess);
    simulator::reset_counters();
  }
  void TearDown() override {
    cudaFree(in_);
    cudaFree(more_);
    cudaFree(out_);
  }

  void expect_golden(const std::string& name) {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    static const std::map<std::string, Golden> golden = read_golden();
    ASSERT_EQ(golden.size(), 11u);
    const Golden& want = golden.at(name);
    const Golden got = counted();
    EXPECT_EQ(got.global_load_requests, want.global_load_requests);
    EXPECT_EQ(got.global_load_sectors, want.global_load_sectors);
    EXPECT_EQ(got.global_store_requests, want.global_store_requests);
    EXPECT_EQ(got.global_store_sectors, want.global_store_sectors);
    EXPECT_EQ(got.shared_stores, want.shared_stores);
    EXPECT_EQ(got.shared_store_wavefronts, want.shared_store_wavefronts);
    EXPECT_EQ(got.ffma, want.ffma);
    EXPECT_EQ(got.shared_loads, want.shared_loads);
    EXPECT_EQ(got.shared_load_wavefronts, want.shared_load_wavefronts);
  }

  float *in_ = nullptr, *more_ = nullptr, *out_ = nullptr;
};

const dim3 TILES(N / 32, N / 32);
constexpr int THREADS = 256;

TEST_F(GoldenCounters, NaiveRowFast) {
  naive_rowfast<<<TILES, dim3(32, 32)>>>(in_, more_, out_);
  expect_golden("naive_rowfast");
}
TEST_F(GoldenCounters, NaiveColFast) {
  naive_colfast<<<TILES, dim3(32, 32)>>>(in_, more_, out_);
  expect_golden("naive_colfast");
}
TEST_F(GoldenCounters, Coalesced1d) {
  coalesced1d<<<TILES, 1024>>>(in_, more_, out_);
  expect_golden("coalesced1d");
}
TEST_F(GoldenCounters, Tiled) {
  tiled<<<TILES, 1024>>>(in_, more_, out_);
  expect_golden("tiled");
}
TEST_F(GoldenCounters, CopyFloat) {
  copy_float<<<COUNT / THREADS, THREADS>>>(in_, out_);
  expect_golden("copy_float");
}
TEST_F(GoldenCounters, CopyFloat4) {
  copy_float4<<<COUNT / THREADS, THREADS>>>(reinterpret_cast<float4*>(in_),
                                            reinterpret_cast<float4*>(out_));
  expect_golden("copy_float4");
}
// Two accesses of 16 bytes, whose lanes are 32 bytes apart: each uses half of its sectors. Counted on an H200 as well.
TEST_F(GoldenCounters, CopyOfAStructOf32Bytes) {
  float *in = nullptr, *out = nullptr;
  ASSERT_EQ(cudaMalloc(&in, COUNT * sizeof(Float8)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&out, COUNT * sizeof(Float8)), cudaSuccess);
  copy_float8<<<COUNT / THREADS, THREADS>>>(reinterpret_cast<Float8*>(in),
                                            reinterpret_cast<Float8*>(out));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const Golden got = counted();
  EXPECT_EQ(got.global_load_requests, 4096u);
  EXPECT_EQ(got.global_load_sectors, 131072u);
  EXPECT_EQ(got.global_store_requests, 4096u);
  EXPECT_EQ(got.global_store_sectors, 131072u);
  cudaFree(in);
  cudaFree(out);
}
// Copies twice in each thread. One copy may be under way while the other's tile is read.
template <int UNDER_WAY>
__global__ void copied(const float* from, float* to) {
  __shared__ float tile[2][64];
  const int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&tile[i][t], &from[64 * i + t], sizeof(float));
    __pipeline_commit();
  }
  __pipeline_wait_prior(UNDER_WAY);
  __syncthreads();
  float sum = tile[0][63 - t];
  __pipeline_wait_prior(0);
  __syncthreads();
  sum += tile[1][63 - t];
  to[t] = sum;
}

TEST_F(GoldenCounters, CopiesThatAreUnderWayDuringALoad) {
  const auto counted_with = [&](void (*kernel)(const float*, float*)) {
    simulator::reset_counters();
    kernel<<<3, 64>>>(in_, out_);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return simulator::counters();
  };
  const simulator::Counters at_once = counted_with(copied<0>);
  EXPECT_EQ(at_once.async_copies, 3u * 128);
  EXPECT_EQ(at_once.async_copies_during_loads, 0u);
  const simulator::Counters later = counted_with(copied<1>);
  EXPECT_EQ(later.async_copies, 3u * 128);
  EXPECT_EQ(later.async_copies_during_loads, 3u * 64);
}

TEST_F(GoldenCounters, Stride1) {
  strided<1><<<COUNT / THREADS, THREADS>>>(in_, out_);
  expect_golden("stride1");
}
TEST_F(GoldenCounters, Stride2) {
  strided<2><<<COUNT / THREADS, THREADS>>>(in_, out_);
  expect_golden("stride2");
}
TEST_F(GoldenCounters, Stride8) {
  strided<8><<<COUNT / THREADS, THREADS>>>(in_, out_);
  expect_golden("stride8");
}
TEST_F(GoldenCounters, OffsetByOneFloat) {
  off1<<<COUNT / THREADS, THREADS>>>(in_, out_);
  expect_golden("off1");
}
TEST_F(GoldenCounters, Embedding1d) {
  emb1d<<<TOKENS * DIM / THREADS, THREADS>>>(reinterpret_cast<int*>(in_), more_, out_);
  expect_golden("emb1d");
}

// ---- Tensor cores.

template <device::Factor FACTOR, int K>
__global__ void multiply(float* out, int times) {
  __shared__ __align__(16) uint16_t elements[32 * 8];
  for (int i = threadIdx.x; i < 32 * 8; i += blockDim.x) elements[i] = 0;
  __syncthreads();
  uint32_t a[4], b[4];
  device::load_matrices<4>(a, &elements[threadIdx.x % 32 * 8]);
  device::load_matrices<2, true>(b,
                                 &elements[threadIdx.x % 8 * 16]);  // every second row: conflicts
  float d[4] = {};
#pragma unroll 1
  for (int i = 0; i < times; ++i) device::multiply_fragments<FACTOR, K>(d, a, b, d);
  out[blockIdx.x * blockDim.x + threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

simulator::Counters counters_of_one_launch(void (*kernel)(float*, int)) {
  float* out = nullptr;
  EXPECT_EQ(cudaMalloc(&out, 3 * 64 * sizeof(float)), cudaSuccess);
  simulator::reset_counters();
  kernel<<<3, 64>>>(out, 5);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaFree(out), cudaSuccess);
  return simulator::counters();
}

TEST(TensorCores, ProductsAreCountedByFormatAndLine) {
  using device::Factor;
  const auto expect = [](void (*kernel)(float*, int), const char* format, uint64_t flops) {
    const simulator::Counters counters = counters_of_one_launch(kernel);
    ASSERT_EQ(counters.tensor.size(), 1u) << format;
    const simulator::TensorCounters& row = counters.tensor[0];
    constexpr uint64_t WARPS = 3 * 2 * 5;
    EXPECT_EQ(row.format, format);
    EXPECT_EQ(row.warps, WARPS);
    EXPECT_EQ(row.flops, WARPS * flops);
    EXPECT_EQ(counters.tensor_flops, row.flops);
    EXPECT_EQ(row.where.file_name(), "golden_counters_test.cu");
  };
  expect(multiply<Factor::f16, 16>, "f16", 2 * 16 * 8 * 16);
  expect(multiply<Factor::bf16, 8>, "bf16", 2 * 16 * 8 * 8);
  expect(multiply<Factor::tf32, 4>, "tf32", 2 * 16 * 8 * 4);
}

TEST(TensorCores, MatrixLoadsCostTheirWavefronts) {
  const simulator::Counters counters = counters_of_one_launch(multiply<device::Factor::f16, 16>);
  uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  for (const simulator::AccessCounters& row : counters.accesses) {
    if (row.access != simulator::Access::matrix_load) continue;
    requests += row.requests;
    wavefronts += row.wavefronts;
    conflicts += row.bank_conflicts;
    EXPECT_EQ(row.bytes_per_lane, 16u);
  }
  EXPECT_EQ(requests, 3u * 2 * 2);
  EXPECT_EQ(wavefronts, 3u * 2 * (4 + 2 * 2));
  EXPECT_EQ(conflicts, 3u * 2 * 2);
}

}  // namespace

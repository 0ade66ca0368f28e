// The runtime API and the language of device code, end to end: simcc compiles the kernels, and the simulator runs them.
// Questions without a kernel, which a device can answer too, are in runtime_answers.cu.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <math_constants.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "test/support/managed.hpp"

// In runtime_test_other.cu, which has a kernel and a variable of the same names as here.
int run_the_other_files_kernel(int* out);

namespace {

using simulator::Fault;
using simulator::FaultKind;
using simulator::test::Managed;

// Launching.

__constant__ int variable;
__device__ int counter = 5;

__global__ void kernel(int* out) { *out = variable + 1; }

TEST(Launch, EachTranslationUnitHasItsOwnKernelsAndVariables) {
  Managed<int> out(1);
  const int value = 10;
  ASSERT_EQ(cudaMemcpyToSymbol(variable, &value, sizeof value), cudaSuccess);
  EXPECT_EQ(run_the_other_files_kernel(out.get()), 200);
  kernel<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 11);
}

__global__ void count_up() { atomicAdd(&counter, 1); }

TEST(Launch, VariablesStartWithTheirInitialiserAndKeepTheirValue) {
  int value = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
  EXPECT_EQ(value, 5);
  count_up<<<4, 64>>>();
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
  EXPECT_EQ(value, 5 + 256);
}

struct Parameters {
  char c;
  double d;
  float4 v;
  int64_t big[3];
};

__global__ void sum_parameters(Parameters p, short s, float4 v, double* out) {
  *out = p.c + p.d + p.v.w + static_cast<double>(p.big[2]) + s + v.x;
}

TEST(Launch, PassesParametersOfAnyLayout) {
  Managed<double> out(1);
  const Parameters p{1, 2.5, {0, 0, 0, 4}, {0, 0, int64_t{1} << 40}};
  sum_parameters<<<1, 1>>>(p, -3, make_float4(8, 0, 0, 0), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 1 + 2.5 + 4 + std::ldexp(1.0, 40) - 3 + 8);
}

__global__ void shapes(unsigned int* out) {
  const dim3 block = blockDim;
  const uint3 thread = threadIdx;
  const unsigned int in_block = thread.x + block.x * (thread.y + block.y * thread.z);
  const unsigned int in_grid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[in_grid * block.x * block.y * block.z + in_block] = in_grid * 1000 + in_block;
}

TEST(Launch, NumbersThreadsAndBlocksInThreeDimensions) {
  const dim3 grid(3, 2, 2);
  const dim3 block(4, 3, 5);
  Managed<unsigned int> out(12 * 60);
  shapes<<<grid, block>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (unsigned int b = 0; b < 12; ++b) {
    for (unsigned int t = 0; t < 60; ++t) ASSERT_EQ(out[b * 60 + t], b * 1000 + t);
  }
}

__global__ void reverse(int* data) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

TEST(Launch, GivesDynamicSharedMemory) {
  Managed<int> data(256);
  for (int i = 0; i < 256; ++i) data[i] = i;
  reverse<<<1, 256, 256 * sizeof(int)>>>(data.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 256; ++i) ASSERT_EQ(data[i], 255 - i);
}

TEST(Launch, ThroughTheFunctionTakesPointersToTheArguments) {
  Managed<int> data(32);
  data[0] = 7;
  int* pointer = data.get();
  void* arguments[] = {&pointer};
  ASSERT_EQ(cudaLaunchKernel(reverse, dim3(1), dim3(32), arguments, 128, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(data[31], 7);
}

__global__ void add_one(int* data, int index) { data[index + static_cast<int>(threadIdx.x)] += 1; }

int launch_and_return_zero(int* data) {
  add_one<<<1, 1>>>(data, 0);
  return 0;
}

TEST(Launch, MayHaveALaunchAmongItsArguments) {
  Managed<int> outer(32);
  Managed<int> inner(32);
  add_one<<<1, 32>>>(outer.get(), launch_and_return_zero(inner.get()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(outer[31], 1) << "the outer launch keeps its own shape";
  EXPECT_EQ(inner[0], 1);
  EXPECT_EQ(inner[1], 0);
}

TEST(Launch, RefusesAStreamThatDoesNotExist) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  Managed<int> data(32);
  reverse<<<1, 32, 128, stream>>>(data.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST(Launch, RefusesAFunctionThatIsNoKernel) {
  void* arguments[] = {nullptr};
  int on_the_stack = 0;
  EXPECT_EQ(cudaLaunchKernel(static_cast<const void*>(&on_the_stack), dim3(1), dim3(1), arguments,
                             0, nullptr),
            cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST(Launch, MayHappenFromSeveralHostThreads) {
  std::vector<std::thread> threads;
  std::array<int, 4> right{};
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&right, t] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Managed<int> data(64);
        data[0] = static_cast<int>(t);
        reverse<<<1, 64, 64 * sizeof(int)>>>(data.get());
        right[t] += cudaDeviceSynchronize() == cudaSuccess && data[63] == static_cast<int>(t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, 20);
}

// Copies.

TEST(Copy, MovesRectanglesBetweenPitches) {
  constexpr size_t WIDTH = 10;
  constexpr size_t HEIGHT = 4;
  std::vector<unsigned char> from(HEIGHT * 16);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i);
  void* device = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, WIDTH, HEIGHT), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(device, pitch, from.data(), 16, WIDTH, HEIGHT, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<unsigned char> back(HEIGHT * 12, 0xFF);
  ASSERT_EQ(cudaMemcpy2D(back.data(), 12, device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (size_t row = 0; row < HEIGHT; ++row) {
    for (size_t column = 0; column < 12; ++column) {
      EXPECT_EQ(back[row * 12 + column], column < WIDTH ? from[row * 16 + column] : 0xFF);
    }
  }
  // The last row ends before its pitch does, and one byte more would be out of bounds.
  EXPECT_EQ(cudaMemcpy2D(device, pitch, from.data(), 16, WIDTH, HEIGHT + 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  cudaFree(device);
}

TEST(Copy, RefusesEveryByteBesideAnAllocation) {
  char host[64] = {};
  char* device = nullptr;
  cudaMalloc(&device, 64);
  EXPECT_EQ(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 1, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device - 1, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device + 64, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 0, 65), cudaErrorInvalidValue);
  cudaFree(device);
  EXPECT_EQ(cudaMemcpy(host, device, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Copy, MoreMemoryThanThereIsIsRefusedAndNothingIsLost) {
  size_t free_before = 0;
  size_t free_after = 0;
  size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, total + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaMallocHost(&pointer, total + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
  EXPECT_EQ(free_before, free_after);
}

TEST(ManagedMemory, MayBePrefetchedAndAdvisedAndNothingElseMay) {
  Managed<int> managed(16);
  EXPECT_EQ(cudaMemPrefetchAsync(managed.get(), 64, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed.get(), 64, cudaCpuDeviceId), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed.get(), 65, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(managed.get(), 64, 7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemAdvise(managed.get(), 64, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  void* device = nullptr;
  cudaMalloc(&device, 64);
  EXPECT_EQ(cudaMemPrefetchAsync(device, 64, 0), cudaErrorInvalidValue);
  cudaFree(device);
  cudaGetLastError();
}

// Faults.

// Each test provokes faults and leaves the device usable.
class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    simulator::set_fault_output(false);
    ASSERT_EQ(cudaMalloc(&data_, 16 * sizeof(int)), cudaSuccess);
    simulator::current_device().memory.set_name(reinterpret_cast<uint64_t>(data_), "data");
  }
  void TearDown() override {
    simulator::clear_fault();
    simulator::set_fault_output(true);
    cudaFree(data_);
  }
  int* data_ = nullptr;
};

constexpr int STORE_LINE = __LINE__ + 1;
__global__ void store(int* out, int index) { out[index + static_cast<int>(threadIdx.x)] = 1; }

TEST_F(Faults, AStoreOneBehindTheEndIsCaughtWithEverythingThatIsKnown) {
  store<<<2, 16>>>(data_, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the launch itself is fine";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  const std::optional<Fault> fault = simulator::last_fault();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::out_of_bounds);
  EXPECT_NE(fault->kernel.find("store"), std::string::npos);
  EXPECT_NE(fault->where.file.find("runtime_test.cu"), std::string::npos);
  EXPECT_EQ(fault->where.line, STORE_LINE);
  EXPECT_EQ(fault->block.x, 0u);
  EXPECT_EQ(fault->thread.x, 15u);
  EXPECT_EQ(fault->address, reinterpret_cast<uint64_t>(data_ + 16));
  EXPECT_NE(fault->text().find("first byte past the end of data (64 bytes"), std::string::npos)
      << fault->text();
}

TEST_F(Faults, AStoreBeforeTheStartIsCaught) {
  store<<<1, 1>>>(data_, -1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_NE(simulator::last_fault()->text().find("4 bytes before data"), std::string::npos);
}

TEST_F(Faults, AnAccessToFreedMemoryIsRecognised) {
  int* freed = nullptr;
  cudaMalloc(&freed, 64);
  cudaFree(freed);
  store<<<1, 1>>>(freed, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(simulator::last_fault()->kind, FaultKind::use_after_free);
}

TEST_F(Faults, AHostPointerIsNoDevicePointer) {
  int on_the_stack = 0;
  store<<<1, 1>>>(&on_the_stack, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(on_the_stack, 0);
  EXPECT_NE(simulator::last_fault()->text().find("host"), std::string::npos);
}

__global__ void load_wide(const float* in, float4* out) {
  *out = *reinterpret_cast<const float4*>(in);
}

TEST_F(Faults, AMisalignedVectorLoadIsCaught) {
  auto* floats = reinterpret_cast<float*>(data_);
  load_wide<<<1, 1>>>(floats + 1, reinterpret_cast<float4*>(data_));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  EXPECT_EQ(simulator::last_fault()->kind, FaultKind::misaligned);
}

__global__ void stop(int* out) {
  if (threadIdx.x == 3) __trap();
  out[threadIdx.x] = 1;
}

TEST_F(Faults, ATrapStopsTheLaunch) {
  stop<<<1, 8>>>(data_);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(simulator::last_fault()->kind, FaultKind::trap);
  EXPECT_EQ(simulator::last_fault()->thread.x, 3u);
}

TEST_F(Faults, StayUntilTheDeviceIsReset) {
  store<<<1, 1>>>(data_, 1000);
  store<<<1, 1>>>(data_, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess)
      << "queued behind the fault, which nobody has seen yet";
  int value = 0;
  EXPECT_EQ(cudaMemcpy(&value, data_, sizeof value, cudaMemcpyDeviceToHost),
            cudaErrorIllegalAddress);
  store<<<1, 1>>>(data_, 0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_FALSE(simulator::last_fault().has_value());
  ASSERT_EQ(cudaMalloc(&data_, 64), cudaSuccess);
  store<<<1, 1>>>(data_, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Faults, KeepLaterKernelsFromRunning) {
  ASSERT_EQ(cudaMemset(data_, 0, 64), cudaSuccess);
  store<<<1, 1>>>(data_, 1000);
  store<<<1, 1>>>(data_, 0);
  simulator::clear_fault();
  int value = -1;
  EXPECT_EQ(cudaMemcpy(&value, data_, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 0);
}

TEST_F(Faults, TheFirstOneIsKept) {
  store<<<1, 1>>>(data_, 1000);
  stop<<<1, 8>>>(data_);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(Faults, GoToStderrOnce) {
  simulator::set_fault_output(true);
  ::testing::internal::CaptureStderr();
  store<<<1, 1>>>(data_, 16);
  cudaDeviceSynchronize();
  cudaDeviceSynchronize();
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text, simulator::last_fault()->text());
}

// Vector types.

__host__ __device__ float4 operator+(float4 a, float4 b) {
  return float4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__host__ __device__ float4& operator*=(float4& a, float s) {
  for (float* p : {&a.x, &a.y, &a.z, &a.w}) *p *= s;
  return a;
}

__global__ void use_float4(const float4* in, float4* out) {
  float4 v = in[0] + float4{1, 2, 3, 4};
  v *= 2;
  float4 zero = {};
  zero.y = v.w;
  float4 partial = zero;
  partial.x = 5;
  out[0] = v;
  out[1] = zero;
  out[2] = partial;
  reinterpret_cast<float*>(&out[3])[2] = in[0].z;
}

TEST(VectorTypes, AreAggregatesWithMembersToPointAt) {
  Managed<float4> out(4);
  Managed<float4> in(1);
  in[0] = make_float4(10, 20, 30, 40);
  use_float4<<<1, 1>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0].x, 22);
  EXPECT_EQ(out[0].w, 88);
  EXPECT_EQ(out[1].x, 0);
  EXPECT_EQ(out[1].y, 88);
  EXPECT_EQ(out[2].x, 5);
  EXPECT_EQ(out[2].y, 88);
  EXPECT_EQ(out[3].z, 30);
  constexpr float4 AT_COMPILE_TIME{1, 2, 3, 4};
  static_assert(AT_COMPILE_TIME.z == 3);
}

TEST(VectorTypes, HaveCudasSizesAndAlignments) {
  EXPECT_EQ(sizeof(float3), 12u);
  EXPECT_EQ(alignof(float3), 4u);
  EXPECT_EQ(alignof(float2), 8u);
  EXPECT_EQ(alignof(float4), 16u);
  EXPECT_EQ(alignof(double2), 16u);
  EXPECT_EQ(sizeof(double4), 32u);
  EXPECT_EQ(alignof(double4), 16u);
  EXPECT_EQ(sizeof(uchar4), 4u);
  EXPECT_EQ(alignof(uchar4), 4u);
  EXPECT_EQ(alignof(short2), 4u);
  EXPECT_EQ(sizeof(char3), 3u);
}

// Intrinsic functions.

__global__ void shuffles(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  int* row = out + lane * 8;
  row[0] = __shfl_sync(~0u, lane, 5);
  row[1] = __shfl_up_sync(~0u, lane, 2);
  row[2] = __shfl_down_sync(~0u, lane, 3, 8);
  row[3] = __shfl_xor_sync(~0u, lane, 1);
  row[4] = static_cast<int>(__shfl_sync(~0u, 1e10 * lane, 7) / 1e10);
  row[5] = static_cast<int>(__shfl_down_sync(~0u, static_cast<long long>(lane) << 33, 1) >> 33);
  row[6] = static_cast<int>(__shfl_sync(~0u, static_cast<float>(lane), lane + 1, 4));
  row[7] = static_cast<int>(__ballot_sync(~0u, lane % 3 == 0));
}

TEST(Intrinsics, ShufflesAndVotes) {
  Managed<int> out(32 * 8);
  shuffles<<<1, 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  unsigned int every_third = 0;
  for (int lane = 0; lane < 32; lane += 3) every_third |= 1u << lane;
  for (int lane = 0; lane < 32; ++lane) {
    const int* row = &out[static_cast<size_t>(lane) * 8];
    EXPECT_EQ(row[0], 5);
    EXPECT_EQ(row[1], lane < 2 ? lane : lane - 2);
    EXPECT_EQ(row[2], lane % 8 + 3 < 8 ? lane + 3 : lane);
    EXPECT_EQ(row[3], lane ^ 1);
    EXPECT_EQ(row[4], 7);
    EXPECT_EQ(row[5], lane == 31 ? 31 : lane + 1);
    EXPECT_EQ(row[6], lane / 4 * 4 + (lane + 1) % 4);
    EXPECT_EQ(static_cast<unsigned int>(row[7]), every_third);
  }
}

__global__ void tile_votes(unsigned int* out) {
  const unsigned int lane = threadIdx.x;
  const unsigned int tile = 0xFu << (lane / 4 * 4);
  out[lane] = __ballot_sync(tile, lane % 3 == 0);
  out[32 + lane] =
      static_cast<unsigned int>(__any_sync(tile, lane < 5) + 2 * __all_sync(tile, lane < 5));
}

TEST(Intrinsics, LanesOfDifferentMasksVoteBesideEachOther) {
  Managed<unsigned int> out(64);
  tile_votes<<<1, 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (unsigned int lane = 0; lane < 32; ++lane) {
    unsigned int want = 0;
    for (unsigned int other = lane / 4 * 4; other < lane / 4 * 4 + 4; ++other) {
      want |= (other % 3 == 0 ? 1u : 0u) << other;
    }
    EXPECT_EQ(out[lane], want) << lane;
    EXPECT_EQ(out[32 + lane], lane < 4 ? 3u : lane < 8 ? 1u : 0u) << lane;
  }
}

__global__ void atomics(int* i, unsigned int* u, unsigned long long* l, float* f, double* d) {
  const int t = static_cast<int>(threadIdx.x);
  atomicAdd(&i[0], 1);
  atomicSub(&i[1], 2);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicExch(&i[4], 9);
  atomicCAS(&i[5], 0, 77);
  atomicAnd(&u[0], ~(1u << (t % 32)));
  atomicOr(&u[1], 1u << (t % 32));
  atomicXor(&u[2], 1u);
  atomicInc(&u[3], 9);
  atomicDec(&u[4], 9);
  atomicMax(&u[5], static_cast<unsigned int>(t));
  atomicAdd(l, 1ull << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  __shared__ int shared;
  if (t == 0) shared = 0;
  __syncthreads();
  atomicAdd(&shared, t);
  __syncthreads();
  if (t == 0) i[6] = shared;
}

TEST(Intrinsics, Atomics) {
  Managed<int> i(8);
  Managed<unsigned int> u(8);
  Managed<unsigned long long> l(1);
  Managed<float> f(1);
  Managed<double> d(1);
  u[0] = ~0u;
  atomics<<<1, 64>>>(i.get(), u.get(), l.get(), f.get(), d.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(i[0], 64);
  EXPECT_EQ(i[1], -128);
  EXPECT_EQ(i[2], -63);
  EXPECT_EQ(i[3], 63);
  EXPECT_EQ(i[4], 9);
  EXPECT_EQ(i[5], 77);
  EXPECT_EQ(i[6], 63 * 32);
  EXPECT_EQ(u[0], 0u);
  EXPECT_EQ(u[1], ~0u);
  EXPECT_EQ(u[2], 0u);
  EXPECT_EQ(u[3], 64u % 10);
  EXPECT_EQ(u[4], 6u) << "0, then 9 down to 0 over and over: 64 steps end at 6";
  EXPECT_EQ(u[5], 63u);
  EXPECT_EQ(l[0], 64ull << 33);
  EXPECT_EQ(f[0], 32.0f);
  EXPECT_EQ(d[0], 16.0);
}

__global__ void bits(const int* in, unsigned int* out) {
  const int x = in[0];
  const auto u = static_cast<unsigned int>(x);
  out[0] = static_cast<unsigned int>(__popc(u));
  out[1] = static_cast<unsigned int>(__clz(x));
  out[2] = static_cast<unsigned int>(__ffs(x));
  out[3] = __brev(u);
  out[4] = static_cast<unsigned int>(__mul24(x, 3));
  out[5] = __umulhi(u, u);
  out[6] = __float_as_uint(__int_as_float(x));
  out[7] = __byte_perm(u, 0x11223344u, 0x7610);
  out[8] = __funnelshift_l(u, 1u, 8);
  out[9] = static_cast<unsigned int>(__clzll(static_cast<long long>(x)));
  out[10] = static_cast<unsigned int>(max(x, 5)) + static_cast<unsigned int>(min(x, 5));
  out[11] = static_cast<unsigned int>(__float2int_rn(2.5f) + 10 * __float2int_rz(2.9f) +
                                      100 * __float2int_ru(2.1f) + 1000 * __float2int_rd(2.9f));
}

TEST(Intrinsics, BitsAndIntegers) {
  Managed<int> in(1);
  Managed<unsigned int> out(12);
  in[0] = 0x00A5F00C;
  bits<<<1, 1>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::array<unsigned int, 12> want{
      10,
      8,
      3,
      0x300FA500,
      0x00A5F00Cu * 3 & 0xFFFFFFFF,
      static_cast<unsigned int>((uint64_t{0x00A5F00C} * 0x00A5F00C) >> 32),
      0x00A5F00C,
      0x1122F00C,
      0x00000100,
      40,
      0x00A5F00C + 5,
      2 + 20 + 300 + 2000};
  for (size_t i = 0; i < want.size(); ++i) {
    if (i == 4) continue;  // __mul24 takes the low 24 bits as a signed number; see below
    EXPECT_EQ(out[i], want[i]) << "row " << i;
  }
  const int low24 = static_cast<int>(0xA5F00Cu << 8) >> 8;
  EXPECT_EQ(static_cast<int>(out[4]), low24 * 3);
}

__global__ void mathematics(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float x = in[i];
  float* row = out + i * 12;
  row[0] = expf(x);
  row[1] = logf(fabsf(x) + 1e-3f);
  row[2] = sinf(x);
  row[3] = cosf(x);
  row[4] = tanhf(x);
  row[5] = powf(fabsf(x), 1.7f);
  row[6] = sqrtf(fabsf(x));
  row[7] = rsqrtf(fabsf(x) + 1);
  row[8] = std::exp(x * 0.5f);
  row[9] = exp2f(x);
  row[10] = floorf(x) + ceilf(x) + roundf(x) + truncf(x) + fmaxf(x, 1.0f) + fminf(x, 2.0f);
  row[11] = fmaf(x, x, 1.0f) + __fdividef(1.0f, x + 100) + __expf(x) * 0;
}

TEST(Intrinsics, MathematicsIsCloseToTheHosts) {
  constexpr int COUNT = 257;
  Managed<float> in(COUNT);
  Managed<float> out(COUNT * 12);
  for (int i = 0; i < COUNT; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i - 128) * 0.31f;
  mathematics<<<3, 128>>>(in.get(), out.get(), COUNT);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < COUNT; ++i) {
    const double x = in[static_cast<size_t>(i)];
    const double a = std::fabs(x);
    const std::array<double, 12> want{std::exp(x),
                                      std::log(static_cast<float>(a) + 1e-3f),
                                      std::sin(x),
                                      std::cos(x),
                                      std::tanh(x),
                                      std::pow(a, 1.7),
                                      std::sqrt(a),
                                      1 / std::sqrt(a + 1),
                                      std::exp(x * 0.5),
                                      std::exp2(x),
                                      std::floor(x) + std::ceil(x) + std::round(x) + std::trunc(x) +
                                          std::fmax(x, 1) + std::fmin(x, 2),
                                      x * x + 1 + 1 / (x + 100)};
    for (size_t k = 0; k < want.size(); ++k) {
      const double got = out[static_cast<size_t>(i) * 12 + k];
      EXPECT_NEAR(got, want[k], 4e-6 * std::fabs(want[k]) + 1e-7)
          << "function " << k << " of " << x;
    }
  }
}

__global__ void compositions(const float* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float x = in[i];
  float* row = out + i * 12;
  row[0] = coshf(x);
  row[1] = sinhf(x);
  row[2] = cbrtf(x);
  row[3] = hypotf(x, 3);
  row[4] = atan2f(x, -2);
  row[5] = atanf(x);
  row[6] = asinf(x / 50);
  row[7] = acosf(x / 50);
  row[8] = erff(x / 10);
  row[9] = fmodf(x * 1e20f, 0.7f);
  row[10] = ldexpf(x, -130);
  row[11] = static_cast<float>(lroundf(x) + isnan(x) + isinf(x) + (signbit(x) ? 1 : 0));
}

TEST(Intrinsics, ComposedMathematicsIsCloseToTheHosts) {
  constexpr int COUNT = 257;
  Managed<float> in(COUNT);
  Managed<float> out(COUNT * 12);
  for (int i = 0; i < COUNT; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i - 128) * 0.31f;
  compositions<<<3, 128>>>(in.get(), out.get(), COUNT);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < COUNT; ++i) {
    const float f = in[static_cast<size_t>(i)];
    const double x = f;
    const std::array<double, 12> want{
        std::cosh(x),        std::sinh(x),
        std::cbrt(x),        std::hypot(x, 3),
        std::atan2(x, -2),   std::atan(x),
        std::asin(f / 50),   std::acos(f / 50),
        std::erf(f / 10),    std::fmod(f * 1e20f, 0.7f),
        std::ldexp(x, -130), static_cast<double>(std::lround(x)) + (std::signbit(x) ? 1 : 0)};
    for (size_t k = 0; k < want.size(); ++k) {
      const double got = out[static_cast<size_t>(i) * 12 + k];
      EXPECT_NEAR(got, want[k], 4e-6 * std::fabs(want[k]) + 3e-7)
          << "function " << k << " of " << x;
    }
    EXPECT_EQ(out[static_cast<size_t>(i) * 12 + 9], std::fmod(f * 1e20f, 0.7f)) << "fmodf is exact";
  }
}

__global__ void powers(float* out) {
  out[0] = powf(-2.0f, 3.0f);
  out[1] = powf(-2.0f, 2.0f);
  out[2] = powf(-2.0f, 0.5f);
  out[3] = powf(0.0f, 0.0f);
  out[4] = expf(100.0f);
  out[5] = expf(-200.0f);
  out[6] = logf(0.0f);
  out[7] = expf(88.0f);
}

TEST(Intrinsics, MathematicsAtTheEdges) {
  Managed<float> out(8);
  powers<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], -8.0f);
  EXPECT_EQ(out[1], 4.0f);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], 1.0f);
  EXPECT_TRUE(std::isinf(out[4]));
  EXPECT_EQ(out[5], 0.0f);
  EXPECT_TRUE(std::isinf(out[6]) && out[6] < 0);
  EXPECT_NEAR(out[7] / std::exp(88.0), 1.0, 1e-6);
}

__global__ void cached_accesses(const float4* in, float4* out, const double* doubles) {
  const unsigned int i = threadIdx.x;
  float4 a = __ldg(&in[i]);
  const float4 b = __ldcs(&in[i]);
  a.x += b.x + __ldcg(&in[i].y) + static_cast<float>(__ldg(&doubles[i]));
  __stcs(&out[i], a);
}

TEST(Intrinsics, LoadsAndStoresWithCacheOperators) {
  Managed<float4> in(32);
  Managed<float4> out(32);
  Managed<double> doubles(32);
  for (size_t i = 0; i < 32; ++i) {
    const auto f = static_cast<float>(i);
    in[i] = make_float4(f, f + 1, f + 2, f + 3);
    doubles[i] = 0.5;
  }
  cached_accesses<<<1, 32>>>(in.get(), out.get(), doubles.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 32; ++i) {
    const auto f = static_cast<float>(i);
    EXPECT_EQ(out[i].x, f + f + f + 1 + 0.5f);
    EXPECT_EQ(out[i].w, f + 3);
  }
}

__global__ void staged(const float4* in, float4* out, int valid) {
  __shared__ float4 tile[64];
  const auto i = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(&tile[i], &in[i], 16, i < valid ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[63 - i];
}

TEST(Intrinsics, AsynchronousCopiesToSharedMemory) {
  Managed<float4> in(64);
  Managed<float4> out(64);
  for (size_t i = 0; i < 64; ++i) in[i] = make_float4(static_cast<float>(i), 1, 2, 3);
  staged<<<1, 64>>>(in.get(), out.get(), 60);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i].x, i < 4 ? 0.0f : static_cast<float>(63 - i)) << i;
    EXPECT_EQ(out[i].w, i < 4 ? 0.0f : 3.0f) << i;
  }
}

__global__ void say() {
  if (threadIdx.x == 1)
    printf("thread %u of %u: %.2f %s %lld\n", threadIdx.x, blockDim.x, 1.5, "text", 1ll << 40);
}

TEST(Intrinsics, Printf) {
  ::testing::internal::CaptureStdout();
  say<<<1, 2>>>();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "thread 1 of 2: 1.50 text 1099511627776\n");
}

// Reports name accesses by the user's line.

constexpr int INDEXED_LINE = __LINE__ + 1;
__global__ void indexed(const float* in, float* out) { out[threadIdx.x] = __ldg(&in[threadIdx.x]); }

TEST(Counters, NameTheUsersLineAndNotOneOfTheHeaders) {
  Managed<float> in(32);
  Managed<float> out(32);
  simulator::reset_counters();
  indexed<<<1, 32>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const simulator::Counters counters = simulator::counters();
  EXPECT_EQ(counters.launches, 1u);
  ASSERT_EQ(counters.accesses.size(), 2u);
  for (const simulator::AccessCounters& access : counters.accesses) {
    EXPECT_NE(access.where.file.find("runtime_test.cu"), std::string::npos) << access.where.file;
    EXPECT_EQ(access.where.line, INDEXED_LINE);
    EXPECT_EQ(access.sectors, 4u);
  }
}

__global__ void scale_and_add(const float* a, float beta, float* c) {
  c[threadIdx.x] = a[threadIdx.x] + beta * c[threadIdx.x];
}

// The origin of a NaN in C is unknown, but loads from C are counted.
TEST(Counters, TellWhichNamedBuffersWereLoaded) {
  Managed<float> a(32);
  Managed<float> c(32);
  simulator::current_device().memory.set_name(reinterpret_cast<uint64_t>(c.get()), "C");
  simulator::reset_counters();
  scale_and_add<<<1, 32>>>(a.get(), 0.0f, c.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::map<std::pair<simulator::Access, std::string>, uint64_t> lanes;
  for (const auto& row : simulator::counters().accesses)
    lanes[{row.access, row.buffer}] += row.lanes;
  EXPECT_EQ((lanes[{simulator::Access::global_load, "C"}]), 32u);
  EXPECT_EQ((lanes[{simulator::Access::global_store, "C"}]), 32u);
  EXPECT_EQ(lanes.size(), 3u) << "and a, which nobody named";
}

template <int ROWS>
__global__ void through_shared(float* out) {
  __shared__ float fixed[ROWS][32];
  extern __shared__ float chosen[];
  fixed[threadIdx.x / 32][threadIdx.x % 32] = static_cast<float>(threadIdx.x);
  __syncthreads();
  chosen[threadIdx.x] = fixed[ROWS - 1 - threadIdx.x / 32][threadIdx.x % 32];
  __syncthreads();
  out[threadIdx.x] = chosen[threadIdx.x ^ 1];
}

TEST(Counters, KnowWhatEachKernelLaunchedTakesOfAMultiprocessor) {
  Managed<float> out(128);
  through_shared<2><<<1, 64, 512>>>(out.get());
  simulator::reset_counters();
  EXPECT_TRUE(simulator::kernels_used().empty()) << "of what was launched before";
  for (int i = 0; i < 3; ++i) through_shared<2><<<dim3(2, 3), 64, 512>>>(out.get());
  through_shared<4><<<1, dim3(32, 4), 100000 - 512>>>(out.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "more than without opting in";
  through_shared<4><<<1, dim3(32, 4), 40000>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<simulator::KernelUse> used = simulator::kernels_used();
  ASSERT_EQ(used.size(), 2u) << "one row for launches that were alike, none for a refused one";
  EXPECT_NE(used[0].kernel.find("through_shared<2>"), std::string::npos) << used[0].kernel;
  EXPECT_EQ(used[0].grid, (simulator::Dim3{2, 3, 1}));
  EXPECT_EQ(used[0].block, (simulator::Dim3{64, 1, 1}));
  EXPECT_EQ(used[0].dynamic_shared_bytes, 512u);
  EXPECT_EQ(used[0].shared_bytes, 512u + 256u);
  EXPECT_EQ(used[0].blocks_per_multiprocessor, 32);
  EXPECT_GT(used[0].registers_per_thread, 0);
  EXPECT_EQ(used[1].shared_bytes, 40000u + 512u);
  EXPECT_EQ(used[1].blocks_per_multiprocessor, 5) << "228 KiB hold five of 40,512 and 1,024 bytes";
}

}  // namespace

// Assumptions that clang may make from C++ and a device does not. The language leaves this code undefined, and nvcc
// compiles it as it is written (seen in nvcc 13.0's PTX). simcc has the list of clang's options for it.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "test/support/managed.hpp"

#pragma clang diagnostic ignored "-Wreturn-type"
#pragma clang diagnostic ignored "-Wtautological-undefined-compare"
#pragma clang diagnostic ignored "-Wundefined-bool-conversion"
#pragma clang diagnostic ignored "-Wuninitialized"
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#pragma clang diagnostic ignored "-Wconditional-uninitialized"

namespace {

using simulator::test::Managed;

// Reaches its end without a return if x is not positive. It goes on, and may give anything.
__device__ int only_if_positive(int x) {
  if (x > 0) return 1;
}
__device__ __noinline__ int only_if_positive_called(int x) {
  if (x > 0) return 1;
}

__global__ void no_return(int* out, int x) {
  out[0] = only_if_positive(x);
  out[1] = only_if_positive_called(x);
  if (x <= 0) out[2] = 7;
}

TEST(Assumptions, AnEndWithoutAReturnIsReached) {
  Managed<int> out(3);
  no_return<<<1, 1>>>(out.get(), -1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[2], 7);
}

struct Number {
  int value;
  __device__ __noinline__ int get() { return this ? value : -1; }
};
__device__ __noinline__ int get(int& reference) { return &reference ? reference : -2; }

__global__ void through_null(int* out, Number* number, int* place) {
  out[0] = number->get();
  out[1] = get(*place);
}

TEST(Assumptions, ThisAndReferencesMayBeNull) {
  Managed<int> out(2);
  through_null<<<1, 1>>>(out.get(), nullptr, nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], -2);
}

__global__ void store_to_null(int* out) {
  int* const nowhere = nullptr;
  out[0] = 1;
  *nowhere = 2;
}

// The store does not empty the kernel either.
TEST(Assumptions, AStoreToNullIsOne) {
  int* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, sizeof(int)), cudaSuccess);
  store_to_null<<<1, 1>>>(out);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
}

__global__ void branch_on_anything(int* next, int* out, int n) {
  int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(next, 1);
  if (ticket < n) out[threadIdx.x] = 1;
}

// The other lanes may do anything, except draw tickets.
TEST(Assumptions, ABranchOnWhatIsNotSetProvesNothing) {
  Managed<int> next(1);
  Managed<int> out(32);
  next[0] = 0;
  branch_on_anything<<<1, 32>>>(next.get(), out.get(), 5);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(next[0], 1);
  EXPECT_EQ(out[0], 1);
}

__device__ __noinline__ bool choose(bool is_set, int* next) {
  bool flag;
  if (is_set) flag = atomicAdd(next, 1) == 0;
  return flag;
}

__device__ __noinline__ int second(bool, int value) { return value; }

__global__ void hand_on(int* out) {
  bool never;
  out[0] = 1;
  out[0] = second(never, 5);
}

__global__ void vote(int* next, int* out) {
  const bool mine = choose(threadIdx.x == 0, next);
  const bool first = __shfl_sync(0xffffffff, mine, 0);
  if (first) atomicAdd(out, 1);
}

TEST(Assumptions, ABoolNeedNotBeSetEither) {
  Managed<int> next(1);
  Managed<int> out(1);
  next[0] = out[0] = 0;
  vote<<<1, 32>>>(next.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(next[0], 1);
  EXPECT_EQ(out[0], 32);
  hand_on<<<1, 1>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 5);
}

// `__shared__ alignas(16)`: clang itself takes alignas only at the beginning.
template <typename T>
__global__ void aligned_in_shared(unsigned long long* remainders) {
  __shared__ char odd[3];
  __shared__ alignas(16) float by_number[5];
  __shared__ alignas(T) char by_type[16];
  alignas(2 * 32) __shared__ float in_front[5];
  __shared__ alignas(8) alignas(128) char twice[1];
  odd[threadIdx.x] = twice[0] = 1;
  by_number[threadIdx.x] = in_front[threadIdx.x] = 1;
  by_type[threadIdx.x] = odd[threadIdx.x];
  __syncwarp();
  remainders[0] = reinterpret_cast<size_t>(by_number) % 16;
  remainders[1] = reinterpret_cast<size_t>(by_type) % alignof(T);
  remainders[2] = reinterpret_cast<size_t>(in_front) % 64;
  remainders[3] = reinterpret_cast<size_t>(twice) % 128;
}

template <size_t bytes>
struct alignas(bytes) Aligned {
  float v[4];
};
struct alignas(double4) AlignedAsType {
  char v;
};
static_assert(alignof(Aligned<64>) == 64 && alignof(AlignedAsType) == alignof(double4));

TEST(Assumptions, AlignasStandsBehindShared) {
  Managed<unsigned long long> remainders(4);
  aligned_in_shared<float4><<<1, 1>>>(remainders.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(remainders[i], 0u) << i;
}

}  // namespace

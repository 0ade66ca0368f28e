// Accesses past one __shared__ array into the memory beside it. The block's shared memory is large enough, so a device
// reads the other array's elements.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::HazardKind;
using simulator::test::Managed;

class SharedArrays : public simulator::test::HazardTest {
 protected:
  SharedArrays() : HazardTest(__FILE__, {HazardKind::beyond_array}) {}
};

// Has one array after the other, in either order.
__global__ void two_arrays(int* out, int shift) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = threadIdx.x;
  second[threadIdx.x] = 100 + threadIdx.x;
  __syncthreads();
  int sum = 0;
  if (threadIdx.x + shift < 64) sum += first[threadIdx.x + shift];                 // mark: first
  if (static_cast<int>(threadIdx.x) >= shift) sum += second[threadIdx.x - shift];  // mark: second
  out[threadIdx.x] = sum;
}

__global__ void before_and_behind(int* out, int from) {
  __shared__ int before[32], middle[32], behind[32];
  before[threadIdx.x] = 1;
  behind[threadIdx.x] = 3;
  middle[threadIdx.x] = 2;
  __syncthreads();
  const int mine = middle[static_cast<int>(threadIdx.x) + from];  // mark: middle
  out[threadIdx.x] = mine + before[threadIdx.x] + behind[threadIdx.x];
}

TEST_F(SharedArrays, AnIndexPastTheEndReachesTheNextArray) {
  const Managed<int> out(32);
  before_and_behind<<<2, 32>>>(out.get(), 1);
  expect_one(
      HazardKind::beyond_array, "middle",
      {"middle has 128 bytes", "reaches its byte 128", "thread (31, 0, 0) of block (0, 0, 0)",
       "byte 0 of behind", "middle (32 elements of 4 bytes)"});
  EXPECT_EQ(out[31], 3 + 1 + 3) << "the access goes on";
}

TEST_F(SharedArrays, ANegativeIndexReachesTheArrayBefore) {
  const Managed<int> out(32);
  before_and_behind<<<2, 32>>>(out.get(), -2);
  expect_one(HazardKind::beyond_array, "middle",
             {"middle has 128 bytes", "8 bytes before its first",
              "thread (0, 0, 0) of block (0, 0, 0)", "byte 120 of before"});
}

TEST_F(SharedArrays, AnIndexWithinIsNone) {
  const Managed<int> out(32);
  before_and_behind<<<2, 32>>>(out.get(), 0);
  expect_none();
}

__global__ void stores_and_atomics(int which, int at) {
  __shared__ int low[32], high[32];
  low[threadIdx.x] = high[threadIdx.x] = 0;
  __syncthreads();
  if (which == 0 && threadIdx.x == 0) low[at] = 5;             // mark: store
  if (which == 1 && threadIdx.x == 0) atomicAdd(&low[at], 5);  // mark: atomic
  __syncthreads();
  if (which == 2) low[threadIdx.x] = high[threadIdx.x];
}

TEST_F(SharedArrays, StoresAndAtomicsAreSeenToo) {
  stores_and_atomics<<<1, 32>>>(0, 33);
  expect_one(HazardKind::beyond_array, "store", {"low has 128 bytes", "byte 4 of high"});
  stores_and_atomics<<<1, 32>>>(1, 32);
  expect_one(HazardKind::beyond_array, "atomic", {"low has 128 bytes", "byte 0 of high"});
  stores_and_atomics<<<1, 32>>>(0, 31);
  stores_and_atomics<<<1, 32>>>(1, 31);
  expect_none();
}

__global__ void asynchronous(const int* in, int* out, int at) {
  __shared__ int target[16], other[16];
  target[threadIdx.x] = other[threadIdx.x] = 0;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&target[at]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(in));  // mark: copy
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[threadIdx.x] = target[threadIdx.x] + other[threadIdx.x];
}

TEST_F(SharedArrays, ACopyIsSeenAtItsInstruction) {
  const Managed<int> in(1), out(16);
  asynchronous<<<1, 16>>>(in.get(), out.get(), 16);
  expect_one(HazardKind::beyond_array, "copy", {"target has 64 bytes", "byte 0 of other"});
}

__global__ void static_and_dynamic(int* out, int at) {
  __shared__ int fixed[8];
  extern __shared__ int dynamic[];
  if (threadIdx.x < 8) fixed[threadIdx.x] = 1;
  dynamic[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x];
  if (threadIdx.x == 3) out[threadIdx.x] += fixed[at];  // mark: fixed
}

TEST_F(SharedArrays, TheDynamicPartIsAnArrayOfItsOwn) {
  const Managed<int> out(32);
  static_and_dynamic<<<1, 32, 128>>>(out.get(), 9);
  expect_one(HazardKind::beyond_array, "fixed", {"fixed has 32 bytes", "byte 4 of dynamic"});
  static_and_dynamic<<<1, 32, 128>>>(out.get(), 7);
  expect_none();
}

struct Pair {
  int left[8], right[8];
};

__device__ int value_at(const int* array, int i) { return array[i]; }

// The address does not tell the array: the second of two, a member's neighbour, parts of the dynamic memory.
__global__ void of_either(int* out, int n) {
  __shared__ int small[8], large[64];
  __shared__ Pair pair;
  extern __shared__ int carved[];
  int* const upper = carved + n;
  large[threadIdx.x] = large[threadIdx.x + 32] = threadIdx.x;
  if (threadIdx.x < 8) small[threadIdx.x] = pair.left[threadIdx.x] = pair.right[threadIdx.x] = 1;
  carved[threadIdx.x] = upper[threadIdx.x] = 4;
  __syncthreads();
  const int* const some = n > 40 ? small : large;
  int sum = value_at(some, threadIdx.x + n) + value_at(pair.left, n / 2 - 8);
  for (int* p = carved; p != upper + n; ++p) sum += *p;
  for (int i = 0; i < n; ++i) sum += large[(threadIdx.x ^ i) % 64];
  out[threadIdx.x] = sum;
}

TEST_F(SharedArrays, NothingIsSaidWhereTheArrayIsNotCertain) {
  const Managed<int> out(32);
  of_either<<<1, 32, 64 * sizeof(int)>>>(out.get(), 32);
  expect_none();
}

TEST_F(SharedArrays, NamesOfTemplatesAndScopesAreShort) {
  const Managed<int> out(32);
  two_arrays<<<1, 32>>>(out.get(), 0);
  expect_none();
  two_arrays<<<1, 32>>>(out.get(), 3);
  const auto hazards = found();
  ASSERT_FALSE(hazards.empty());
  for (const auto& hazard : hazards) {
    const bool is_first = hazard.where.line == line_of("first");
    EXPECT_EQ(hazard.where.line, line_of(is_first ? "first" : "second"));
    const std::string name = is_first ? "first" : "second";
    EXPECT_NE(hazard.message.what.find(": " + name + " has 128 bytes"), std::string::npos)
        << hazard.message.text();
  }
}

}  // namespace

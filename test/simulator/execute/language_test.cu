// The idioms of CUDA programs that learners write, and arithmetic in every width. The same function computes each
// result on the host, and both must be equal bit for bit.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "simulator/runtime/api/diagnostics.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::test::Managed;

// Idioms.

__global__ void sum_of_64(const int* in, int* out) {
  __shared__ volatile int s[64];
  const unsigned int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {  // the old way: the last warp in lockstep on volatile memory, without barriers
    s[t] += s[t + 32];
    for (unsigned int width = 16; width > 0; width /= 2) s[t] += s[t + width];
  }
  if (t == 0) *out = s[0];
}

TEST(Idioms, ReductionOverVolatileSharedMemory) {
  Managed<int> in(64);
  Managed<int> out(1);
  for (size_t i = 0; i < 64; ++i) in[i] = static_cast<int>(i * i);
  sum_of_64<<<1, 64>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 63 * 64 * 127 / 6);
}

template <typename Function>
__global__ void transform(float* x, int n, Function function) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[i] = function(x[i], i);
}

TEST(Idioms, ALambdaOfTheDevice) {
  Managed<float> x(100);
  const float factor = 3;
  transform<<<2, 64>>>(
      x.get(), 100, [=] __device__(float v, int i) { return v + factor * static_cast<float>(i); });
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(x[i], 3 * static_cast<float>(i));
}

// Properties that the device takes over from the host: the sign of a plain char (none on aarch64), and layout.
struct Plain {
  char c;
  wchar_t w;
  bool b;
  long l;
  double d;
};
__global__ void look_at_types(const char* c, int* out) {
  out[0] = *c;
  out[1] = static_cast<wchar_t>(-1) < 0;
  out[2] = sizeof(Plain);
  out[3] = offsetof(Plain, l);
}

TEST(Idioms, PlainTypesAreThoseOfTheHost) {
  Managed<char> c(1);
  Managed<int> out(4);
  c[0] = static_cast<char>(0x80);
  look_at_types<<<1, 1>>>(c.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], c[0]);
  EXPECT_EQ(out[1], static_cast<wchar_t>(-1) < 0);
  EXPECT_EQ(out[2], static_cast<int>(sizeof(Plain)));
  EXPECT_EQ(out[3], static_cast<int>(offsetof(Plain, l)));
}

// Computes Blelloch's exclusive scan of 2 * blockDim.x numbers in shared memory, up the tree and down again.
__global__ void scan(int* data) {
  extern __shared__ int tree[];
  const unsigned int t = threadIdx.x;
  const unsigned int n = 2 * blockDim.x;
  tree[2 * t] = data[2 * t];
  tree[2 * t + 1] = data[2 * t + 1];
  unsigned int step = 1;
  for (unsigned int nodes = n / 2; nodes > 0; nodes /= 2, step *= 2) {
    __syncthreads();
    if (t < nodes) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
  }
  if (t == 0) tree[n - 1] = 0;
  for (unsigned int nodes = 1; nodes < n; nodes *= 2) {
    step /= 2;
    __syncthreads();
    if (t < nodes) {
      const unsigned int left = step * (2 * t + 1) - 1;
      const unsigned int right = step * (2 * t + 2) - 1;
      const int of_left = tree[left];
      tree[left] = tree[right];
      tree[right] += of_left;
    }
  }
  __syncthreads();
  data[2 * t] = tree[2 * t];
  data[2 * t + 1] = tree[2 * t + 1];
}

TEST(Idioms, ScanInSharedMemory) {
  Managed<int> data(256);
  for (size_t i = 0; i < 256; ++i) data[i] = static_cast<int>(i % 11);
  scan<<<1, 128, 256 * sizeof(int)>>>(data.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  int sum = 0;
  for (size_t i = 0; i < 256; ++i) {
    ASSERT_EQ(data[i], sum) << i;
    sum += static_cast<int>(i % 11);
  }
}

__global__ void transpose(float* out, const float* in, int width) {
  __shared__ float tile[32][33];
  int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  int y = static_cast<int>(blockIdx.y * 32 + threadIdx.y);
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = static_cast<int>(blockIdx.y * 32 + threadIdx.x);
  y = static_cast<int>(blockIdx.x * 32 + threadIdx.y);
  for (int j = 0; j < 32; j += 8) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

TEST(Idioms, TransposeThroughAPaddedTile) {
  Managed<float> in(64 * 64);
  Managed<float> out(64 * 64);
  for (size_t i = 0; i < 64 * 64; ++i) in[i] = static_cast<float>(i);
  transpose<<<dim3(2, 2), dim3(32, 8)>>>(out.get(), in.get(), 64);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t y = 0; y < 64; ++y) {
    for (size_t x = 0; x < 64; ++x) ASSERT_EQ(out[y * 64 + x], in[x * 64 + y]);
  }
}

__global__ void last_block_finishes(unsigned int* finished, unsigned int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) *out = blockIdx.x + 1;
}

TEST(Idioms, TheLastBlockFinishes) {
  Managed<unsigned int> finished(1);
  Managed<unsigned int> out(1);
  last_block_finishes<<<50, 32>>>(finished.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(finished[0], 50u);
  EXPECT_GE(out[0], 1u);
}

__global__ void collatz(int* steps) {
  int length = 0;
  for (unsigned int v = threadIdx.x + 1; v != 1; v = v % 2 == 1 ? 3 * v + 1 : v / 2) ++length;
  steps[threadIdx.x] = length;
}

TEST(Idioms, LoopsOfAnotherLengthInEveryLane) {
  Managed<int> steps(64);
  collatz<<<1, 64>>>(steps.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[5], 8);
  EXPECT_EQ(steps[26], 111);
}

__global__ void indexed_registers(const int* in, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = k * i;
  int result = 0;
  switch (in[i] % 5) {
    case 0:
      result = 10;
      break;
    case 1:
    case 2:
      result = 30;
      break;
    case 3:
      result = in[i] / 3;
      break;
    default:
      result = -1;
  }
  out[i] = result + local[in[i] & 7];
}

TEST(Idioms, AnArrayIndexedAtRunTimeAndASwitch) {
  Managed<int> in(64);
  Managed<int> out(64);
  for (size_t i = 0; i < 64; ++i) in[i] = static_cast<int>(i * 7 % 64);
  indexed_registers<<<1, 64>>>(in.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 64; ++i) {
    const int v = in[static_cast<size_t>(i)];
    const int result[] = {10, 30, 30, v / 3, -1};
    ASSERT_EQ(out[static_cast<size_t>(i)], result[v % 5] + (v & 7) * i) << i;
  }
}

// Intrinsics, compared with the same computation on the host.

__global__ void match(const double* values, unsigned* any, unsigned* all, int* same) {
  any[threadIdx.x] = __match_any_sync(~0u, values[threadIdx.x]);
  all[threadIdx.x] = __match_all_sync(~0u, values[threadIdx.x / 32], &same[threadIdx.x]);
}

TEST(Intrinsics, MatchesOfDoubles) {
  Managed<double> values(32);
  Managed<unsigned> any(32);
  Managed<unsigned> all(32);
  Managed<int> same(32);
  for (size_t i = 0; i < 32; ++i) values[i] = static_cast<double>(i % 4) * 1e10;
  match<<<1, 32>>>(values.get(), any.get(), all.get(), same.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(any[i], 0x11111111u << i % 4);
    EXPECT_EQ(all[i], ~0u);
    EXPECT_NE(same[i], 0);
  }
}

__global__ void simd(unsigned a, unsigned b, unsigned* out) {
  const unsigned results[] = {
      __vadd4(a, b),    __vsub2(a, b),      __vaddss4(a, b),    __vsubus2(a, b), __vavgu4(a, b),
      __vavgs2(a, b),   __vabsdiffu4(a, b), __vabsdiffs2(a, b), __vmaxs4(a, b),  __vminu2(a, b),
      __vcmpgtu4(a, b), __vcmples2(a, b),   __vseteq4(a, b),    __vabsss4(a),    __vneg2(a),
      __vsadu4(a, b),   __vsads2(a, b),     __vhaddu4(a, b),    __vaddus4(a, b), __vsubss2(a, b),
  };
  for (int i = 0; i < 20; ++i) out[i] = results[i];
}

TEST(Intrinsics, SimdWithinAWord) {
  Managed<unsigned> out(20);
  simd<<<1, 1>>>(0x807f01ff, 0x80010203, out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const unsigned want[] = {
      0x00800302, 0x007efffc, 0x807f0302, 0x007e0000,  //
      0x80400281, 0x80400201, 0x007e01fc, 0x007e0004,  //
      0x807f0203, 0x800101ff, 0x00ff00ff, 0x0000ffff,  //
      0x01000000, 0x7f7f0101, 0x7f81fe01, 0x0000017b,  //
      0x00000082, 0x80400181, 0xff8003ff, 0x007efffc,
  };
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(out[i], want[i]) << std::hex << i << ' ' << out[i];
}

__global__ void narrow_loads(const signed char* bytes, short4* halves, uchar4* out) {
  const int t = static_cast<int>(threadIdx.x);
  halves[t] = short4{__ldg(bytes + t), __ldcs(bytes + t), 0, 0};
  const short4 read = __ldcg(halves + t);
  const uchar4 quad = __ldcv(reinterpret_cast<const uchar4*>(bytes) + t / 4);
  __stcs(out + t, uchar4{static_cast<unsigned char>(read.x), static_cast<unsigned char>(read.y),
                         quad.x, quad.w});
}

TEST(Intrinsics, LoadsOfBytesAndHalves) {
  Managed<signed char> bytes(32);
  Managed<short4> halves(32);
  Managed<uchar4> out(32);
  for (size_t i = 0; i < 32; ++i) bytes[i] = static_cast<signed char>(5 - static_cast<int>(i) * 3);
  narrow_loads<<<1, 32>>>(bytes.get(), halves.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(halves[i].x, bytes[i]);
    EXPECT_EQ(out[i].y, static_cast<unsigned char>(bytes[i]));
    EXPECT_EQ(out[i].z, static_cast<unsigned char>(bytes[i / 4 * 4]));
    EXPECT_EQ(out[i].w, static_cast<unsigned char>(bytes[i / 4 * 4 + 3]));
  }
}

__global__ void atomics(unsigned short* halves, float2* pair, int* count, unsigned* ring) {
  const unsigned short mine = static_cast<unsigned short>(threadIdx.x);
  atomicCAS(halves + mine % 2, static_cast<unsigned short>(0), static_cast<unsigned short>(7));
  atomicAdd(pair, float2{1, 0.5f});
  atomicSub_system(count, 2);
  atomicInc_block(ring, 4);
}

TEST(Intrinsics, AtomicsOfEveryScopeAndWidth) {
  Managed<unsigned short> halves(3);
  Managed<float2> pair(1);
  Managed<int> count(1);
  Managed<unsigned> ring(1);
  halves[1] = 3;
  atomics<<<2, 32>>>(halves.get(), pair.get(), count.get(), ring.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(halves[0], 7);
  EXPECT_EQ(halves[1], 3);
  EXPECT_EQ(halves[2], 0);
  EXPECT_EQ(pair[0].x, 64);
  EXPECT_EQ(pair[0].y, 32);
  EXPECT_EQ(count[0], -128);
  EXPECT_EQ(ring[0], 64u % 5);
}

__global__ void add_in_two_memories(float* sums, float added, bool is_shared_first) {
  __shared__ float shared[32];
  const int lane = static_cast<int>(threadIdx.x);
  shared[lane] = 0;
  float* const address = (lane % 2 == 0) == is_shared_first ? &shared[lane] : &sums[lane];
  atomicAdd(address, added);
  __syncwarp();
  if ((lane % 2 == 0) == is_shared_first) sums[lane] = shared[lane];
}

// A subnormal number stays in shared memory and becomes zero in global memory (docs/simulator.md). Lanes of one instruction differ.
TEST(Intrinsics, AtomicsAddAsTheMemoryOfEachLaneDoes) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  Managed<float> sums(32);
  for (const int first : {0, 1}) {
    for (size_t i = 0; i < 32; ++i) sums[i] = 0;
    add_in_two_memories<<<1, 32>>>(sums.get(), tiny, first == 0);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (size_t i = 0; i < 32; ++i)
      EXPECT_EQ(sums[i], static_cast<int>(i % 2) == first ? tiny : 0.0f) << i;
  }
}

// Cooperative groups.

namespace cg = cooperative_groups;

struct Large {
  double a;
  int b[3];
};

__global__ void groups(int* out) {
  const auto block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const auto four = cg::tiled_partition<4>(warp);
  const int rank = static_cast<int>(block.thread_rank());
  int* const mine = out + 8 * rank;
  mine[0] = cg::inclusive_scan(warp, rank);
  mine[1] = cg::exclusive_scan(four, 1, cg::plus<int>());
  mine[2] = static_cast<int>(four.meta_group_rank() * 100 + four.meta_group_size());
  const cg::coalesced_group third = cg::labeled_partition(warp, rank % 3);
  mine[3] = cg::reduce(third, rank, cg::bit_or<int>());
  mine[4] = static_cast<int>(third.size() * 100 + third.thread_rank());
  const Large received = warp.shfl(Large{rank * 0.5, {rank, rank + 1, rank + 2}}, 9);
  mine[5] = static_cast<int>(received.a * 2) + received.b[2];
  const cg::thread_group eight = cg::tiled_partition(block, 8);
  eight.sync();
  mine[6] = static_cast<int>(eight.size() * 100 + eight.thread_rank());
  mine[7] = static_cast<int>(cg::this_grid().thread_rank());
}

TEST(CooperativeGroups, PartsOfABlock) {
  Managed<int> out(8 * 64);
  groups<<<1, 64>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int rank = 0; rank < 64; ++rank) {
    const int* const mine = out.get() + 8 * rank;
    const int first = rank / 32 * 32;
    int scan = 0;
    int bits = 0;
    int members = 0;
    int below = 0;
    for (int other = first; other < first + 32; ++other) {
      if (other <= rank) scan += other;
      if (other % 3 != rank % 3) continue;
      bits |= other;
      ++members;
      if (other < rank) ++below;
    }
    EXPECT_EQ(mine[0], scan);
    EXPECT_EQ(mine[1], rank % 4);
    EXPECT_EQ(mine[2], rank % 32 / 4 * 100 + 8);
    EXPECT_EQ(mine[3], bits);
    EXPECT_EQ(mine[4], members * 100 + below);
    EXPECT_EQ(mine[5], 2 * (first + 9) + 2);
    EXPECT_EQ(mine[6], 800 + rank % 8);
    EXPECT_EQ(mine[7], rank);
  }
}

// Memory in kernels.

__global__ void copy_bytes(char* to, const char* from, int bytes) {
  memcpy(to, from, static_cast<size_t>(bytes));
  std::memset(to + bytes, 'x', static_cast<size_t>(bytes) / 2);
}

TEST(MemoryInKernels, CopiesOfASizeKnownAtRunTime) {
  Managed<char> from(64);
  Managed<char> to(64);
  for (size_t i = 0; i < 64; ++i) from[i] = static_cast<char>('a' + i % 26);
  copy_bytes<<<1, 1>>>(to.get() + 1, from.get() + 3, 21);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(to[0], 0);
  for (size_t i = 0; i < 21; ++i) EXPECT_EQ(to[1 + i], from[3 + i]);
  for (size_t i = 22; i < 32; ++i) EXPECT_EQ(to[i], 'x');
  EXPECT_EQ(to[32], 0);
}

__global__ void use_heap(int* sums, int* failures) {
  const int count = static_cast<int>(threadIdx.x % 5) + 1;
  int* const mine = new int[static_cast<size_t>(count)];
  for (int i = 0; i < count; ++i) mine[i] = count * i;
  sums[threadIdx.x] = mine[count - 1];
  delete[] mine;
  if (malloc(size_t{1} << 40) == nullptr) atomicAdd(failures, 1);
}
__global__ void overrun_heap(int* out) {
  int* const mine = static_cast<int*>(malloc(8));
  out[0] = mine[static_cast<unsigned>(out[0]) + 2];
}
__global__ void free_twice(char** p) {
  free(*p);
  free(*p);
}
__global__ void read_on_after_free(char** p, int* out) {
#pragma unroll 1  // one instruction, which has found the place before
  for (int i = 0; i < 2; ++i) {
    *out += *static_cast<volatile char*>(*p);
    free(i == 0 ? *p : nullptr);
  }
}
__global__ void keep(char** p) { *p = static_cast<char*>(malloc(3)); }

TEST(MemoryInKernels, TheHeapIsCheckedByteByByte) {
  Managed<int> sums(64);
  Managed<int> failures(1);
  use_heap<<<1, 64>>>(sums.get(), failures.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(sums[static_cast<size_t>(t)], (t % 5 + 1) * (t % 5));
  }
  EXPECT_EQ(failures[0], 64);

  simulator::set_fault_output(false);
  failures[0] = 0;
  overrun_heap<<<1, 1>>>(failures.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  simulator::clear_fault();
  Managed<char*> kept(1);
  keep<<<1, 1>>>(kept.get());
  free_twice<<<1, 1>>>(kept.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  simulator::clear_fault();
  keep<<<1, 1>>>(kept.get());
  read_on_after_free<<<1, 1>>>(kept.get(), failures.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  simulator::clear_fault();
  simulator::set_fault_output(true);
}

__managed__ int managed_count = 40;
__device__ __managed__ double managed_table[3] = {1, 2};

__global__ void use_managed() {
  atomicAdd(&managed_count, 2);
  managed_table[2] = managed_table[0] + managed_table[1];
}

TEST(MemoryInKernels, ManagedVariablesAreTheHostsToo) {
  EXPECT_EQ(managed_count, 40);
  managed_table[0] = 5;
  use_managed<<<1, 1>>>();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(managed_count, 42);
  EXPECT_EQ(managed_table[2], 7);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed_table), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, managed_count), cudaSuccess);
  EXPECT_EQ(address, &managed_count);
  EXPECT_EQ(cudaHostUnregister(&managed_count), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

__global__ void double_all(int* p) { p[threadIdx.x] *= 2; }

TEST(MemoryInKernels, HostMemoryCanBeRegistered) {
  int mine[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(cudaHostRegister(mine, sizeof mine, cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(mine + 7, 4, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  int* device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, mine, 0), cudaSuccess);
  double_all<<<1, 8>>>(device);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(mine[7], 16);
  EXPECT_EQ(cudaFreeHost(mine), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(mine), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(mine), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, mine, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Launch, WithAConfiguration) {
  Managed<int> p(64);
  for (size_t i = 0; i < 64; ++i) p[i] = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  ASSERT_EQ(cudaLaunchKernelEx(&config, double_all, p.get()), cudaSuccess);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(cudaLaunchKernelEx(&config, double_all, p.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(p[63], 4);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelEx(&config, double_all, p.get()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(p[63], 4);
  EXPECT_EQ(cudaLaunchKernelExC(nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  cudaGetLastError();
}

// Calls that cannot be folded into their callers.

__host__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__host__ __device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

// The depth decides which of the two functions answers. Each adds to the other's result.
__host__ __device__ int of_odd(int n, int seed);
__host__ __device__ int of_even(int n, int seed) {
  return n == 0 ? seed : 3 * of_odd(n - 1, seed ^ n) + 1;
}
__host__ __device__ int of_odd(int n, int seed) {
  return n == 0 ? -seed : of_even(n - 1, seed + n) - 7 * of_even(n / 2, seed);
}

// Leaves a mark for each depth in an array of the outermost call, and keeps an array in each call.
__host__ __device__ int mark(int* marks, int depth, int lane) {
  int own[4] = {depth, lane, depth * lane, 1};
  if (depth <= 0) return own[lane & 3];
  const int below = mark(marks, depth - 1 - (lane & 1) * (depth & 1), lane);
  marks[depth & 7] += own[(depth + below) & 3];
  return below + own[(lane + marks[depth & 7]) & 3];
}
__host__ __device__ int marked(int lane) {
  int marks[8] = {};
  const int sum = mark(marks, lane % 11, lane);
  unsigned digest = static_cast<unsigned>(sum);
  for (int i = 0; i < 8; ++i) {
    digest = digest * 31 + static_cast<unsigned>(marks[(i + lane) & 7]);
  }
  return static_cast<int>(digest);
}

// Has loops, early returns, and calls in a condition.
__host__ __device__ int wander(int x, int depth) {
  int sum = x;
  for (int i = 0; i < x % 4; ++i) {
    if (sum % 7 == 3) return sum;
    sum += depth > 0 && wander(x + i, depth - 1) % 2 == 0 ? wander(x / 2 + i, depth - 1) : i;
  }
  return sum + depth;
}

// Ends with a recursive call, whose result is not its own result.
__host__ __device__ __attribute__((noinline)) int from_inside(int n) {
  return n % 3 == 0 ? n : 100 - fibonacci(n % 9);
}

constexpr int RECURSIONS = 6;
__host__ __device__ int recursion(int kind, int lane) {
  switch (kind) {
    case 0:
      return fibonacci(lane % 13);
    case 1:
      return ackermann(2, lane % 7);
    case 2:
      return lane % 3 == 0 ? of_even(lane % 10, lane) : of_odd(lane % 9, lane);
    case 3:
      return marked(lane);
    case 4:
      return wander(lane, 4);
    default:
      return from_inside(lane) + 10 * from_inside(lane + 1);
  }
}

__global__ void recursions(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  for (int kind = 0; kind < RECURSIONS; ++kind) out[t * RECURSIONS + kind] = recursion(kind, t);
}

TEST(Calls, RecursionIsTheHosts) {
  constexpr int THREADS = 75;
  Managed<int> out(THREADS * RECURSIONS);
  recursions<<<1, THREADS>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < THREADS; ++t) {
    for (int kind = 0; kind < RECURSIONS; ++kind) {
      EXPECT_EQ(out[static_cast<size_t>(t * RECURSIONS + kind)], recursion(kind, t))
          << "thread " << t << ", kind " << kind;
    }
  }
}

__global__ void meet_after_recursion(int* out) {
  __shared__ int found[64];
  const int t = static_cast<int>(threadIdx.x);
  found[t] = fibonacci(t % 8);
  __syncwarp();
  const int neighbour = found[t ^ 1];
  const unsigned together = __activemask();
  __syncthreads();
  out[t] = neighbour + found[63 - t] + __shfl_xor_sync(~0u, found[t], 4) * 1000 +
           (together == ~0u ? 1000000 : 0);
}

TEST(Calls, LanesAreTogetherAgainBehindARecursion) {
  Managed<int> out(64);
  meet_after_recursion<<<1, 64>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(out[static_cast<size_t>(t)], fibonacci((t ^ 1) % 8) + fibonacci((63 - t) % 8) +
                                               fibonacci((t ^ 4) % 8) * 1000 + 1000000)
        << t;
  }
}

// Calls a barrier of the warp at several depths at once. Some lanes end within a callee.
__device__ int sum_of_warp(int lane, int depth) {
  __syncwarp();
  const int sum = __reduce_add_sync(~0u, lane);
  return depth == 0 ? sum : sum + 2 * sum_of_warp(lane + 1, depth - 1);
}
__device__ int end_at(int lane, int depth) {
  if (depth == lane) asm volatile("exit;");
  return depth > 20 ? depth : end_at(lane, depth + 1) + 1;
}

__global__ void warp_within_recursion(int* out, int* ended) {
  const int t = static_cast<int>(threadIdx.x);
  out[t] = sum_of_warp(t, 3);
  ended[t] = end_at(t, 0);
}

TEST(Calls, ALaneEndsWithinACalleeAndOthersMeetThere) {
  Managed<int> out(32);
  Managed<int> ended(32);
  warp_within_recursion<<<1, 32>>>(out.get(), ended.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const int sum = 31 * 16;
  for (size_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], sum + 2 * (sum + 32) + 4 * (sum + 64) + 8 * (sum + 96)) << t;
    EXPECT_EQ(ended[t], t <= 21 ? 0 : 42) << t;
  }
}

using Step = int (*)(int, int);
__device__ int plus_fibonacci(int a, int b) { return a + fibonacci(b % 10); }
__device__ int twice_or_early(int a, int b) {
  if (b % 3 == 0) return 2 * a;
  int sum = 0;
  for (int i = 0; i < b % 5; ++i) sum += a ^ i;
  return sum;
}
__device__ int own_array(int a, int b) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = a * i;
  return values[b & 7];
}
__device__ Step steps[3] = {plus_fibonacci, twice_or_early, own_array};

// Passes a pointer on; for some lanes it is the same function.
__device__ int twice_through(Step step, int a, int b) { return step(step(a, b), b + 1); }

__global__ void through_pointers(int* out, Step given) {
  const int t = static_cast<int>(threadIdx.x);
  int sum = 1000 * t;
  if (t % 4 != 3) sum += steps[t % 3](t, t / 3);
  out[t] = sum + twice_through(t % 2 == 0 ? given : steps[2 - t % 3], t, t / 2);
}

int host_step(int number, int a, int b) {
  if (number == 0) return a + fibonacci(b % 10);
  if (number == 2) return a * (b & 7);
  if (b % 3 == 0) return 2 * a;
  int sum = 0;
  for (int i = 0; i < b % 5; ++i) sum += a ^ i;
  return sum;
}

TEST(Calls, ThroughPointersEachLaneToAFunctionOfItsOwn) {
  Managed<int> out(64);
  Step given[3];
  ASSERT_EQ(cudaMemcpyFromSymbol(given, steps, sizeof given), cudaSuccess);
  for (int g = 0; g < 3; ++g) {
    through_pointers<<<1, 64>>>(out.get(), given[g]);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int t = 0; t < 64; ++t) {
      int want = 1000 * t;
      if (t % 4 != 3) want += host_step(t % 3, t, t / 3);
      const int number = t % 2 == 0 ? g : 2 - t % 3;
      want += host_step(number, host_step(number, t, t / 2), t / 2 + 1);
      EXPECT_EQ(out[static_cast<size_t>(t)], want) << t << " " << g;
    }
  }
}

// A tree of expressions. Each node evaluates its parts.
struct Node {
  __device__ virtual int value(int x) const { return x; }
};
struct Constant : Node {
  int number = 0;
  __device__ int value(int) const override { return number; }
};
struct Sum : Node {
  const Node* left = nullptr;
  const Node* right = nullptr;
  __device__ int value(int x) const override { return left->value(x) + right->value(x + 1); }
};
struct Choice : Sum {
  __device__ int value(int x) const override {
    return x % 2 == 0 ? left->value(x / 2) : 3 * right->value(x);
  }
};

__global__ void evaluate(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  const Node x;
  Constant seven;
  seven.number = 7 + t % 2;
  Sum sum;
  sum.left = &x;
  sum.right = t % 5 == 0 ? static_cast<const Node*>(&x) : &seven;
  Choice choice;
  choice.left = &sum;
  choice.right = t % 3 == 0 ? static_cast<const Node*>(&seven) : &x;
  Sum all;
  all.left = &choice;
  all.right = &sum;
  const Node* const roots[4] = {&all, &choice, &sum, &x};
  out[t] = roots[t % 4]->value(t);
}

TEST(Calls, VirtualFunctionsThatCallOthers) {
  Managed<int> out(64);
  evaluate<<<1, 64>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 64; ++t) {
    const int seven = 7 + t % 2;
    const auto sum = [&](int x) { return x + (t % 5 == 0 ? x + 1 : seven); };
    const auto choice = [&](int x) {
      return x % 2 == 0 ? sum(x / 2) : 3 * (t % 3 == 0 ? seven : x);
    };
    const int roots[4] = {choice(t) + sum(t + 1), choice(t), sum(t), t};
    EXPECT_EQ(out[static_cast<size_t>(t)], roots[t % 4]) << t;
  }
}

// Keeps its arguments while it passes as many values to another function.
__host__ __device__ __attribute__((noinline)) int inner(int x, int y, int z) {
  return x * 3 + y + z;
}
__host__ __device__ __attribute__((noinline)) int outer(int a, int b, int c) {
  const int r = inner(b, 1, b);
  return r > 10 ? r + a * c : r;
}
__global__ void nested(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[t] = outer(t, t + 1, 7 + t % 2) + inner(t, t % 3, t % 5);
}

TEST(Calls, ArgumentsOutliveThoseOfACallWithin) {
  Managed<int> out(32);
  nested<<<1, 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[static_cast<size_t>(t)], outer(t, t + 1, 7 + t % 2) + inner(t, t % 3, t % 5))
        << t;
  }
}

// Arithmetic.

// Mixes values into one number, which changes if any value does.
class Digest {
 public:
  template <typename T>
  __host__ __device__ void add(T value) {
    if constexpr (std::is_same_v<T, float>) {
      mix(value != value ? 0x7fc00000 : __builtin_bit_cast(uint32_t, value));
    } else if constexpr (std::is_same_v<T, double>) {
      mix(value != value ? 0x7ff8 : __builtin_bit_cast(uint64_t, value));
    } else {
      mix(static_cast<uint64_t>(value));
    }
  }
  __host__ __device__ uint64_t value() const { return value_; }

 private:
  __host__ __device__ void mix(uint64_t v) { value_ = value_ * 1099511628211u ^ v; }
  uint64_t value_ = 0;
};

// Computes with an integer type, wrapped to its width.
template <typename T>
__host__ __device__ uint64_t integer_arithmetic(T a, T b, int n) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  const int shift = n % static_cast<int>(8 * sizeof(T));
  Digest d;
  d.add(static_cast<T>(static_cast<U>(uint64_t{x} + y)));
  d.add(static_cast<T>(static_cast<U>(uint64_t{x} - y)));
  d.add(static_cast<T>(static_cast<U>(uint64_t{x} * y)));
  d.add(static_cast<T>(static_cast<U>(uint64_t{x} * 3 + y)));
  if (b != 0 && b != static_cast<T>(-1)) {
    d.add(static_cast<T>(a / b));
    d.add(static_cast<T>(a % b));
  }
  d.add(static_cast<T>(a / 7));
  d.add(static_cast<T>(a % 10));
  d.add(static_cast<T>(a & b));
  d.add(static_cast<T>(a | b));
  d.add(static_cast<T>(a ^ b));
  d.add(static_cast<T>(~a));
  d.add(static_cast<T>(a >> shift));
  d.add(static_cast<U>(x << shift));
  d.add(a < b);
  d.add(a <= b);
  d.add(a == b);
  d.add(a < b ? a : b);
  d.add(static_cast<float>(a));
  d.add(static_cast<double>(b));
  return d.value();
}

__host__ __device__ uint64_t bit_arithmetic(uint64_t a, uint64_t b, int n) {
  Digest d;
  d.add(__builtin_popcountll(a));
  d.add(__builtin_clzll(a | 1));
  d.add(__builtin_ctzll(b | uint64_t{1} << 40));
  d.add(__builtin_bitreverse64(a));
  d.add(__builtin_bswap32(static_cast<uint32_t>(b)));
  d.add(__builtin_bswap64(a));
  d.add(__builtin_rotateleft32(static_cast<uint32_t>(a), static_cast<uint32_t>(n & 31)));
  d.add(__builtin_rotateright64(b, static_cast<uint64_t>(n & 63)));
  return d.value();
}

__host__ __device__ uint64_t float_arithmetic(float x, float y) {
  Digest d;
  d.add(x + y);
  d.add(x - y);
  d.add(x * y);
  d.add(x / y);
  d.add(-x);
  d.add(__builtin_fabsf(x));
  d.add(__builtin_floorf(x));
  d.add(__builtin_ceilf(x));
  d.add(__builtin_truncf(x));
  d.add(__builtin_rintf(x));
  d.add(__builtin_roundf(x));
  d.add(__builtin_copysignf(x, y));
  d.add(__builtin_sqrtf(__builtin_fabsf(x)));
  d.add(__builtin_fmaf(x, y, 1.0f));
  d.add(x < y ? x : y);
  d.add(x < y);
  d.add(x <= y);
  d.add(x == y);
  d.add(x != y);
  d.add(!(x < y));
  d.add(!(x >= y));
  if (__builtin_fabsf(x) < 1e9f) {
    d.add(static_cast<int>(x));
    d.add(static_cast<short>(x * 1e-5f));
    d.add(static_cast<long long>(x));
  }
  const double p = x;
  const double q = y;
  d.add(p * q);
  d.add(p / q);
  d.add(p - q);
  d.add(__builtin_floor(p));
  d.add(__builtin_sqrt(__builtin_fabs(p)));
  d.add(static_cast<float>(p * 1.1));
  return d.value();
}

constexpr int CASES = 512;
constexpr int KINDS = 10;

__host__ __device__ uint64_t arithmetic(const int64_t* integers, const float* floats, int i,
                                        int kind) {
  const int64_t a = integers[i];
  const int64_t b = integers[(i * 7 + 3) % CASES];
  switch (kind) {
    case 0:
      return integer_arithmetic(static_cast<int8_t>(a), static_cast<int8_t>(b), i);
    case 1:
      return integer_arithmetic(static_cast<uint8_t>(a), static_cast<uint8_t>(b), i);
    case 2:
      return integer_arithmetic(static_cast<int16_t>(a), static_cast<int16_t>(b), i);
    case 3:
      return integer_arithmetic(static_cast<uint16_t>(a), static_cast<uint16_t>(b), i);
    case 4:
      return integer_arithmetic(static_cast<int32_t>(a), static_cast<int32_t>(b), i);
    case 5:
      return integer_arithmetic(static_cast<uint32_t>(a), static_cast<uint32_t>(b), i);
    case 6:
      return integer_arithmetic(a, b, i);
    case 7:
      return integer_arithmetic(static_cast<uint64_t>(a), static_cast<uint64_t>(b), i);
    case 8:
      return bit_arithmetic(static_cast<uint64_t>(a), static_cast<uint64_t>(b), i);
    default:
      return float_arithmetic(floats[i], floats[(i * 5 + 1) % CASES]);
  }
}

__global__ void arithmetic_kernel(const int64_t* integers, const float* floats, uint64_t* digests) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int kind = 0; kind < KINDS; ++kind)
    digests[i * KINDS + kind] = arithmetic(integers, floats, i, kind);
}

TEST(Arithmetic, IsTheHostsInEveryTypeBitForBit) {
  Managed<int64_t> integers(CASES);
  Managed<float> floats(CASES);
  Managed<uint64_t> digests(static_cast<size_t>(CASES) * KINDS);
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < CASES; ++i) {
    random ^= random << 13;  // Marsaglia's xorshift
    random ^= random >> 7;
    random ^= random << 17;
    const auto at = static_cast<size_t>(i);
    integers[at] = i < 16 ? i - 8 : static_cast<int64_t>(random >> (i % 60));
    floats[at] = i < 100 ? static_cast<float>(i - 50) * 0.5f
                         : __builtin_bit_cast(float, static_cast<uint32_t>(random >> 11));
  }
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-42f, 3.4e38f};
  for (size_t i = 0; i < std::size(special); ++i) floats[i] = special[i];

  arithmetic_kernel<<<4, CASES / 4>>>(integers.get(), floats.get(), digests.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < CASES; ++i) {
    for (int kind = 0; kind < KINDS; ++kind) {
      ASSERT_EQ(digests[static_cast<size_t>(i) * KINDS + static_cast<size_t>(kind)],
                arithmetic(integers.get(), floats.get(), i, kind))
          << "case " << i << ", kind " << kind;
    }
  }
}

}  // namespace

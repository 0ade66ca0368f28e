// The idioms of CUDA programs that learners write, and arithmetic in every width: each result is computed on
// the host by the same function and must be the same, bit for bit.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "managed.hpp"

namespace {

using simulator::test::Managed;

// Idioms.

__global__ void sum_of_64(const int* in, int* out) {
  __shared__ volatile int s[64];
  const unsigned int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {  // the old way: the last warp in lockstep, without barriers, on volatile memory
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

/// What the host decides, and the device takes over: whether a plain char has a sign (not on aarch64), and layout.
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

/// Blelloch's exclusive scan of 2 * blockDim.x numbers in shared memory, up the tree and down again.
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

// Arithmetic.

/// Mixes values into one number, so that one of them being different is noticed.
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

/// Arithmetic of an integer type, wrapped to its width.
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

constexpr int kCases = 512;
constexpr int kKinds = 10;

__host__ __device__ uint64_t arithmetic(const int64_t* integers, const float* floats, int i,
                                        int kind) {
  const int64_t a = integers[i];
  const int64_t b = integers[(i * 7 + 3) % kCases];
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
      return float_arithmetic(floats[i], floats[(i * 5 + 1) % kCases]);
  }
}

__global__ void arithmetic_kernel(const int64_t* integers, const float* floats, uint64_t* digests) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int kind = 0; kind < kKinds; ++kind)
    digests[i * kKinds + kind] = arithmetic(integers, floats, i, kind);
}

TEST(Arithmetic, IsTheHostsInEveryTypeBitForBit) {
  Managed<int64_t> integers(kCases);
  Managed<float> floats(kCases);
  Managed<uint64_t> digests(static_cast<size_t>(kCases) * kKinds);
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < kCases; ++i) {
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

  arithmetic_kernel<<<4, kCases / 4>>>(integers.get(), floats.get(), digests.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < kCases; ++i) {
    for (int kind = 0; kind < kKinds; ++kind) {
      ASSERT_EQ(digests[static_cast<size_t>(i) * kKinds + static_cast<size_t>(kind)],
                arithmetic(integers.get(), floats.get(), i, kind))
          << "case " << i << ", kind " << kind;
    }
  }
}

}  // namespace

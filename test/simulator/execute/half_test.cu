// FP16 and BF16: the device, the host and the test's own reference must give the same bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace {

constexpr unsigned NOT_A_NUMBER = 0x7fff;

template <typename H>
struct Kind;
template <>
struct Kind<__half> {
  using Pair = __half2;
  static constexpr int FRACTION = 10, BIAS = 15;
  static constexpr double MOST = 65504;
};
template <>
struct Kind<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static constexpr int FRACTION = 7, BIAS = 127;
  static constexpr double MOST = 0x1.fep127;
};

template <typename H>
H from_bits(unsigned bits) {
  const auto word = static_cast<unsigned short>(bits);
  return __builtin_bit_cast(H, word);
}
template <typename H>
unsigned bits_of(H h) {
  return __builtin_bit_cast(unsigned short, h);
}

// Rounds to nearest even by arithmetic alone. The code under test works on the bits instead.
template <typename H>
unsigned rounded(double x) {
  if (std::isnan(x)) return NOT_A_NUMBER;
  using K = Kind<H>;
  constexpr unsigned INFINITE = (2u * K::BIAS + 1) << K::FRACTION;
  const unsigned sign = std::signbit(x) ? 0x8000u : 0u;
  if (x == 0) return sign;
  x = std::fabs(x);
  if (std::isinf(x)) return sign | INFINITE;
  const int exponent = std::max(std::ilogb(x), 1 - K::BIAS);
  const auto steps =
      static_cast<unsigned long long>(std::nearbyint(std::ldexp(x, K::FRACTION - exponent)));
  if (std::ldexp(static_cast<double>(steps), exponent - K::FRACTION) > K::MOST)
    return sign | INFINITE;
  // A subnormal number has no leading one; otherwise it stands in the exponent's place.
  return sign |
         static_cast<unsigned>(
             steps + (static_cast<unsigned long long>(exponent + K::BIAS - 1) << K::FRACTION));
}

// The operations that host and device have. Each result is 16 bits.
constexpr int OPERATIONS = 21;

template <typename H>
__host__ __device__ void compute(H a, H b, H c, unsigned short* out) {
  const H results[] = {__hadd(a, b),        __hsub(a, b),        __hmul(a, b),     __hfma(a, b, c),
                       __hdiv(a, b),        __hneg(a),           __habs(a),        __hmin(a, b),
                       __hmax(a, b),        __hmin_nan(a, b),    __hmax_nan(a, b), __hadd_sat(a, b),
                       __hfma_sat(a, b, c), __hfma_relu(a, b, c)};
  int i = 0;
  for (const H& h : results) out[i++] = __builtin_bit_cast(unsigned short, h);
  using Pair = std::conditional_t<std::is_same_v<H, __half>, __half2, __nv_bfloat162>;
  const Pair first(a, b), second(b, c), third(c, a);
  for (const Pair& p :
       {__hadd2(first, second), __hfma2(first, second, third), __hmax2(first, second)}) {
    out[i++] = __builtin_bit_cast(unsigned short, p.x);
    out[i++] = __builtin_bit_cast(unsigned short, p.y);
  }
  out[i] = static_cast<unsigned short>(
      __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 |
      __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 |
      __hgeu(a, b) << 9 | __hisnan(a) << 10 | (__hisinf(a) == 1) << 11 | (a == b) << 12 |
      __hbge2(first, second) << 13);
}

template <typename H>
__global__ void on_device(const H* operands, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    compute(operands[3 * i], operands[3 * i + 1], operands[3 * i + 2], out + OPERATIONS * i);
}

template <typename T>
T* shared_memory(size_t count) {
  T* pointer = nullptr;
  EXPECT_EQ(cudaMallocManaged(&pointer, count * sizeof(T)), cudaSuccess);
  return pointer;
}

template <typename H>
class Half : public ::testing::Test {};
using Formats = ::testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(Half, Formats);

TYPED_TEST(Half, ArithmeticIsRoundedOnceOnHostAndDevice) {
  using H = TypeParam;
  constexpr int N = 4096;
  H* const operands = shared_memory<H>(3 * N);
  auto* const out = shared_memory<unsigned short>(OPERATIONS * N);
  std::mt19937 random(1);
  for (int i = 0; i < 3 * N; ++i) {
    unsigned bits = random() & 0xffff;
    // Neighbours in size, whose sums and products tie and cancel; also zeros, subnormals, infinities and NaN.
    if (i % 5 < 3)
      bits = (bits & 0x81ff) | static_cast<unsigned>(Kind<H>::BIAS) << Kind<H>::FRACTION;
    if (i % 7 == 0) bits &= 0x8007;
    if (i % 31 == 0) bits |= 0x7fff & ~((1u << Kind<H>::FRACTION) - 1);
    operands[i] = from_bits<H>(bits);
  }
  on_device<<<N / 128, 128>>>(operands, out, N);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < N; ++i) {
    const H a = operands[3 * i], b = operands[3 * i + 1], c = operands[3 * i + 2];
    unsigned short on_host[OPERATIONS];
    compute(a, b, c, on_host);
    for (int o = 0; o < OPERATIONS; ++o)
      ASSERT_EQ(out[OPERATIONS * i + o], on_host[o])
          << std::hex << "operation " << o << " of " << bits_of(a) << " " << bits_of(b) << " "
          << bits_of(c);
    const double x = static_cast<float>(a), y = static_cast<float>(b), z = static_cast<float>(c);
    ASSERT_EQ(on_host[0], rounded<H>(x + y)) << x << " + " << y;
    ASSERT_EQ(on_host[1], rounded<H>(x - y)) << x << " - " << y;
    ASSERT_EQ(on_host[2], rounded<H>(x * y)) << x << " * " << y;
    ASSERT_EQ(on_host[4], rounded<H>(x / y)) << x << " / " << y;
    // The reference rounds twice, so it is right only if the double is exact.
    const double product = x * y, sum = product + z;
    if ((sum - product == z && sum - z == product) || std::isnan(sum)) {
      ASSERT_EQ(on_host[3], rounded<H>(x * y + z)) << x << " * " << y << " + " << z;
    }
  }
  cudaFree(operands);
  cudaFree(out);
}

TEST(HalfArithmetic, ATieIsBrokenByANumberFarBelowIt) {
  // (1 + 2^-7) (1 + 2^-1) = 1.5 + 3 2^-8 lies between two numbers, and 2^-100 decides.
  const auto a = __float2bfloat16(1 + 0x1p-7f), b = __float2bfloat16(1.5f);
  const auto with = [&](float c) { return static_cast<float>(__hfma(a, b, __float2bfloat16(c))); };
  EXPECT_EQ(with(0), 1.515625f);
  EXPECT_EQ(with(0x1p-100f), 1.515625f);
  EXPECT_EQ(with(-0x1p-100f), 1.5078125f);
}

template <typename H>
__global__ void there_and_back(unsigned short* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const H h = __builtin_bit_cast(H, static_cast<unsigned short>(i));
  out[i] = __builtin_bit_cast(unsigned short, H(static_cast<float>(h)));
}

TYPED_TEST(Half, EveryNumberComesBackFromFloat) {
  using H = TypeParam;
  auto* const out = shared_memory<unsigned short>(65536);
  there_and_back<H><<<256, 256>>>(out);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (unsigned i = 0; i < 65536; ++i) {
    const unsigned want = __hisnan(from_bits<H>(i)) ? NOT_A_NUMBER : i;
    ASSERT_EQ(out[i], want);
    ASSERT_EQ(bits_of(H(static_cast<float>(from_bits<H>(i)))), want);
  }
  cudaFree(out);
}

// The eight conversions of a number: four roundings, to each format.
struct Converted {
  unsigned short bits[8];
};
template <typename T>
__host__ __device__ Converted convert(T x);
#define CONVERSIONS(type, name)                                                                    \
  template <>                                                                                      \
  __host__ __device__ Converted convert(type x) {                                                  \
    return {                                                                                       \
        {__half_as_ushort(name##half_rn(x)), __half_as_ushort(name##half_rz(x)),                   \
         __half_as_ushort(name##half_ru(x)), __half_as_ushort(name##half_rd(x)),                   \
         __bfloat16_as_ushort(name##bfloat16_rn(x)), __bfloat16_as_ushort(name##bfloat16_rz(x)),   \
         __bfloat16_as_ushort(name##bfloat16_ru(x)), __bfloat16_as_ushort(name##bfloat16_rd(x))}}; \
  }
CONVERSIONS(float, __float2)
CONVERSIONS(int, __int2)
CONVERSIONS(long long, __ll2)
CONVERSIONS(unsigned long long, __ull2)

template <typename T>
__global__ void convert_all(const T* in, Converted* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = convert(in[i]);
}

template <typename T>
void expect_same_conversions(const std::vector<T>& values) {
  T* const in = shared_memory<T>(values.size());
  auto* const out = shared_memory<Converted>(values.size());
  std::copy(values.begin(), values.end(), in);
  convert_all<<<static_cast<unsigned>(values.size() / 128 + 1), 128>>>(
      in, out, static_cast<int>(values.size()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t i = 0; i < values.size(); ++i) {
    const Converted on_host = convert(values[i]);
    for (int k = 0; k < 8; ++k)
      ASSERT_EQ(out[i].bits[k], on_host.bits[k]) << values[i] << ", conversion " << k;
    if constexpr (sizeof(T) == 4) {
      ASSERT_EQ(on_host.bits[0], rounded<__half>(static_cast<double>(values[i]))) << values[i];
      ASSERT_EQ(on_host.bits[4], rounded<__nv_bfloat16>(static_cast<double>(values[i])))
          << values[i];
    }
  }
  cudaFree(in);
  cudaFree(out);
}

TEST(HalfConversions, OfFloatsInAllRoundings) {
  std::vector<float> values;
  // Around each FP16 number, around each midpoint of two, and around some numbers of BF16.
  for (unsigned i = 0; i < 0x8000; i += 7) {
    for (const float x : {static_cast<float>(from_bits<__half>(i)),
                          static_cast<float>(from_bits<__nv_bfloat16>(i))}) {
      const auto word = __builtin_bit_cast(unsigned, x);
      for (const unsigned beside :
           {word, word + 1, word - 1, word | 0x1000, word | 0x8000, word | 0x8001})
        values.push_back(__builtin_bit_cast(float, beside | (i & 1) << 31));
    }
  }
  for (const float x :
       {65504.0f, 65519.0f, 65520.0f, 65536.0f, 3.4e38f, 0x1p-25f, 0x1.8p-25f, 0x1p-24f, 0x1p-149f})
    values.insert(values.end(), {x, -x});
  expect_same_conversions(values);
  EXPECT_EQ(bits_of(__float2half_rz(1e9f)), 0x7bffu);
  EXPECT_EQ(bits_of(__float2half_ru(-1e9f)), 0xfbffu);
  EXPECT_EQ(bits_of(__float2half_rd(-1e9f)), 0xfc00u);
  EXPECT_EQ(bits_of(__float2half_ru(1e-30f)), 1u);
  EXPECT_EQ(bits_of(__float2half_rn(0x1p-25f)), 0u);
}

TEST(HalfConversions, OfIntegers) {
  std::vector<long long> values;
  std::vector<unsigned long long> unsigned_values;
  std::vector<int> ints;
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto value = static_cast<long long>(random()) >> (i % 63);
    values.push_back(value);
    unsigned_values.push_back(static_cast<unsigned long long>(value));
    ints.push_back(static_cast<int>(value));
  }
  expect_same_conversions(values);
  expect_same_conversions(unsigned_values);
  expect_same_conversions(ints);
  EXPECT_EQ(__half2int_rn(__float2half(2.5f)), 2);
  EXPECT_EQ(__half2int_rd(__float2half(-2.5f)), -3);
  EXPECT_EQ(__bfloat162short_rz(__float2bfloat16(1e9f)), 32767);
}

TEST(HalfConversions, OfTheOtherFormat) {
  for (unsigned bits = 0; bits < 0x10000; bits += 3) {
    const auto half = from_bits<__half>(bits);
    const auto brain = from_bits<__nv_bfloat16>(bits);
    ASSERT_EQ(bits_of(static_cast<__nv_bfloat16>(half)),
              bits_of(__float2bfloat16(__half2float(half))));
    ASSERT_EQ(bits_of(static_cast<__half>(brain)), bits_of(__float2half(__bfloat162float(brain))));
  }
  EXPECT_FALSE((std::is_convertible_v<__half, __nv_bfloat16>)) << "only if asked, as in CUDA";
}

template <typename H, typename Pair>
__global__ void sum_and_exchange(H* sum, Pair* pairs, H* exchanged) {
  const H mine(static_cast<int>(threadIdx.x % 8));
  atomicAdd(sum, mine);
  atomicAdd(pairs, Pair(mine, H(1)));
  exchanged[threadIdx.x] = __shfl_xor_sync(~0u, mine, 1);
  const Pair neighbour = __shfl_down_sync(~0u, Pair(mine, -mine), 1);
  exchanged[32 + threadIdx.x] = neighbour.y;
}

TYPED_TEST(Half, AtomicsAndShuffles) {
  using H = TypeParam;
  using Pair = typename Kind<H>::Pair;
  H* const sum = shared_memory<H>(2);
  Pair* const pairs = shared_memory<Pair>(1);
  H* const exchanged = shared_memory<H>(64);
  *sum = H(0);
  *pairs = Pair(H(0), H(0));
  sum_and_exchange<<<1, 32>>>(sum, pairs, exchanged);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(static_cast<float>(*sum), 112);
  EXPECT_EQ(static_cast<float>(pairs->x), 112);
  EXPECT_EQ(static_cast<float>(pairs->y), 32);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(static_cast<int>(exchanged[lane]), (lane ^ 1) % 8);
    EXPECT_EQ(static_cast<int>(exchanged[32 + lane]), -(lane == 31 ? 7 : (lane + 1) % 8));
  }
  cudaFree(sum);
  cudaFree(pairs);
  cudaFree(exchanged);
}

}  // namespace

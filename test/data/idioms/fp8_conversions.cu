// FP8: all numbers of both formats, conversions to them from many numbers in each way, and the types.
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

__host__ __device__ unsigned scramble(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__host__ __device__ float float_of(unsigned bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

constexpr unsigned COUNT = 1 << 20;

// Numbers around FP8's range, with many that lie halfway, and numbers of all sizes.
__host__ __device__ float number(unsigned i) {
  const unsigned bits = scramble(i);
  if (i % 4 == 0) return float_of(bits);
  const unsigned exponent = 127 - 20 + bits % 40, fraction = bits >> 9;
  const unsigned kept = i % 4 == 1 ? fraction : i % 4 == 2 ? fraction & 0x780000 : (fraction & 0x700000) | 0x80000;
  return float_of((bits & 0x80000000) | exponent << 23 | (kept & 0x7fffff));
}

// A sum of all results, with weights.
template <__nv_fp8_interpretation_t FORMAT>
__host__ __device__ void convert(unsigned i, unsigned long long* sums, void (*add)(unsigned long long*, unsigned long long)) {
  const float x = number(i);
  for (int s = 0; s < 2; ++s) {
    const auto saturate = s == 0 ? __NV_NOSAT : __NV_SATFINITE;
    const unsigned long long weight = 2ull * i + 1;
    add(sums + s, weight * __nv_cvt_float_to_fp8(x, saturate, FORMAT));
    add(sums + 2 + s, weight * __nv_cvt_double_to_fp8(double(x) * 1.0000001, saturate, FORMAT));
    add(sums + 4 + s, weight * __nv_cvt_halfraw_to_fp8(__half_raw(__float2half(x)), saturate, FORMAT));
    add(sums + 6 + s, weight * __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(__float2bfloat16(x)), saturate, FORMAT));
    add(sums + 8 + s, weight * __nv_cvt_float2_to_fp8x2(make_float2(x, number(i + 1)), saturate, FORMAT));
    add(sums + 10 + s, weight * __nv_cvt_halfraw2_to_fp8x2(__half2_raw(__floats2half2_rn(x, -x)), saturate, FORMAT));
  }
}
constexpr int SUMS = 12;

__device__ void add_on_device(unsigned long long* sum, unsigned long long value) { atomicAdd(sum, value); }
template <__nv_fp8_interpretation_t FORMAT>
__global__ void convert_all(unsigned long long* sums, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    convert<FORMAT>(i, sums, add_on_device);
}

__global__ void all_numbers(float* numbers, __half* halves) {
  const auto bits = static_cast<__nv_fp8_storage_t>(threadIdx.x);
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = bits;
  numbers[threadIdx.x] = float(a);
  numbers[256 + threadIdx.x] = float(b);
  halves[threadIdx.x] = __half(a);
  halves[256 + threadIdx.x] = __half(b);
}

struct Types {
  float4 four;
  float2 two;
  float one, of_int, of_half, of_bfloat16, of_double;
  unsigned bits;
  bool is_zero, is_not;
};
__global__ void use_types(Types* t) {
  const __nv_fp8x4_e4m3 four(make_float4(1, -2.3f, 1000, 0.001f));
  const __nv_fp8x2_e5m2 two(__floats2half2_rn(3.3f, -70000.0f));
  t->four = float4(four);
  t->two = float2(two);
  t->one = float(__nv_fp8_e4m3(0.3f));
  t->of_int = float(__nv_fp8_e4m3(17));
  t->of_half = float(__nv_fp8_e5m2(__float2half(0.7f)));
  t->of_bfloat16 = float(__nv_fp8_e4m3(__float2bfloat16(0.7f)));
  t->of_double = float(__nv_fp8_e5m2(1e300));
  t->bits = __nv_fp8x4_e5m2(__floats2half2_rn(1, 2), __floats2half2_rn(3, 4)).__x;
  t->is_zero = bool(__nv_fp8_e4m3(-0.0f));
  t->is_not = bool(__nv_fp8_e4m3(0.01f));
}

int main() {
  float* numbers;
  __half* halves;
  cudaMallocManaged(&numbers, 512 * sizeof *numbers);
  cudaMallocManaged(&halves, 512 * sizeof *halves);
  all_numbers<<<1, 256>>>(numbers, halves);
  cudaDeviceSynchronize();
  for (int i = 0; i < 512; ++i) {
    unsigned short half_bits;
    memcpy(&half_bits, &halves[i], 2);
    printf("%g(%04x)%c", numbers[i], half_bits, i % 8 == 7 ? '\n' : ' ');
  }
  unsigned long long* sums;
  cudaMallocManaged(&sums, 2 * SUMS * sizeof *sums);
  memset(sums, 0, 2 * SUMS * sizeof *sums);
  const unsigned count = COUNT / 16;
  convert_all<__NV_E4M3><<<16, 256>>>(sums, count);
  convert_all<__NV_E5M2><<<16, 256>>>(sums + SUMS, count);
  cudaDeviceSynchronize();
  for (int i = 0; i < 2 * SUMS; ++i) printf("%016llx%c", sums[i], i % 4 == 3 ? '\n' : ' ');
  unsigned long long on_host[2 * SUMS] = {};
  const auto add = [](unsigned long long* sum, unsigned long long value) { *sum += value; };
  for (unsigned i = 0; i < count; ++i) convert<__NV_E4M3>(i, on_host, add);
  for (unsigned i = 0; i < count; ++i) convert<__NV_E5M2>(i, on_host + SUMS, add);
  printf("the host computes %s\n", memcmp(on_host, sums, sizeof on_host) == 0 ? "the same" : "something else");
  Types* t;
  cudaMallocManaged(&t, sizeof *t);
  use_types<<<1, 1>>>(t);
  cudaDeviceSynchronize();
  printf("%g %g %g %g, %g %g, %g %g %g %g %g, %08x %d %d\n", t->four.x, t->four.y, t->four.z, t->four.w, t->two.x, t->two.y, t->one,
         t->of_int, t->of_half, t->of_bfloat16, t->of_double, t->bits, t->is_zero, t->is_not);
  cudaFree(numbers);
  cudaFree(halves);
  cudaFree(sums);
  cudaFree(t);
}

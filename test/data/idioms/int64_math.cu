// 64-bit integers: products, a modular power with 128-bit steps, a generator, comparisons, conversions.
// Easily got wrong: `int * int` overflows before it is widened.
#include <cstdio>

typedef unsigned long long u64;

__device__ u64 multiply_mod(u64 a, u64 b, u64 m) {
  u64 r = 0;
  for (; b; b >>= 1) {
    if (b & 1) r = r >= m - a ? r - (m - a) : r + a;
    a = a >= m - a ? a - (m - a) : a + a;
  }
  return r;
}
__device__ u64 power_mod(u64 base, u64 exponent, u64 m) {
  u64 r = 1;
  for (base %= m; exponent; exponent >>= 1) {
    if (exponent & 1) r = multiply_mod(r, base, m);
    base = multiply_mod(base, base, m);
  }
  return r;
}

__global__ void run(u64* out) {
  const int t = threadIdx.x;
  const u64 prime = 1000000000039ull;
  out[t * 3] = power_mod(t + 2, prime - 1, prime);  // 1 by Fermat
  u64 x = t + 1;
  for (int i = 0; i < 50; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  out[t * 3 + 1] = x;
  const int a = 100000 + t, b = -70000;
  long long wide = (long long)a * b + (long long)(x >> 1) % a;
  if (wide < -7000000000ll) wide = -wide;
  out[t * 3 + 2] = u64(wide) + __umul64hi(x, x) + u64(double(a) * 1e10) + (x > 0x8000000000000000ull);
}

int main() {
  const int n = 64;
  u64* out;
  cudaMallocManaged(&out, n * 3 * sizeof *out);
  run<<<1, n>>>(out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    wrong += out[t * 3] != 1;
    u64 x = t + 1;
    for (int i = 0; i < 50; ++i) x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    wrong += out[t * 3 + 1] != x;
    long long wide = (100000ll + t) * -70000 + (long long)(x >> 1) % (100000 + t);
    if (wide < -7000000000ll) wide = -wide;
    wrong += out[t * 3 + 2] != u64(wide) + u64((unsigned __int128)x * x >> 64) + u64((100000. + t) * 1e10) + (x >> 63);
  }
  printf("%llx %llu\n", out[1], out[n * 3 - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
}

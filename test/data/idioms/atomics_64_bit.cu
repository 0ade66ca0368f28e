// 64-bit atomics: integers, atomicAdd on double, and compare-and-swap loops for what does not exist.
// Easily got wrong: compare the bits, not the values, or a NaN would never match and the loop never end.
#include <cstdio>

typedef unsigned long long u64;

__device__ float atomic_max(float* p, float v) {
  int* bits = reinterpret_cast<int*>(p);
  int old = *bits, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= v) break;
    old = atomicCAS(bits, assumed, __float_as_int(v));
  } while (assumed != old);
  return __int_as_float(old);
}
__device__ double atomic_multiply(double* p, double v) {
  u64* bits = reinterpret_cast<u64*>(p);
  u64 old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, u64(__double_as_longlong(v * __longlong_as_double((long long)assumed))));
  } while (assumed != old);
  return __longlong_as_double((long long)old);
}

__global__ void all(u64* u, long long* s, double* d, float* f) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&u[0], 10000000000ull + t);
  atomicMin(&u[1], ~u64(0) - t);
  atomicMax(&u[2], u64(t) << 33);
  atomicAnd(&u[3], ~(1ull << t % 60));
  atomicOr(&u[4], 1ull << t % 64);
  atomicXor(&u[5], u64(t) * 0x100000001ull);
  if (atomicExch(&u[6], 1ull) == 0) atomicAdd(&u[7], 1ull);
  atomicMin(&s[0], -5000000000ll - t);
  atomicMax(&s[1], -5000000000ll + t);
  atomicAdd(&d[0], 0.25);
  if (t < 40) atomic_multiply(&d[1], 2);
  atomic_max(&f[0], float(t * 7 % 300) - 1000);
}

int main() {
  u64 *u;
  long long* s;
  double* d;
  float* f;
  cudaMallocManaged(&u, 8 * sizeof *u);
  cudaMallocManaged(&s, 2 * sizeof *s);
  cudaMallocManaged(&d, 2 * sizeof *d);
  cudaMallocManaged(&f, sizeof *f);
  const u64 start[8] = {0, ~0ull, 0, ~0ull, 0, 0, 0, 0};
  for (int i = 0; i < 8; ++i) u[i] = start[i];
  s[0] = 0, s[1] = -9000000000ll, d[0] = 0, d[1] = 1, f[0] = -3e38f;
  all<<<3, 100>>>(u, s, d, f);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf("%llu ", u[i]);
  printf("\n%lld %lld %g %.0f %g\n", s[0], s[1], d[0], d[1], f[0]);
  const bool right = u[0] == 3000000044850ull && u[2] == 299ull << 33 && u[7] == 1 && s[0] == -5000000299ll &&
                     s[1] == -4999999701ll && d[0] == 75 && d[1] == 1099511627776. && f[0] == -701;
  puts(right ? "PASSED" : "FAILED");
  cudaFree(u);
  cudaFree(s);
  cudaFree(d);
  cudaFree(f);
}

// Real calls: __noinline__ functions with structures by value, references, pointers to locals, divergent callers.
// Easily got wrong: a call in a branch runs with that branch's lanes alone.
#include <cstdio>

struct Pair { int a; long long b; float c; };

__noinline__ __device__ Pair make(int a) { return {a, a * 10000000000ll, a * 0.5f}; }
__noinline__ __device__ long long use(Pair p) { return p.a + p.b + (long long)p.c; }
__noinline__ __device__ void swap(int& a, int& b) { const int t = a; a = b; b = t; }
__noinline__ __device__ int digits(int v) {
  int n = 0;
  do ++n; while (v /= 10);
  return n;
}
__noinline__ __device__ bool both(char c, double d, unsigned char u) { return c < 0 && d > 0.5 && u > 200; }

__global__ void call(long long* out) {
  const int t = threadIdx.x;
  int x = t, y = 1000 * t;
  if (t % 3 == 0) swap(x, y);
  long long v = use(make(x)) + digits(y);
  if (t % 2) v += digits(t * t * t) * 1000000;
  else if (both(char(-t), t, static_cast<unsigned char>(190 + t))) v = -v;
  out[t] = v;
}

int main() {
  const int n = 64;
  long long h[n], *d;
  cudaMalloc(&d, sizeof h);
  call<<<1, n>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  const auto count = [](int v) { int k = 0; do ++k; while (v /= 10); return k; };
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    const int x = t % 3 ? t : 1000 * t, y = t % 3 ? 1000 * t : t;
    long long v = x + x * 10000000000ll + x / 2 + count(y);
    if (t % 2) v += count(t * t * t) * 1000000ll;
    else if (t > 10) v = -v;
    wrong += h[t] != v;
  }
  printf("%lld %lld %lld\n", h[9], h[12], h[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

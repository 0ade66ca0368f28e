// double4, longlong4 and ulonglong4: 32 bytes, aligned to 16. (CUDA 13 calls them deprecated in favour of
// names that say the alignment, which older compilers do not know.)
#include <cstdio>

#ifdef __NVCC__
#pragma nv_diag_suppress 1444
#endif
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

__global__ void swing(const double4* in, double4* out, longlong4* l, ulonglong4* u) {
  const int t = threadIdx.x;
  double4 v = in[t];
  const double x = v.x;
  v.x = v.w;
  v.w = x;
  out[t] = v;
  l[t] = make_longlong4(t, -t, sizeof(double4), alignof(double4));
  u[t] = make_ulonglong4(t, ~0ull - t, sizeof(longlong4), alignof(longlong4));
}

int main() {
  const int n = 32;
  double4 *in, *out;
  longlong4* l;
  ulonglong4* u;
  cudaMallocManaged(&in, n * sizeof *in);
  cudaMallocManaged(&out, n * sizeof *out);
  cudaMallocManaged(&l, n * sizeof *l);
  cudaMallocManaged(&u, n * sizeof *u);
  for (int i = 0; i < n; ++i) in[i] = make_double4(i, i + 0.25, i + 0.5, i + 0.75);
  swing<<<1, n>>>(in, out, l, u);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += out[i].x != i + 0.75 || out[i].y != i + 0.25 || out[i].z != i + 0.5 || out[i].w != i;
    wrong += l[i].y != -i || l[i].z != 32 || l[i].w != 16 || u[i].y != ~0ull - i || u[i].z != 32 || u[i].w != 16;
  }
  printf("%g %lld %llu\n", out[31].x, l[31].y, u[31].y);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(l);
  cudaFree(u);
}

// The read-only path: __ldg of many types, const __restrict__ pointers, the other cache operators.
// Easily got wrong: what is read this way must not be written by the same kernel.
#include <cstdio>

__global__ void gather(const float* __restrict__ f, const int4* __restrict__ q, const unsigned char* __restrict__ c,
                       const double* __restrict__ d, const int* __restrict__ index, double* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = __ldg(index + i);
  const int4 v = __ldg(q + k);
  double sum = __ldg(f + k) + v.x + v.y * 2 + v.z * 3 + v.w * 4 + __ldg(c + k) + __ldg(d + k);
  sum += __ldcg(f + i) + __ldca(index + i) + __ldcs(d + i) + __ldlu(f + k) + __ldcv(index + k);
  __stcs(out + i, sum);
  if (i % 2) __stwt(out + i, sum + 1);
  else __stcg(out + i, -sum);
}

int main() {
  const int n = 1001;
  float* f;
  int4* q;
  unsigned char* c;
  double *d, *out;
  int *index, wrong = 0;
  cudaMallocManaged(&f, n * sizeof *f);
  cudaMallocManaged(&q, n * sizeof *q);
  cudaMallocManaged(&c, n);
  cudaMallocManaged(&d, n * sizeof *d);
  cudaMallocManaged(&out, n * sizeof *out);
  cudaMallocManaged(&index, n * sizeof *index);
  for (int i = 0; i < n; ++i) {
    f[i] = i * 0.5f, q[i] = make_int4(i, 1, 2, -i), c[i] = static_cast<unsigned char>(i), d[i] = i * 0.25, index[i] = i * 17 % n;
  }
  gather<<<(n + 127) / 128, 128>>>(f, q, c, d, index, out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    const int k = index[i];
    const double sum = f[k] + k + 2 + 6 - 4 * k + c[k] + d[k] + f[i] + k + d[i] + f[k] + index[k];
    wrong += out[i] != (i % 2 ? sum + 1 : -sum);
  }
  printf("%g %g\n", out[1], out[1000]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(f);
  cudaFree(q);
  cudaFree(c);
  cudaFree(d);
  cudaFree(out);
  cudaFree(index);
}

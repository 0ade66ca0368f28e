// A fused product and sum against two roundings: the residual of a product, found with one fma.
// Easily got wrong: a * b + c is contracted unless __fmul_rn or -fmad=false forbid it.
#include <cmath>
#include <cstdio>

__global__ void residual(const float* a, const float* b, float* high, float* low, float* plain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  high[i] = __fmul_rn(a[i], b[i]);
  low[i] = fmaf(a[i], b[i], -high[i]);
  plain[i] = __fadd_rn(__fmul_rn(a[i], b[i]), -high[i]);
}
__global__ void residual_double(const double* a, double* low) {
  const int i = threadIdx.x;
  const double high = __dmul_rn(a[i], a[i]);
  low[i] = fma(a[i], a[i], -high);
}

int main() {
  const int n = 256;
  float *a, *b, *high, *low, *plain;
  double *d, *d_low;
  for (float** p : {&a, &b, &high, &low, &plain}) cudaMallocManaged(p, n * sizeof(float));
  cudaMallocManaged(&d, 32 * sizeof(double));
  cudaMallocManaged(&d_low, 32 * sizeof(double));
  for (int i = 0; i < n; ++i) a[i] = 1.0f + i / 1023.0f, b[i] = 3.0f - i / 517.0f;
  for (int i = 0; i < 32; ++i) d[i] = 1 + i / 77.0;
  residual<<<2, 128>>>(a, b, high, low, plain);
  residual_double<<<1, 32>>>(d, d_low);
  cudaDeviceSynchronize();
  int wrong = 0, exact = 0;
  for (int i = 0; i < n; ++i) {
    wrong += double(high[i]) + low[i] != double(a[i]) * b[i] || plain[i] != 0;
    exact += low[i] == 0;
  }
  for (int i = 0; i < 32; ++i) wrong += d_low[i] != std::fma(d[i], d[i], -(d[i] * d[i]));
  printf("%d products were exact, %a %a\n", exact, low[77], d_low[5]);
  puts(wrong ? "FAILED" : "PASSED");
  for (float* p : {a, b, high, low, plain}) cudaFree(p);
  cudaFree(d);
  cudaFree(d_low);
}

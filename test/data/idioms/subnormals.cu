// Subnormal floats are kept in all arithmetic unless one compiles with -ftz=true.
// Easily got wrong: a test for zero by multiplying, and code that expects the flush of old GPUs.
#include <cstdio>

__global__ void run(float tiny, float* out, double tinier, double* d) {
  const int t = threadIdx.x;
  const float x = tiny * (t + 1);
  out[t * 8] = x;
  out[t * 8 + 1] = x / 2;
  out[t * 8 + 2] = x + tiny;
  out[t * 8 + 3] = x - tiny * t;
  out[t * 8 + 4] = fmaf(x, 0.5f, tiny);
  out[t * 8 + 5] = x * 1e20f;
  out[t * 8 + 6] = fabsf(-x) > 0 ? 1 : 0;
  out[t * 8 + 7] = fminf(x, 1e-39f);
  d[t] = tinier * (t + 1) / 2;
}

int main() {
  const int n = 32;
  float* out;
  double* d;
  cudaMallocManaged(&out, n * 8 * sizeof(float));
  cudaMallocManaged(&d, n * sizeof(double));
  volatile float tiny = 1e-41f;
  volatile double tinier = 1e-315;
  run<<<1, n>>>(tiny, out, tinier, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    volatile float x = tiny * (t + 1);
    wrong += out[t * 8] != x || out[t * 8 + 1] != x / 2 || out[t * 8 + 2] != x + tiny || out[t * 8 + 3] == 0;
    wrong += out[t * 8 + 5] != x * 1e20f || out[t * 8 + 6] != 1 || d[t] != tinier * (t + 1) / 2;
  }
  printf("%.6g %.6g %.6g %.6g %.6g %.6g\n", out[8], out[9], out[10], out[11], out[12], d[3]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(d);
}

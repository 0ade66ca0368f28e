// Linear equations by elimination with pivoting, one block; the pivot's row found by a block-wide vote on 64-bit keys.
// Easily got wrong: the multiplier is read by all of a row's threads before anyone overwrites it.
#include <cmath>
#include <cstdio>

constexpr int N = 24;

__global__ void solve(double* a, double* x) {  // a: N rows of N + 1
  __shared__ unsigned long long best;
  __shared__ double factor[N];
  const int t = threadIdx.x;
  for (int k = 0; k < N; ++k) {
    if (t == 0) best = 0;
    __syncthreads();
    if (t >= k && t < N) {
      const unsigned size = __float_as_uint(fabsf(float(a[t * (N + 1) + k])));
      atomicMax(&best, (unsigned long long)size << 32 | unsigned(N - t));
    }
    __syncthreads();
    const int pivot = N - int(best & 0xffffffff);
    if (pivot != k && t <= N) {
      const double v = a[k * (N + 1) + t];
      a[k * (N + 1) + t] = a[pivot * (N + 1) + t];
      a[pivot * (N + 1) + t] = v;
    }
    __syncthreads();
    if (t < N) factor[t] = a[t * (N + 1) + k] / a[k * (N + 1) + k];
    __syncthreads();
    for (int i = t; i < N * (N + 1); i += blockDim.x) {
      const int row = i / (N + 1), column = i % (N + 1);
      if (row != k && column >= k) a[i] -= factor[row] * a[k * (N + 1) + column];
    }
    __syncthreads();
  }
  if (t < N) x[t] = a[t * (N + 1) + N] / a[t * (N + 1) + t];
}

int main() {
  double *a, *x;
  cudaMallocManaged(&a, N * (N + 1) * sizeof(double));
  cudaMallocManaged(&x, N * sizeof(double));
  for (int r = 0; r < N; ++r) {
    double b = 0;
    for (int c = 0; c < N; ++c) {
      a[r * (N + 1) + c] = r == c ? (r == 3 ? 0 : 7) : (r * 5 + c * 11) % 13 - 6;
      b += a[r * (N + 1) + c] * (c - 10);
    }
    a[r * (N + 1) + N] = b;
  }
  solve<<<1, 128>>>(a, x);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += !(std::fabs(x[i] - (i - 10)) < 1e-8);
  printf("%.6f %.6f %.6f\n", x[0], x[3], x[23]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(x);
}

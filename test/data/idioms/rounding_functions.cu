// rint, round, floor, ceil, trunc, nearbyint and lround on ties, on negative zero, on infinities, in both precisions.
// Easily got wrong: roundf goes away from zero at a tie, rintf to even; -0.3 rounds to -0.
#include <cstdio>

template <typename T>
__global__ void run(const T* in, int n) {
  for (int i = 0; i < n; ++i) {
    const T x = in[i];
    printf("%g: rint %g round %g floor %g ceil %g trunc %g nearbyint %g\n", double(x), double(rint(x)), double(round(x)),
           double(floor(x)), double(ceil(x)), double(trunc(x)), double(nearbyint(x)));
    if (x - x == 0) printf("  %ld %ld %lld %lld %d\n", lround(x), lrint(x), llround(x), llrint(x), int(x));
  }
}
__global__ void run_single(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[i];
    printf("%g: %g %g %g %g %g %g %ld\n", x, rintf(x), roundf(x), floorf(x), ceilf(x), truncf(x), nearbyintf(x), lroundf(x * 0 == 0 ? x : 0));
  }
}

int main() {
  const double h[] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.3, -0.3, 0.0, -0.0, 8388607.5, 0.49999997, -7.9999, INFINITY, -INFINITY};
  const int n = sizeof h / sizeof *h;
  double* d;
  float* f;
  cudaMallocManaged(&d, sizeof h);
  cudaMallocManaged(&f, n * sizeof(float));
  for (int i = 0; i < n; ++i) d[i] = h[i], f[i] = float(h[i]);
  run<double><<<1, 1>>>(d, n);
  cudaDeviceSynchronize();
  run<float><<<1, 1>>>(f, n);
  cudaDeviceSynchronize();
  run_single<<<1, 1>>>(f, n);
  cudaDeviceSynchronize();
  cudaFree(d);
  cudaFree(f);
}

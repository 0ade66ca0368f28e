// The double-precision library at zeros, infinities, NaN, huge and tiny arguments.
// Easily got wrong: sin(1e300) has a right answer, and exp overflows at 709.78.
#include <cstdio>

__device__ double plain(double x) { return isnan(x) ? 12345.0 : x; }

__global__ void run(const double* in, int n) {
  for (int i = 0; i < n; ++i) {
    const double x = in[i];
    printf("x = %g\n", plain(x));
    printf(" %.10g %.10g %.10g %.10g\n", plain(sin(x)), plain(cos(x)), plain(tan(x)), plain(atan(x)));
    printf(" %.10g %.10g %.10g\n", plain(exp(x)), plain(exp2(x)), plain(expm1(x)));
    printf(" %.10g %.10g %.10g %.10g\n", plain(log(x)), plain(log2(x)), plain(log1p(x)), plain(log10(x)));
    printf(" %.10g %.10g %.10g\n", plain(sqrt(x)), plain(cbrt(x)), plain(1 / x));
    printf(" %.10g %.10g %.10g %.10g\n", plain(pow(x, 0.0)), plain(pow(1.0, x)), plain(pow(x, 2.0)), plain(pow(x, -3.0)));
    printf(" %.10g %.10g %.10g\n", plain(atan2(x, -1.0)), plain(atan2(0.0, x)), plain(hypot(x, 1e300)));
    printf(" %.10g %.10g %.10g\n", plain(tanh(x)), plain(erf(x)), plain(fmod(x, 5.0)));
  }
}

int main() {
  const double h[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e300, -1e10, 1e-300, 710, -746, 1e-310};
  double* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  run<<<1, 1>>>(d, int(sizeof h / 8));
  cudaDeviceSynchronize();
  cudaFree(d);
}

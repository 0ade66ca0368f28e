// The single-precision library at zeros, infinities, NaN, huge and tiny arguments.
// Easily got wrong: powf(x, 0) is 1 even for a NaN, atan2f knows the sign of a zero, expf overflows at 88.7.
#include <cstdio>

__device__ float plain(float x) { return isnan(x) ? 12345.0f : x; }  // the sign of a NaN is nobody's business

__global__ void run(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[i];
    printf("x = %g\n", plain(x));
    printf(" %.4g %.4g %.4g %.4g\n", plain(sinf(x)), plain(cosf(x)), plain(tanf(x)), plain(atanf(x)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(expf(x)), plain(exp2f(x)), plain(expm1f(x)), plain(exp10f(x)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(logf(x)), plain(log2f(x)), plain(log1pf(x)), plain(log10f(x)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(sqrtf(x)), plain(rsqrtf(x)), plain(cbrtf(x)), plain(1 / x));
    printf(" %.4g %.4g %.4g %.4g %.4g\n", plain(powf(x, 0)), plain(powf(1, x)), plain(powf(x, 2)), plain(powf(x, -3)), plain(powf(x, 0.5f)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(atan2f(x, -1)), plain(atan2f(0, x)), plain(atan2f(-0.0f, x)), plain(hypotf(x, 1e30f)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(sinhf(x)), plain(coshf(x)), plain(tanhf(x)), plain(erff(x)));
    printf(" %.4g %.4g %.4g %.4g\n", plain(asinf(x)), plain(acosf(x)), plain(fmodf(5, x)), plain(fmodf(x, 5)));
  }
}

int main() {
  const float h[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e30f, -1e5f, 1e-30f, 89, -104, 1e-40f};
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  run<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}

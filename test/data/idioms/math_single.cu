// The single-precision library, at ordinary arguments and at special ones; printed with four digits.
// Easily got wrong: sinf of a large argument needs a real reduction, powf of a negative base an integer exponent.
#include <cstdio>

__global__ void run(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[i], p = fabsf(x) + 0.25f, u = x / 40;
    printf("x = %g\n", x);
    printf(" %.4g %.4g %.4g %.4g %.4g\n", sinf(x), cosf(x), tanf(x), sinpif(x + 0.1f), cospif(x + 0.1f));
    printf(" %.4g %.4g %.4g %.4g %.4g\n", asinf(u), acosf(u), atanf(x), atan2f(x, 2), atan2f(-1, x));
    printf(" %.4g %.4g %.4g %.4g\n", expf(x), exp2f(x), exp10f(u), expm1f(u / 100));
    printf(" %.4g %.4g %.4g %.4g\n", logf(p), log2f(p), log10f(p), log1pf(p / 1000));
    printf(" %.4g %.4g %.4g %.4g %.4g\n", powf(p, 2.5f), powf(x, 3), powf(2, x), powf(p, 0), powf(-2, 3));
    printf(" %.4g %.4g %.4g %.4g %.4g\n", sqrtf(p), rsqrtf(p), cbrtf(x), hypotf(x, 3), rhypotf(x, 4));
    printf(" %.4g %.4g %.4g\n", sinhf(u), coshf(u), tanhf(x));
    printf(" %.4g %.4g %.4g\n", asinhf(x), acoshf(p + 1), atanhf(u));
    printf(" %.4g %.4g %.4g %.4g\n", erff(x), erfcf(u), tgammaf(p), lgammaf(p));
    float s, c;
    sincosf(x, &s, &c);
    printf(" %.4g %.4g %.3f %.3f\n", s, c, norm3df(x, 1, 2), fabsf(s * s + c * c));
    printf(" %.2f %.2f %.3g %.2f %.2f\n", __sinf(u), __cosf(u), __expf(u), __logf(p), __powf(p, 1.5f));
  }
}

int main() {
  const float h[] = {0.5f, 1, -2, 3.7f, 10, -33, 0.001f};
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  run<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}

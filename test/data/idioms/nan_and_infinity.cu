// fmin and fmax ignore a NaN, comparisons with one are false; isnan, isinf, isfinite, signbit, copysign, fdim.
// Easily got wrong: !(a < b) is not a >= b when a NaN may come.
#include <math_constants.h>

#include <cstdio>

__global__ void run(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const float a = in[i], b = in[j];
      const double c = a, d = b;
      const int order = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | !(a < b) << 6;
      const int doubles = (c < d) | (c <= d) << 1 | (c > d) << 2 | (c >= d) << 3 | (c == d) << 4 | (c != d) << 5;
      const float low = fminf(a, b), high = fmaxf(a, b);
      const float zeros = a == 0 && b == 0 ? 0 : low;  // of +0 and -0 either may be the lesser
      printf("%g %g: %d %d %g %g %g %g ", a, b, order, doubles, zeros, a == 0 && b == 0 ? 0 : high, fmin(c, d) + 0.0, fmax(c, d) + 0.0);
      printf("%g %g %d\n", copysignf(a != a ? 1 : a, b != b ? 1 : b), fdimf(a, b), __isnanf(fmodf(a, b)) != 0);
    }
    const float a = in[i];
    printf("%d %d %d %d\n", isnan(a) != 0, isinf(a) != 0, isfinite(a) != 0, isnan(a) ? 0 : signbit(a) != 0);
    const double d = a;
    printf("%d %d %d %g\n", isnan(d) != 0, isinf(d) != 0, isfinite(d) != 0, fabs(d));
  }
  printf("%d %d %d\n", isnan(sqrtf(-in[1])), isinf(1.0f / in[0]), isnan(in[0] / in[0]));
  printf("%d %d\n", isnan(nanf("")), __isinff(CUDART_INF_F));
}

int main() {
  const float h[] = {0.0f, 1.5f, -0.0f, -3.0f, INFINITY, -INFINITY, NAN};
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  run<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}

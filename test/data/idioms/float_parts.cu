// Taking floats apart: ldexp, frexp, modf, scalbn, ilogb, logb, nextafter, remainder, remquo, fmod.
// Easily got wrong: frexp's mantissa lies in [0.5, 1), remainder rounds to even where fmod truncates.
#include <cstdio>

__global__ void single(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[i];
    int e, q;
    float whole;
    const float m = frexpf(x, &e), part = modff(x, &whole), rest = remquof(x, 3, &q);
    printf("%g: %g %d | %g %g | %g %g | ", x, m, e, part, whole, ldexpf(x, 5), scalbnf(x, -140));
    printf("%d %g | %a %a | ", x == 0 ? 0 : ilogbf(x), x == 0 ? 0 : logbf(x), nextafterf(x, 1e38f), nextafterf(x, -1e38f));
    printf("%g %g %d | %g %g\n", remainderf(x, 2), rest, q & 7, fmodf(x, 3), fmodf(x, -0.3f));
  }
}
__global__ void twice(const float* in, int n) {
  for (int i = 0; i < n; ++i) {
    const double x = in[i];
    int e, q;
    double whole;
    const double m = frexp(x, &e), part = modf(x, &whole), rest = remquo(x, 3.0, &q);
    printf("%g: %g %d | %g %g | %g %g | ", x, m, e, part, whole, ldexp(x, 5), scalbn(x, -1060));
    printf("%d %g | %a %a | ", x == 0 ? 0 : ilogb(x), x == 0 ? 0 : logb(x), nextafter(x, 1e300), nextafter(x, -1e300));
    printf("%g %g %d | %g %g\n", remainder(x, 2.0), rest, q & 7, fmod(x, 3.0), fmod(x, -0.25));
  }
}

int main() {
  const float h[] = {0, 1, -1, 2.5f, -7.25f, 1000, 5, 3, -9, 0.1f, 1e20f, 1e-30f, 1e-40f, 1048576.5f};
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  single<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  twice<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}

// Complex numbers with cuComplex.h: powers that stay in the Mandelbrot set, and all functions.
#include <cuComplex.h>

#include <cstdio>

__device__ int steps_of(cuComplex c) {
  cuComplex z = make_cuComplex(0, 0);
  for (int i = 0; i < 50; ++i) {
    if (cuCabsf(z) > 2) return i;
    z = cuCaddf(cuCmulf(z, z), c);
  }
  return 50;
}

__global__ void draw(char* picture, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  const int steps = steps_of(make_cuFloatComplex(-2.0f + 3.0f * x / width, -1.2f + 2.4f * y / height));
  picture[y * width + x] = steps == 50 ? '#' : steps > 8 ? '+' : steps > 4 ? '.' : ' ';
}

template <typename T>
struct Results {
  T values[16];
};

__global__ void compute(Results<float>* f, Results<double>* d) {
  const cuFloatComplex a = make_cuFloatComplex(3, -4), b = make_cuFloatComplex(0.5f, 2);
  const cuFloatComplex of_f[] = {cuCaddf(a, b), cuCsubf(a, b), cuCmulf(a, b), cuCdivf(a, b), cuConjf(a), cuCfmaf(a, b, a)};
  const cuDoubleComplex c = make_cuDoubleComplex(3e200, -4e200), e = cuComplexFloatToDouble(b);
  const cuDoubleComplex of_d[] = {cuCadd(c, e), cuCsub(c, e), cuCmul(c, e), cuCdiv(e, c), cuConj(c), cuCfma(e, e, e)};
  for (int i = 0; i < 6; ++i) {
    f->values[2 * i] = cuCrealf(of_f[i]);
    f->values[2 * i + 1] = cuCimagf(of_f[i]);
    d->values[2 * i] = cuCreal(of_d[i]);
    d->values[2 * i + 1] = cuCimag(of_d[i]);
  }
  f->values[12] = cuCabsf(a);
  d->values[12] = cuCabs(c);
  f->values[13] = cuCrealf(cuComplexDoubleToFloat(e));
}

int main() {
  constexpr int WIDTH = 64, HEIGHT = 20;
  char* picture;
  cudaMallocManaged(&picture, WIDTH * HEIGHT);
  draw<<<HEIGHT, WIDTH>>>(picture, WIDTH, HEIGHT);
  Results<float>* f;
  Results<double>* d;
  cudaMallocManaged(&f, sizeof *f);
  cudaMallocManaged(&d, sizeof *d);
  compute<<<1, 1>>>(f, d);
  cudaDeviceSynchronize();
  for (int y = 0; y < HEIGHT; ++y) printf("%.*s\n", WIDTH, picture + y * WIDTH);
  for (int i = 0; i < 14; ++i) printf("%.5g%c", f->values[i], i == 13 ? '\n' : ' ');
  for (int i = 0; i < 13; ++i) printf("%.12g%c", d->values[i], i == 12 ? '\n' : ' ');
  printf("host %g\n", cuCabsf(cuCdivf(make_cuComplex(3, 4), make_cuComplex(0, 1))));
  cudaFree(picture);
  cudaFree(f);
  cudaFree(d);
}

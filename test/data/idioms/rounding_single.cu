// The four rounding modes of single precision: sums, products, quotients, roots, reciprocals, fused products.
// Printed as bits, because the last one is the point.
#include <cstdio>

__global__ void rounding(const float* x, int n) {
  for (int i = 0; i + 2 < n; ++i) {
    const float a = x[i], b = x[i + 1], c = x[i + 2];
#define SHOW(name, ...) \
  printf("%s %08x %08x %08x %08x\n", name, __float_as_uint(__f##__VA_ARGS__##_rn ARGS), \
         __float_as_uint(__f##__VA_ARGS__##_rz ARGS), __float_as_uint(__f##__VA_ARGS__##_ru ARGS), \
         __float_as_uint(__f##__VA_ARGS__##_rd ARGS));
#define ARGS (a, b)
    SHOW("add", add)
    SHOW("sub", sub)
    SHOW("mul", mul)
    SHOW("div", div)
#undef ARGS
#define ARGS (a, b, c)
    SHOW("fma", maf)
#undef ARGS
#define ARGS (fabsf(a))
    SHOW("sqrt", sqrt)
    SHOW("rcp", rcp)
#undef ARGS
    printf("rsqrt %08x\n", __float_as_uint(__frsqrt_rn(fabsf(b))) & ~1u);
  }
}

int main() {
  const float h[] = {1.0f, 3.0f,     0.1f,   1e-8f,  -7.3f, 16777216.0f, 1.0f,   -1e38f, 3e38f,
                     10.0f, 1e-40f, -1e-38f, 0.5f,   -0.0f, 2.0f,        1e-45f, 1e-45f, 123.456f};
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  rounding<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}

// The four rounding modes of double precision, printed as bits.
// Easily got wrong: __dsqrt_ru is not sqrt() plus one, and a fused product rounds once.
#include <cstdio>

__global__ void rounding(const double* x, int n) {
  for (int i = 0; i + 2 < n; ++i) {
    const double a = x[i], b = x[i + 1], c = x[i + 2];
#define LINE(name, rn, rz, ru, rd) \
  printf("%s %016llx %016llx %016llx %016llx\n", name, __double_as_longlong(rn), __double_as_longlong(rz), \
         __double_as_longlong(ru), __double_as_longlong(rd));
    LINE("add", __dadd_rn(a, b), __dadd_rz(a, b), __dadd_ru(a, b), __dadd_rd(a, b))
    LINE("sub", __dsub_rn(a, b), __dsub_rz(a, b), __dsub_ru(a, b), __dsub_rd(a, b))
    LINE("mul", __dmul_rn(a, b), __dmul_rz(a, b), __dmul_ru(a, b), __dmul_rd(a, b))
    LINE("div", __ddiv_rn(a, b), __ddiv_rz(a, b), __ddiv_ru(a, b), __ddiv_rd(a, b))
    LINE("fma", __fma_rn(a, b, c), __fma_rz(a, b, c), __fma_ru(a, b, c), __fma_rd(a, b, c))
    const double p = fabs(a);
    LINE("sqrt", __dsqrt_rn(p), __dsqrt_rz(p), __dsqrt_ru(p), __dsqrt_rd(p))
    LINE("rcp", __drcp_rn(a), __drcp_rz(a), __drcp_ru(a), __drcp_rd(a))
  }
}

int main() {
  const double h[] = {1, 3, 0.1, 1e-17, -7.3, 9007199254740992., 1, -1e308, 1.7e308, 10, 1e-310, -1e-308, 0.5, 2, 123.456};
  double* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  rounding<<<1, 1>>>(d, int(sizeof h / 8));
  cudaDeviceSynchronize();
  cudaFree(d);
}

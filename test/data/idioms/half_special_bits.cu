// What half precision makes of NaN, infinities, zeros, ties and subnormal numbers, as bits. Easily got wrong: a NaN
// that is computed is always 7fff, and __hmax prefers a number to a NaN.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

__device__ unsigned short bits(half h) { return __half_as_ushort(h); }
__device__ unsigned short bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }

template <typename T>
__global__ void ask(T a, T b, T c, unsigned short* out) {
  const T results[] = {__hadd_rn(a, b), __hsub_rn(a, b), __hmul_rn(a, b), __hfma(a, b, c), __hfma_relu(a, b, c),
                       __hneg(a),       __habs(a),       __hmin(a, b),    __hmax(a, b),    __hmax_nan(a, b)};
  for (int i = 0; i < 10; ++i) out[i] = bits(results[i]);
  out[10] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hge(a, b) << 3 | __hneu(a, b) << 4 |
            __hltu(a, b) << 5 | __hisnan(a) << 6;
}

__global__ void convert(float x, unsigned short* out) {
  out[0] = bits(__float2half_rn(x));
  out[1] = bits(__float2half_rz(x));
  out[2] = bits(__float2half_ru(x));
  out[3] = bits(__float2half_rd(x));
  out[4] = bits(__float2bfloat16_rn(x));
  out[5] = bits(__float2bfloat16_rz(x));
  const half2 pair = __floats2half2_rn(x, -x);
  out[6] = bits(__low2half(pair));
  out[7] = bits(__high2half(pair));
}

void print(const unsigned short* out, int n) {
  for (int i = 0; i < n; ++i) printf(" %04x", out[i]);
  printf("\n");
}

int main() {
  unsigned short* out;
  cudaMallocManaged(&out, 11 * sizeof(*out));
  const unsigned short operands[][3] = {{0xfe01, 0x3c00, 0x3c00}, {0x7c00, 0xfc00, 0},      {0x0001, 0x3800, 0x8000},
                                        {0x8000, 0x0000, 0x8000}, {0x3c01, 0x3c01, 0xbc00}, {0x7bff, 0x7bff, 0xfc00},
                                        {0x3f81, 0x3fc0, 0x0d80}, {0xffff, 0x7f81, 0x0001}};
  for (const auto& o : operands) {
    ask<<<1, 1>>>(__ushort_as_half(o[0]), __ushort_as_half(o[1]), __ushort_as_half(o[2]), out);
    cudaDeviceSynchronize();
    printf("half");
    print(out, 11);
    ask<<<1, 1>>>(__ushort_as_bfloat16(o[0]), __ushort_as_bfloat16(o[1]), __ushort_as_bfloat16(o[2]), out);
    cudaDeviceSynchronize();
    printf("bf16");
    print(out, 11);
  }
  for (const float x : {65519.9f, 65520.0f, 1e9f, 5.9604645e-8f, 2.9802322e-8f, 3e-8f, -1e-30f, 1.00390625f, -0.0f,
                        3.4e38f, 2049.0f}) {
    convert<<<1, 1>>>(x, out);
    cudaDeviceSynchronize();
    printf("%g:", x);
    print(out, 8);
  }
  cudaFree(out);
}

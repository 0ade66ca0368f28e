// A row of a layer norm in BF16: sums in float, each element rounded once at the end. Easily got wrong: sums in BF16
// stop growing at 256.
#include <cuda_bf16.h>

#include <cstdio>

__global__ void centre(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += __bfloat162float(x[i]);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  const float mean = sum / n;
  for (int i = threadIdx.x; i < n; i += 32) y[i] = __float2bfloat16(__bfloat162float(x[i]) - mean);
}

__global__ void count(__nv_bfloat16* sum) {
  __nv_bfloat16 s = __float2bfloat16(0);
  for (int i = 0; i < 1000; ++i) s = __hadd(s, __float2bfloat16(1));
  *sum = s;
}

int main() {
  const int n = 1024;
  __nv_bfloat16 *x, *y;
  cudaMallocManaged(&x, n * sizeof(*x));
  cudaMallocManaged(&y, (n + 1) * sizeof(*y));
  for (int i = 0; i < n; ++i) x[i] = __float2bfloat16(static_cast<float>(i % 64));
  centre<<<1, 32>>>(x, y, n);
  count<<<1, 1>>>(y + n);
  cudaDeviceSynchronize();
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31 + __bfloat16_as_ushort(y[i]);
  printf("mean 31.5: first %g, last %g, all %08x\n", __bfloat162float(y[0]), __bfloat162float(y[n - 1]), sum);
  printf("a thousand ones in BF16: %g\n", __bfloat162float(y[n]));
  cudaFree(x);
  cudaFree(y);
}

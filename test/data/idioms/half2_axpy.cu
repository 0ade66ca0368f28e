// y = a x + y in half precision, two elements to a thread: __hfma2 on half2. Easily got wrong: the last element of an
// odd length has no partner.
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

__global__ void axpy(int n, half a, const half* x, half* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    const half2 both = reinterpret_cast<const half2*>(x)[i];
    half2* const target = reinterpret_cast<half2*>(y) + i;
    *target = __hfma2(__half2half2(a), both, *target);
  } else if (2 * i < n) {
    y[2 * i] = __hfma(a, x[2 * i], y[2 * i]);
  }
}

int main() {
  const int n = 1001;
  std::vector<half> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(i * 0.37f - 100);
    y[i] = __float2half(1.0f / (i + 1));
  }
  half *dx, *dy;
  cudaMalloc(&dx, n * sizeof(half));
  cudaMalloc(&dy, n * sizeof(half));
  cudaMemcpy(dx, x.data(), n * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(half), cudaMemcpyHostToDevice);
  axpy<<<(n / 2 + 128) / 128, 128>>>(n, __float2half(0.1f), dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(half), cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31 + __half_as_ushort(y[i]);
  printf("first %04x, last %04x, all %08x\n", __half_as_ushort(y[0]), __half_as_ushort(y[n - 1]), sum);
  cudaFree(dx);
  cudaFree(dy);
}

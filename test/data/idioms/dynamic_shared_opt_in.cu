// More than 48 KiB of dynamic shared memory: refused until the kernel's attribute allows it.
// Easily got wrong: the refused launch leaves an error behind that the next check would report.
#include <cstdio>

__global__ void rotate(int* out, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += s[(i + n / 2) % n] * (i % 5);
  atomicAdd(out, sum);
}

int main() {
  const int bytes = 100 * 1024, n = bytes / 4;
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  rotate<<<1, 512, bytes>>>(out, n);
  printf("without: %s\n", cudaGetErrorName(cudaGetLastError()));
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  printf("at most %d bytes\n", most);
  printf("set: %s\n", cudaGetErrorName(cudaFuncSetAttribute(
      rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)));
  rotate<<<1, 512, bytes>>>(out, n);
  printf("with: %s\n", cudaGetErrorName(cudaGetLastError()));
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (i + n / 2) % n * (i % 5);
  printf("%d %s\n", *out, *out == sum ? "PASSED" : "FAILED");
  printf("too much: %s\n", cudaGetErrorName(cudaFuncSetAttribute(
      rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1)));
  cudaFree(out);
}

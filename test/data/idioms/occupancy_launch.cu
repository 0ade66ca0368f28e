// The launch that asks how many blocks fit, and how large they should be, and then covers any length with them.
// Easily got wrong: the answers are advice; the kernel must be right with any grid.
#include <cstdio>

__global__ void square(int* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] *= a[i];
}

int main() {
  const int n = 10000;
  int *a, per_sm = 0, grid = 0, block = 0, sms = 0, wrong = 0;
  cudaMallocManaged(&a, n * sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, square, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, square, 0, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  printf("%d blocks of 256 a multiprocessor\n", per_sm);
  printf("block is a multiple of a warp: %d, grid a multiple of the multiprocessors: %d\n", block > 0 && block % 32 == 0,
         grid > 0 && grid % sms == 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, square, 256, 40000);
  printf("%d with 40000 bytes of shared memory\n", per_sm);
  square<<<(n + block - 1) / block, block>>>(a, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += a[i] != i * i;
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
}

// The host waits for the kernel's own stream.
#include <cstdio>

__global__ void fill(int* data, int value) { data[threadIdx.x] = value; }

int main() {
  int *a, *b;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaMallocManaged(&a, 64 * sizeof(int));
  cudaMallocManaged(&b, 64 * sizeof(int));
  fill<<<1, 64, 0, first>>>(a, 1);
  fill<<<1, 64, 0, second>>>(b, 2);
  cudaStreamSynchronize(second);
  printf("%d\n", b[63]);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

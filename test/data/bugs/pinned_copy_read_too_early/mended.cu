// cudaStreamSynchronize() waits for the kernel and the copy.
#include <cstdio>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int *device, *host;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&device, 64 * sizeof(int));
  cudaMallocHost(&host, 64 * sizeof(int));
  fill<<<1, 64, 0, stream>>>(device);
  cudaMemcpyAsync(host, device, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("last %d\n", host[63]);
  cudaFree(device);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
}

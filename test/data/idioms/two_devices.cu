// devices: 2
// Two devices: work on each, a copy between them, and a kernel of one that reads the memory of the other.
// Easily got wrong: a stream belongs to the device that was current when it was made, and peer access must be switched on.
#include <cstdio>

__global__ void fill(int* data, int first) { data[threadIdx.x] = first + threadIdx.x; }
__global__ void add(const int* a, const int* b, int* sum) { sum[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < 2) return 1;
  int *data[2], *copy, *sum, host[32];
  cudaStream_t stream[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&data[d], sizeof host);
    cudaStreamCreate(&stream[d]);
    fill<<<1, 32, 0, stream[d]>>>(data[d], 100 * d);
  }

  cudaEvent_t ready;
  cudaSetDevice(1);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventRecord(ready, stream[1]);
  cudaSetDevice(0);
  cudaMalloc(&copy, sizeof host);
  cudaMalloc(&sum, sizeof host);
  cudaStreamWaitEvent(stream[0], ready, 0);
  cudaMemcpyPeerAsync(copy, 0, data[1], 1, sizeof host, stream[0]);
  add<<<1, 32, 0, stream[0]>>>(data[0], copy, sum);
  cudaStreamSynchronize(stream[0]);
  cudaMemcpy(host, sum, sizeof host, cudaMemcpyDefault);
  printf("by a copy %d\n", host[5]);
  int passed = host[5] == 110;

  int can = 0;
  cudaDeviceCanAccessPeer(&can, 0, 1);
  const cudaError_t on = cudaDeviceEnablePeerAccess(1, 0);
  const cudaError_t again = cudaDeviceEnablePeerAccess(1, 0);
  printf("can %d, %s, again %s\n", can, cudaGetErrorName(on), cudaGetErrorName(again));
  cudaGetLastError();
  add<<<1, 32, 0, stream[0]>>>(data[1], data[1], sum);
  cudaStreamSynchronize(stream[0]);
  cudaMemcpy(host, sum, sizeof host, cudaMemcpyDefault);
  printf("by peer access %d\n", host[5]);
  passed = passed && host[5] == 210;

  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, data[1]);
  printf("owner %d, off %s\n", attributes.device, cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
  puts(passed ? "PASSED" : "FAILED");
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaFree(data[d]);
    cudaStreamDestroy(stream[d]);
  }
  cudaFree(copy);
  cudaFree(sum);
  cudaEventDestroy(ready);
}

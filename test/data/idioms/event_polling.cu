// The host does other work while a kernel and copies run, and asks an event in between whether they are done.
// Easily got wrong: cudaErrorNotReady is an answer and no failure, but cudaGetLastError returns it too.
#include <cstdio>

__global__ void increment(int* data, int by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
}

int main() {
  const int n = 1 << 16, bytes = n * sizeof(int);
  int *host, *device;
  cudaMallocHost(&host, bytes);
  cudaMalloc(&device, bytes);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, stream);
  cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
  increment<<<n / 256, 256, 0, stream>>>(device, 26, n);
  cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(stop, stream);
  unsigned long long turns = 0;
  cudaError_t answer;
  while ((answer = cudaEventQuery(stop)) == cudaErrorNotReady) ++turns;
  cudaGetLastError();
  float ms = -1;
  const cudaError_t timed = cudaEventElapsedTime(&ms, start, stop);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != i + 26;
  printf("%s, %s, time is positive: %d, last error: %s\n", cudaGetErrorName(answer), cudaGetErrorName(timed), ms > 0,
         cudaGetErrorName(cudaGetLastError()));
  puts(wrong ? "FAILED" : "PASSED");
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
}

// Work in two streams with asynchronous copies from pinned memory, an event that one stream waits for, a timing.
// Easily got wrong: without the event the second stream might read before the first has written.
#include <cstdio>

__global__ void add(int* a, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += by;
}
__global__ void multiply(const int* a, int* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * 3;
}

int main() {
  const int n = 5000, chunk = 1250;
  int *h, *result, *a, *b;
  cudaMallocHost(&h, n * sizeof(int));
  cudaHostAlloc(&result, n * sizeof(int), cudaHostAllocDefault);
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t begin, end, written;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
  cudaEventRecord(begin, first);
  for (int at = 0; at < n; at += chunk) {
    cudaMemcpyAsync(a + at, h + at, chunk * sizeof(int), cudaMemcpyHostToDevice, first);
    add<<<(chunk + 255) / 256, 256, 0, first>>>(a + at, chunk, at / chunk);
    cudaEventRecord(written, first);
    cudaStreamWaitEvent(second, written, 0);
    multiply<<<(chunk + 255) / 256, 256, 0, second>>>(a + at, b + at, chunk);
    cudaMemcpyAsync(result + at, b + at, chunk * sizeof(int), cudaMemcpyDeviceToHost, second);
  }
  cudaEventRecord(end, first);
  cudaEventSynchronize(end);
  cudaStreamSynchronize(second);
  float ms = -1;
  cudaEventElapsedTime(&ms, begin, end);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += result[i] != (i + i / chunk) * 3;
  printf("time is positive: %d, done: %d, stream idle: %d\n", ms > 0, cudaEventQuery(end) == cudaSuccess,
         cudaStreamQuery(second) == cudaSuccess);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaEventDestroy(written);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFreeHost(h);
  cudaFreeHost(result);
  cudaFree(a);
  cudaFree(b);
  puts(wrong ? "FAILED" : "PASSED");
}

// Stream-ordered allocation: cudaMallocAsync and cudaFreeAsync, the memory used between them in the same stream.
// Easily got wrong: another stream may use it only after an event; free does not wait on the host.
#include <cstdio>

__global__ void fill(int* a, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = v + i;
}
__global__ void add(const int* a, const int* b, int* c, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

int main() {
  const int n = 900;
  int* result;
  cudaMallocManaged(&result, 3 * n * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int round = 0; round < 3; ++round) {
    int *a, *b;
    cudaMallocAsync(&a, n * sizeof(int), stream);
    fill<<<1, 128, 0, stream>>>(a, n, round);
    cudaMallocAsync(&b, n * sizeof(int), stream);
    fill<<<1, 128, 0, stream>>>(b, n, 100);
    add<<<1, 128, 0, stream>>>(a, b, result + round * n, n);
    cudaFreeAsync(a, stream);
    cudaFreeAsync(b, stream);
  }
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (int i = 0; i < 3 * n; ++i) wrong += result[i] != i / n + 100 + 2 * (i % n);
  printf("%d %d %s\n", result[0], result[3 * n - 1], wrong ? "FAILED" : "PASSED");
  cudaStreamDestroy(stream);
  cudaFree(result);
}

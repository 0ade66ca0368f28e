// new, delete, malloc and free in a kernel: each thread has an array of its own length on the device's heap.
// Easily got wrong: the heap outlives the kernel, and what a kernel allocates cudaFree cannot free.
#include <cstdio>

__device__ int* kept[64];

__global__ void allocate() {
  const int n = threadIdx.x % 7 + 1;
  kept[threadIdx.x] = new int[n];
  for (int i = 0; i < n; ++i) kept[threadIdx.x][i] = int(threadIdx.x) * 10 + i;
}
__global__ void collect(int* out) {
  const int n = threadIdx.x % 7 + 1;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += kept[threadIdx.x][i];
  delete[] kept[threadIdx.x];
  char* bytes = static_cast<char*>(malloc(n));
  for (int i = 0; i < n; ++i) bytes[i] = char(i);
  for (int i = 0; i < n; ++i) sum += 1000 * bytes[i];
  free(bytes);
  out[threadIdx.x] = sum;
}

int main() {
  int h[64], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  allocate<<<1, 64>>>();
  collect<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; ++t) {
    const int n = t % 7 + 1;
    wrong += h[t] != t * 10 * n + 1001 * n * (n - 1) / 2;
  }
  printf("%d %d %s\n", h[1], h[63], wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

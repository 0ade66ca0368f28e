// A parallel search that stops early: who finds the key sets a flag in global memory, the others look at it now and then.
// Easily got wrong: without volatile each thread might look once; the answer is the smallest index, by atomicMin.
#include <cstdio>

__global__ void find_first(const int* a, int n, int key, int* found) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (*(volatile int*)found < i) return;  // something earlier is known
    if (a[i] == key) {
      atomicMin(found, i);
      return;
    }
  }
}

int main() {
  const int n = 20000;
  int *a, *found, wrong = 0;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&found, sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i % 5000 + i / 10000 * 5000;
  for (int key : {0, 4999, 7500, 123, 99999}) {
    *found = n;
    find_first<<<8, 96>>>(a, n, key, found);
    cudaDeviceSynchronize();
    int expected = 0;
    while (expected < n && a[expected] != key) ++expected;
    printf("%d at %d\n", key, *found);
    wrong += *found != expected;
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(found);
}

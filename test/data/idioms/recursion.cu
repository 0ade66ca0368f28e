// Recursion on the device: factorial, Ackermann's function in small, and a quicksort, each lane to its own depth.
// Easily got wrong: the stack is per thread and its size is a limit of the device.
#include <cstdio>

__device__ unsigned long long factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ void quicksort(int* a, int low, int high) {
  if (low >= high) return;
  const int pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      const int t = a[i]; a[i] = a[j]; a[j] = t;
      ++i; --j;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}

__global__ void recurse(unsigned long long* f, int* a, int* sorted) {
  const int t = threadIdx.x;
  f[t] = factorial(t % 21);
  a[t] = ackermann(2, t % 6);
  quicksort(sorted + t * 16, 0, 15);
}

int main() {
  const int n = 32;
  unsigned long long* f;
  int *a, *sorted, wrong = 0;
  cudaDeviceSetLimit(cudaLimitStackSize, 16384);
  cudaMallocManaged(&f, n * sizeof *f);
  cudaMallocManaged(&a, n * sizeof *a);
  cudaMallocManaged(&sorted, n * 16 * sizeof(int));
  for (int i = 0; i < n * 16; ++i) sorted[i] = i * 7919 % 101;
  recurse<<<1, n>>>(f, a, sorted);
  cudaDeviceSynchronize();
  for (int t = 0; t < n; ++t) {
    wrong += a[t] != 2 * (t % 6) + 3;
    for (int i = 1; i < 16; ++i) wrong += sorted[t * 16 + i - 1] > sorted[t * 16 + i];
  }
  printf("%llu %llu %d %d\n", f[5], f[20], a[5], sorted[0]);
  puts(wrong || f[20] != 2432902008176640000ull ? "FAILED" : "PASSED");
  cudaFree(f);
  cudaFree(a);
  cudaFree(sorted);
}

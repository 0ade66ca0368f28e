// A binary search per thread, and the sieve of Eratosthenes with one thread per number that strikes its multiples.
// Easily got wrong: many threads write the same byte, which is fine as long as they write the same value.
#include <algorithm>
#include <cstdio>

__global__ void sieve(unsigned char* composite, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (p * p >= n) return;
  for (int m = p * p; m < n; m += p) composite[m] = 1;
}
__global__ void lower_bounds(const int* sorted, int n, const int* wanted, int* found, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int low = 0, high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (sorted[middle] < wanted[i]) low = middle + 1;
    else high = middle;
  }
  found[i] = low;
}

int main() {
  const int n = 5000, m = 600;
  unsigned char* composite;
  int *primes, *wanted, *found, count = 0, wrong = 0;
  cudaMallocManaged(&composite, n);
  cudaMallocManaged(&primes, n * sizeof(int));
  cudaMallocManaged(&wanted, m * sizeof(int));
  cudaMallocManaged(&found, m * sizeof(int));
  cudaMemset(composite, 0, n);
  sieve<<<2, 64>>>(composite, n);
  cudaDeviceSynchronize();
  for (int i = 2; i < n; ++i) if (!composite[i]) primes[count++] = i;
  for (int i = 0; i < m; ++i) wanted[i] = i * 9 - 50;
  lower_bounds<<<(m + 127) / 128, 128>>>(primes, count, wanted, found, m);
  cudaDeviceSynchronize();
  for (int i = 0; i < m; ++i) wrong += found[i] != std::lower_bound(primes, primes + count, wanted[i]) - primes;
  printf("%d primes, the last %d, %d %d\n", count, primes[count - 1], found[100], found[m - 1]);
  puts(wrong || count != 669 ? "FAILED" : "PASSED");
  cudaFree(composite);
  cudaFree(primes);
  cudaFree(wanted);
  cudaFree(found);
}

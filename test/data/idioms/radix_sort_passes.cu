// Radix sort of many keys by 4 bits a pass: histogram of each block, scan of all of them, stable scatter.
// Easily got wrong: the histograms are scanned digit by digit over all blocks, not block by block.
#include <algorithm>
#include <cstdio>

constexpr int THREADS = 128, DIGITS = 16;

__global__ void count(const unsigned* keys, int n, int shift, int* counts) {
  __shared__ int own[DIGITS];
  if (threadIdx.x < DIGITS) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(&own[keys[i] >> shift & 15], 1);
  __syncthreads();
  if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}
__global__ void scan(int* counts, int n) {  // one thread: simple, and short enough
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int c = counts[i];
    counts[i] = sum;
    sum += c;
  }
}
__global__ void scatter(const unsigned* in, unsigned* out, int n, int shift, const int* offsets) {
  __shared__ unsigned char digits[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  const int digit = i < n ? in[i] >> shift & 15 : 255;
  digits[t] = static_cast<unsigned char>(digit);
  __syncthreads();
  if (i >= n) return;
  int before = 0;
  for (int k = 0; k < t; ++k) before += digits[k] == digit;
  out[offsets[digit * gridDim.x + blockIdx.x] + before] = in[i];
}

int main() {
  const int n = 3001, blocks = (n + THREADS - 1) / THREADS;
  static unsigned h[n], sorted[n];
  unsigned *a, *b, x = 7;
  int* counts;
  for (int i = 0; i < n; ++i) sorted[i] = h[i] = (x = x * 1664525 + 1013904223) >> 12;  // 20 bits
  std::sort(sorted, sorted + n);
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  cudaMalloc(&counts, DIGITS * blocks * sizeof(int));
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  for (int shift = 0; shift < 20; shift += 4) {
    count<<<blocks, THREADS>>>(a, n, shift, counts);
    scan<<<1, 1>>>(counts, DIGITS * blocks);
    scatter<<<blocks, THREADS>>>(a, b, n, shift, counts);
    std::swap(a, b);
  }
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  printf("%u %u %u %s\n", h[0], h[n / 2], h[n - 1], std::equal(h, h + n, sorted) ? "PASSED" : "FAILED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(counts);
}

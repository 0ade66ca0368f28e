// A histogram of text with one copy in each block's shared memory, merged at the end.
// Easily got wrong: clearing and merging must cover all bins whatever the block's size.
#include <cstdio>
#include <cstring>

__global__ void histogram(const unsigned char* text, int n, unsigned* bins) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&own[text[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) if (own[b]) atomicAdd(&bins[b], own[b]);
}

int main() {
  const char line[] = "The quick brown fox jumps over the lazy dog; 0123456789 times, \xe4\xf6\xfc!";
  const int n = 9001;
  static unsigned char text[n];
  for (int i = 0; i < n; ++i) text[i] = static_cast<unsigned char>(line[(i * 7) % strlen(line)]);
  unsigned expected[256] = {}, h[256], *bins;
  for (unsigned char c : text) ++expected[c];
  unsigned char* d;
  cudaMalloc(&d, n);
  cudaMalloc(&bins, sizeof h);
  cudaMemcpy(d, text, n, cudaMemcpyHostToDevice);
  for (int threads : {96, 256, 1024}) {
    cudaMemset(bins, 0, sizeof h);
    histogram<<<6, threads>>>(d, n, bins);
    cudaMemcpy(h, bins, sizeof h, cudaMemcpyDeviceToHost);
    printf("e %u, space %u, z %u, last %u %s\n", h['e'], h[' '], h['z'], h[0xfc],
           memcmp(h, expected, sizeof h) ? "FAILED" : "PASSED");
  }
  cudaFree(d);
  cudaFree(bins);
}

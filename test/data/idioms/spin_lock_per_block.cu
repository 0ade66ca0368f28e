// One thread of each block takes the lock for all of it; the block adds its histogram without atomics.
// Easily got wrong: barriers on both sides of the critical section, and a fence before the release.
#include <cstdio>

__device__ int mutex = 0;

__global__ void merge(const int* in, volatile int* bins, int n) {
  __shared__ int own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = bins[threadIdx.x] + own[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&mutex, 0);
}

int main() {
  const int n = 5000;
  int *in, *bins, h[16], expected[16] = {};
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMalloc(&bins, sizeof h);
  cudaMemset(bins, 0, sizeof h);
  for (int i = 0; i < n; ++i) ++expected[(in[i] = i * i % 71) % 16];
  merge<<<(n + 127) / 128, 128>>>(in, bins, n);
  cudaMemcpy(h, bins, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int b = 0; b < 16; ++b) {
    printf("%d ", h[b]);
    wrong += h[b] != expected[b];
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(bins);
}

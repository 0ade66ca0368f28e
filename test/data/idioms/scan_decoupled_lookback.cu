// A scan in one launch: each block waits for the flag of the block before it. Blocks take their number from
// an atomic counter, so that whom one waits for has surely started.
#include <cstdio>

constexpr int THREADS = 64;
__device__ int next_block = 0;

__global__ void scan(const int* in, int* out, int n, volatile int* prefix, volatile int* ready) {
  __shared__ int s[THREADS];
  __shared__ int block, before;
  if (threadIdx.x == 0) block = atomicAdd(&next_block, 1);
  __syncthreads();
  const int t = threadIdx.x, i = block * THREADS + t;
  s[t] = i < n ? in[i] : 0;
  for (int d = 1; d < THREADS; d *= 2) {
    __syncthreads();
    const int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
  }
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    if (block > 0) {
      while (!ready[block - 1]) {}
      __threadfence();
      sum = prefix[block - 1];
    }
    prefix[block] = sum + s[THREADS - 1];
    __threadfence();
    ready[block] = 1;
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
}

int main() {
  const int n = 9999, blocks = (n + THREADS - 1) / THREADS;
  int *in, *out, *prefix, *ready;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMalloc(&prefix, blocks * sizeof(int));
  cudaMalloc(&ready, blocks * sizeof(int));
  cudaMemset(ready, 0, blocks * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i % 7 - 2;
  scan<<<blocks, THREADS>>>(in, out, n, prefix, ready);
  cudaDeviceSynchronize();
  int sum = 0, wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != (sum += in[i]);
  printf("%d %d %d\n", out[0], out[5000], out[n - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(prefix);
  cudaFree(ready);
}

// The sum of a warp with __shfl_down_sync, the total of a block through one partial sum per warp.
// Easily got wrong: only lane 0 holds the sum; the last warp-sized step needs zeros beyond the warps.
#include <cstdio>

__device__ int warp_sum(int v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int partial[32];
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    v = warp_sum(v);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

int main() {
  const int n = 10007;
  static int in[n];
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 17 - 5;
  int *d_in, *d_out, out;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  for (int threads : {32, 96, 256, 1024}) {
    cudaMemset(d_out, 0, sizeof out);
    sum<<<7, threads>>>(d_in, d_out, n);
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%d threads: %d %s\n", threads, out, out == expected ? "PASSED" : "FAILED");
  }
  cudaFree(d_in);
  cudaFree(d_out);
}

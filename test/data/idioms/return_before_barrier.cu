// Threads beyond n return before __syncthreads(), and the last warp returns only in part (n = 1000).
// Easily got wrong: a barrier waits for the threads that have not exited, so this is no deadlock.
#include <cstdio>

__global__ void reverse_block(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = in[i];
  __syncthreads();
  const int count = min(n - int(blockIdx.x * blockDim.x), int(blockDim.x));
  out[i] = s[count - 1 - threadIdx.x];
}

int main() {
  const int n = 1000;
  int in[n], out[n];
  for (int i = 0; i < n; ++i) in[i] = i * 3;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  reverse_block<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int begin = i / 256 * 256;
    const int end = begin + 256 < n ? begin + 256 : n;
    wrong += out[i] != 3 * (end - 1 - (i - begin));
  }
  printf("%d %d %d %d\n", out[0], out[255], out[768], out[999]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}

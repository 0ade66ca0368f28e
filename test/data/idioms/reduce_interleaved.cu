// The first reduction of every course: neighbours at distance 1, 2, 4, ... by `t % (2 * s) == 0`, then the
// variant without the modulus. Easily got wrong: the barrier stands outside the branch.
#include <cstdio>

__global__ void by_modulus(const int* in, int* out) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void by_index(const int* in, int* out) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    const unsigned index = 2 * d * t;
    if (index < blockDim.x) s[index] += s[index + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
  const int blocks = 8, threads = 128, n = blocks * threads;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 2 * blocks * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * i;
  by_modulus<<<blocks, threads, threads * sizeof(int)>>>(in, out);
  by_index<<<blocks, threads, threads * sizeof(int)>>>(in, out + blocks);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int b = 0; b < blocks; ++b) {
    int sum = 0;
    for (int i = 0; i < threads; ++i) sum += in[b * threads + i];
    wrong += out[b] != sum || out[blocks + b] != sum;
    printf("%d ", out[b]);
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

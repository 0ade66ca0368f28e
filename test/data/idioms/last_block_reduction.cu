// One launch reduces all: each block writes its sum, fences, draws a ticket; who draws the last adds the rest.
// Easily got wrong: the fence before the ticket, the volatile read after it, the counter ready for the next run.
#include <cstdio>

__device__ unsigned tickets = 0;

__device__ int block_sum(int v) {
  __shared__ int s[128];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int half = 64; half; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  const int sum = s[0];
  __syncthreads();
  return sum;
}

__global__ void sum(const int* in, volatile int* partial, int* out, int n) {
  __shared__ bool is_last;
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  const int mine = block_sum(v);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;  // wraps to 0 by itself
  }
  __syncthreads();
  if (is_last) {
    int rest = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) rest += partial[b];
    const int total = block_sum(rest);
    if (threadIdx.x == 0) *out = total;
  }
}

int main() {
  const int n = 50000, blocks = 200;
  int *in, *partial, *out, expected = 0;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMalloc(&partial, blocks * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) expected += in[i] = i % 313;
  for (int run = 0; run < 3; ++run) {
    *out = -1;
    sum<<<blocks, 128>>>(in, partial, out, n);
    cudaDeviceSynchronize();
    printf("%d %s\n", *out, *out == expected ? "PASSED" : "FAILED");
  }
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
}

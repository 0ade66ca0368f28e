// __threadfence() stands between the block's partial sum and its count.
#include <cstdio>

__device__ int finished = 0;

__global__ void sum(const int* in, int* partial, int* out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    if (atomicAdd(&finished, 1) == gridDim.x - 1) {
      int total = 0;
      for (int b = 0; b < gridDim.x; b++) total += partial[b];
      *out = total;
    }
  }
}

int main() {
  int *in, *partial, *out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMalloc(&partial, 4 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 256; i++) in[i] = i;
  sum<<<4, 64>>>(in, partial, out);
  cudaDeviceSynchronize();
  printf("sum %d\n", *out);
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
}

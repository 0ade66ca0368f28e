// cudaMemset() sets the memory to zero before the kernel adds.
#include <cstdio>

__global__ void add(const float* in, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += in[i];
}

int main() {
  int n = 256;
  float *in, *sum;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(sum, 0, n * sizeof(float));
  add<<<1, 256>>>(in, sum, n);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(sum);
}

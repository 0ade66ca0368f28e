// atomicAdd() adds to memory from cudaMalloc(). Nobody has set this memory to zero, so the total begins with old data.
#include <cstdio>

__global__ void count(const int* in, int* total) {
  if (in[threadIdx.x] > 10) atomicAdd(total, 1);
}

int main() {
  int in[64], *d_in, *total, result;
  for (int i = 0; i < 64; i++) in[i] = i;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  count<<<1, 64>>>(d_in, total);
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("done\n");
  cudaFree(d_in);
  cudaFree(total);
}

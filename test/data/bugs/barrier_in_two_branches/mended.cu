// One barrier stands after the branches.
#include <cstdio>

__global__ void exchange(int* data) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = data[t] + 1;
  } else {
    s[t] = data[t] - 1;
  }
  __syncthreads();
  data[t] = s[63 - t];
}

int main() {
  int* data;
  cudaMallocManaged(&data, 64 * sizeof(int));
  for (int i = 0; i < 64; i++) data[i] = i;
  exchange<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  printf("%d\n", data[0]);
  cudaFree(data);
}

// A prefix sum works in one array: a thread reads its neighbour's value while the neighbour already replaces it.
#include <cstdio>

__global__ void scan(int* data) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int left = t >= d ? s[t - d] : 0;
    s[t] += left;
    __syncthreads();
  }
  data[t] = s[t];
}

int main() {
  int* data;
  cudaMallocManaged(&data, 64 * sizeof(int));
  for (int i = 0; i < 64; i++) data[i] = 1;
  scan<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  printf("first %d\n", data[0]);
  cudaFree(data);
}

// threadIdx.x stands in place of threadIdx.y: many threads write each element of the tile's diagonal, and no others.
#include <cstdio>

__global__ void transpose(const int* in, int* out, int n) {
  __shared__ int tile[8][8];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.x][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 8 + threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  int n = 16;
  int *in, *out;
  cudaMallocManaged(&in, n * n * sizeof(int));
  cudaMallocManaged(&out, n * n * sizeof(int));
  for (int i = 0; i < n * n; i++) in[i] = i;
  transpose<<<dim3(2, 2), dim3(8, 8)>>>(in, out, n);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}

// Row and column are swapped in the index. Nobody notices as long as the matrix is square.
#include <cstdio>

__global__ void twice(float* m, int height, int width) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) m[col * width + row] *= 2;
}

int main() {
  int height = 24, width = 80;
  float* m;
  cudaMalloc(&m, height * width * sizeof(float));
  cudaMemset(m, 0, height * width * sizeof(float));
  twice<<<dim3(5, 2), dim3(16, 16)>>>(m, height, width);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(m);
  return error != cudaSuccess;
}

// row * pitch is computed in int and overflows from the third GiB on: the index becomes negative.
#include <cstdio>

__global__ void mark(char* image, int pitch) {
  int row = threadIdx.x;
  int at = row * pitch;
  image[at] = 1;
}

int main() {
  int rows = 3, pitch = 1 << 30;
  char* image;
  if (cudaMalloc(&image, (size_t)rows * pitch) != cudaSuccess) return 2;
  mark<<<1, rows>>>(image, pitch);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(image);
  return error != cudaSuccess;
}

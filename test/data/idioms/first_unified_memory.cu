// An even easier introduction: unified memory, one block of one thread, then one block, then many blocks.
// Easily got wrong: forget cudaDeviceSynchronize() and the host reads too early.
#include <cmath>
#include <iostream>

__global__ void add(int n, float* x, float* y) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride) y[i] = x[i] + y[i];
}

int main(void) {
  int n = 1 << 12;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  add<<<1, 1>>>(n, x, y);
  add<<<1, 256>>>(n, x, y);
  int block_size = 256;
  int blocks = (n + block_size - 1) / block_size;
  add<<<blocks, block_size>>>(n, x, y);
  cudaDeviceSynchronize();
  float worst = 0.0f;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - 5.0f));
  std::cout << "Max error: " << worst << std::endl;
  std::cout << (worst == 0 ? "PASSED" : "FAILED") << std::endl;
  cudaFree(x);
  cudaFree(y);
  return 0;
}

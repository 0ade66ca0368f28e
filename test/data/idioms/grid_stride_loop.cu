// The grid-stride loop: any grid covers any length; once with int, once with size_t, once in two dimensions.
// Easily got wrong: the stride is blockDim times gridDim.
#include <cstdio>

__global__ void fill(int* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] += i;
}
__global__ void fill_long(int* a, size_t n) {
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) a[i] += int(i);
}
__global__ void fill_2d(int* a, int rows, int columns) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns; c += gridDim.x * blockDim.x)
      a[r * columns + c] += r * columns + c;
}

int main() {
  const int n = 4097, rows = 17, columns = 241;
  static_assert(rows * columns == n, "the same elements in two dimensions");
  int *d, h[n], wrong = 0;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  fill<<<3, 100>>>(d, n);
  fill<<<1, 1>>>(d, 100);
  fill<<<200, 32>>>(d, n);
  fill_long<<<2, 192>>>(d, n);
  fill_2d<<<dim3(2, 3), dim3(33, 3)>>>(d, rows, columns);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += h[i] != i * (i < 100 ? 5 : 4);
  printf("%d %d %d\n", h[99], h[100], h[4096]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

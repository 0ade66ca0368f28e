// A table of device pointers: the host holds a copy of the addresses, the device dereferences them (batched work).
// Easily got wrong: the table itself must lie in device memory too.
#include <cstdio>

__device__ float* registered[4];

__global__ void scale(float* const* tables, const int* lengths) {
  float* row = tables[blockIdx.x];
  for (int i = threadIdx.x; i < lengths[blockIdx.x]; i += blockDim.x) row[i] *= blockIdx.x + 1;
}

__global__ void add_registered() { registered[blockIdx.x][threadIdx.x] += 1000; }

int main() {
  const int rows = 4, lengths[rows] = {10, 100, 33, 65};
  float *pointers[rows], h[100];
  for (int i = 0; i < 100; ++i) h[i] = float(i);
  for (int r = 0; r < rows; ++r) {
    cudaMalloc(&pointers[r], lengths[r] * sizeof(float));
    cudaMemcpy(pointers[r], h, lengths[r] * sizeof(float), cudaMemcpyHostToDevice);
  }
  float** d_pointers;
  int* d_lengths;
  cudaMalloc(&d_pointers, sizeof pointers);
  cudaMalloc(&d_lengths, sizeof lengths);
  cudaMemcpy(d_pointers, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  cudaMemcpy(d_lengths, lengths, sizeof lengths, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(registered, pointers, sizeof pointers);
  scale<<<rows, 32>>>(d_pointers, d_lengths);
  add_registered<<<rows, 10>>>();
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    cudaMemcpy(h, pointers[r], lengths[r] * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < lengths[r]; ++i) wrong += h[i] != i * (r + 1) + (i < 10 ? 1000 : 0);
    printf("%g %g\n", h[1], h[lengths[r] - 1]);
  }
  puts(wrong ? "FAILED" : "PASSED");
  for (float* p : pointers) cudaFree(p);
  cudaFree(d_pointers);
  cudaFree(d_lengths);
}

// The dot product of "CUDA by Example"'s kind: a fixed grid, a cache in shared memory, the rest on the host; and SAXPY.
// Easily got wrong: the tree needs a block size that is a power of two.
#include <cstdio>
#include <cstdlib>

const int n = 33 * 1024, threads_per_block = 256, blocks = 32;

__global__ void dot(float* a, float* b, float* c) {
  __shared__ float cache[threads_per_block];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cache_index = threadIdx.x;
  float temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cache_index] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cache_index < i) cache[cache_index] += cache[cache_index + i];
    __syncthreads();
    i /= 2;
  }
  if (cache_index == 0) c[blockIdx.x] = cache[0];
}
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(void) {
  float *a = (float*)malloc(n * sizeof(float)), *b = (float*)malloc(n * sizeof(float)), partial[blocks], *d_a, *d_b, *d_c;
  cudaMalloc((void**)&d_a, n * sizeof(float));
  cudaMalloc((void**)&d_b, n * sizeof(float));
  cudaMalloc((void**)&d_c, blocks * sizeof(float));
  double expected = 0;
  for (int i = 0; i < n; i++) a[i] = i % 8, b[i] = i % 3, expected += a[i] * (2.0 * a[i] + b[i]);
  cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, d_a, d_b);
  dot<<<blocks, threads_per_block>>>(d_a, d_b, d_c);
  cudaMemcpy(partial, d_c, sizeof partial, cudaMemcpyDeviceToHost);
  float c = 0;
  for (int i = 0; i < blocks; i++) c += partial[i];
  printf("%.6g, expected %.6g\n", c, expected);
  puts(c == expected ? "PASSED" : "FAILED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(a);
  free(b);
}

// A beginner's first program: vector add, with the error-check macro that everybody copies.
// Easily got wrong: the check after the launch, and the one after the wait.
#include <cstdio>
#include <cstdlib>

#define CHECK(call) \
  do { \
    const cudaError_t error_ = (call); \
    if (error_ != cudaSuccess) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
      exit(EXIT_FAILURE); \
    } \
  } while (0)

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(void) {
  int n = 50000;
  size_t size = n * sizeof(float);
  float *h_a = (float*)malloc(size), *h_b = (float*)malloc(size), *h_c = (float*)malloc(size);
  for (int i = 0; i < n; i++) h_a[i] = i * 0.5f, h_b[i] = n - i;
  float *d_a = NULL, *d_b = NULL, *d_c = NULL;
  CHECK(cudaMalloc((void**)&d_a, size));
  CHECK(cudaMalloc((void**)&d_b, size));
  CHECK(cudaMalloc((void**)&d_c, size));
  CHECK(cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, h_b, size, cudaMemcpyHostToDevice));
  int threads = 256, blocks = (n + threads - 1) / threads;
  printf("%d blocks of %d threads\n", blocks, threads);
  vector_add<<<blocks, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(h_c, d_c, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    if (h_c[i] != h_a[i] + h_b[i]) {
      printf("FAILED at %d\n", i);
      return 1;
    }
  }
  puts("PASSED");
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  CHECK(cudaDeviceReset());
  free(h_a);
  free(h_b);
  free(h_c);
  return 0;
}

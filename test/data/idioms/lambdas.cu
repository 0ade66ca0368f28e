// flags: --extended-lambda
// A __device__ lambda handed to a kernel template, with captures by value (a pointer among them).
// Easily got wrong: a capture by reference would point into the host's stack.
#include <cstdio>

template <typename F>
__global__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}

template <typename F>
void parallel_for(int n, F f) {
  for_each<<<4, 64>>>(n, f);
  cudaDeviceSynchronize();
}

int main() {
  const int n = 500;
  int *a, *histogram, offset = 7;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&histogram, 10 * sizeof(int));
  for (int b = 0; b < 10; ++b) histogram[b] = 0;
  parallel_for(n, [=] __device__(int i) { a[i] = i * i + offset; });
  parallel_for(n, [=] __device__(int i) {
    const auto digit = [](int v) { return v % 10; };  // a lambda within device code
    atomicAdd(&histogram[digit(a[i])], 1);
  });
  const auto both = [=] __host__ __device__(int i) { a[i] += i % offset; };
  parallel_for(n, both);
  for (int i = 0; i < 3; ++i) both(i);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += a[i] != i * i + 7 + i % 7 * (i < 3 ? 2 : 1);
  for (int b = 0; b < 10; ++b) printf("%d ", histogram[b]);
  printf("\n%d %d %s\n", a[2], a[499], wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(histogram);
}

// cudaLaunchKernel with an array of pointers to the arguments, and cudaLaunchKernelEx for the same.
// Easily got wrong: the array holds addresses of the arguments, also of arguments that are pointers.
#include <cstdio>

struct Pair { short a; double b; };

__global__ void fill(float* out, int n, Pair pair, char offset) {
  extern __shared__ float s[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = float(pair.a * pair.b);
  __syncthreads();
  if (i < n) out[i] = s[blockDim.x - 1 - threadIdx.x] + i + offset;
}

int main() {
  int n = 300;
  float* out;
  cudaMallocManaged(&out, n * sizeof(float));
  Pair pair = {4, 2.5};
  char offset = -3;
  void* arguments[] = {&out, &n, &pair, &offset};
  const cudaError_t e = cudaLaunchKernel(reinterpret_cast<const void*>(fill), dim3(3), dim3(128), arguments, 128 * sizeof(float), nullptr);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != 10 + i - 3;
  printf("%s %g %s\n", cudaGetErrorName(e), out[299], wrong ? "FAILED" : "PASSED");

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(5);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 64 * sizeof(float);
  const cudaError_t f = cudaLaunchKernelEx(&config, fill, out, n, Pair{1, 100}, char(1));
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += out[i] != 101 + i;
  printf("%s %g %s\n", cudaGetErrorName(f), out[0], wrong ? "FAILED" : "PASSED");
  cudaFree(out);
}

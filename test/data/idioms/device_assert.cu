// Asserts in a kernel that hold, and the error-free end that follows; __func__ and __LINE__ are there too.
// Easily got wrong: one that fails ends the whole context, so a test of that needs a process of its own.
#undef NDEBUG
#include <cassert>
#include <cstdio>

__global__ void checked_copy(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(blockDim.x * gridDim.x >= n && "the grid covers all");
  if (i < n) {
    assert(in[i] >= 0);
    out[i] = in[i] + 1;
    assert(out[i] > in[i] && out != in);
  }
  if (i == 0) printf("%s asserts on line %d\n", __func__, __LINE__ - 3);
}

int main() {
  const int n = 500;
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i;
  checked_copy<<<4, 128>>>(in, out, n);
  const cudaError_t error = cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += out[i] != i + 1;
  printf("%s %s\n", cudaGetErrorName(error), wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

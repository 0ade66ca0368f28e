// A second translation unit for runtime_test.cu, with a kernel and a variable of the same names.
#include <cuda_runtime.h>

namespace {

__constant__ int variable;

__global__ void kernel(int* out) { *out = variable * 2; }

}  // namespace

int run_the_other_files_kernel(int* out) {
  const int value = 100;
  if (cudaMemcpyToSymbol(variable, &value, sizeof value) != cudaSuccess) return -1;
  kernel<<<1, 1>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? *out : -1;
}

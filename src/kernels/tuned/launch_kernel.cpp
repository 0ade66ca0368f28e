#include "kernels/tuned/launch_kernel.hpp"

#include <system_error>
#include <thread>

namespace ladder {
namespace {

cudaError_t allow(const void* kernel, int bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

}  // namespace

// CUDA has an error for each thread. So another thread makes the call if this one has an error.
cudaError_t allow_dynamic_shared(const void* kernel, int bytes) {
  if (cudaPeekAtLastError() == cudaSuccess) return allow(kernel, bytes);
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  try {
    std::thread([&] {
      error = cudaSetDevice(device);
      if (error == cudaSuccess) error = allow(kernel, bytes);
    }).join();
  } catch (
      const std::
          system_error&) {  // too many threads; the product matters more than the earlier error
    return allow(kernel, bytes);
  }
  return error;
}

}  // namespace ladder

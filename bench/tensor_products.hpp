// Kernels that multiply on tensor cores and do little else, one for each shape of mma.sync, and some of wgmma.
#pragma once

#include <cuda_runtime.h>

#include <array>

/// One kernel and its name.
struct TensorProducts {
  static constexpr int BLOCKS = 16, THREADS = BLOCKS * 128;

  const char* name;  // "mma.sync/m16n8k16.f16": shape and format of the factors
  /// Starts the kernel on random numbers in [-1, 1). It writes one sum for each thread.
  cudaError_t (*launch)(float* sums);
};

/// Returns the list of these kernels.
const std::array<TensorProducts, 9>& tensor_products();

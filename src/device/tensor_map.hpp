// Makes the tensor maps that tensor copies take (tensor_copy.cuh).
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/grid.hpp"

namespace device {

/// A tensor of 16-bit elements with three dimensions, the innermost first, and the box of it that a copy moves. Its innermost
/// elements are neighbours. Rows of a box have 128 bytes and are swizzled.
struct TensorOf16Bits {
  const void* data;   // at a multiple of 16 bytes
  int64_t size[3];    // in elements
  int64_t stride[2];  // from one row, and from one plane, to the next, in elements; multiples of 8
  uint32_t box[3];    // in elements; the first is 64
};

/// Returns the stride for rows of this many elements. It is a multiple of 8, as copies want. If a row is longer than one of a box, it
/// is a multiple of 64: then each row of a box is one line of L2. Otherwise it would be parts of two, and copies would read both.
constexpr int64_t stride_for_copies(int64_t elements) {
  const int64_t multiple = elements <= 64 ? 8 : 64;
  return ceil_div(elements, multiple) * multiple;
}

/// Makes a map of the tensor. Returns cudaErrorInvalidValue if the driver refuses it, and the error if there is no driver that
/// knows tensor maps.
inline cudaError_t make_tensor_map(const TensorOf16Bits& tensor, CUtensorMap* map) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                             12000, cudaEnableDefault, &found);
  if (error != cudaSuccess) return error;
  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);

  cuuint64_t size[3], stride[2];
  for (int i = 0; i < 3; ++i) size[i] = static_cast<cuuint64_t>(tensor.size[i]);
  for (int i = 0; i < 2; ++i) stride[i] = static_cast<cuuint64_t>(tensor.stride[i]) * 2;
  const cuuint32_t step[3] = {1, 1, 1};
  const CUresult result =
      encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, const_cast<void*>(tensor.data), size, stride,
             tensor.box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace device

// The compute types of cuBLAS that the ladder can stand in for.
#pragma once

#include <optional>

#include "preload/cublas/abi.hpp"

namespace preload {

/// How accurate a caller wants a product in FP32.
enum class Accuracy {
  by_handle,  // as the handle's math mode says; without a handle, full
  full,
  reduced  // TF32 and the like are allowed
};

/// Returns the accuracy that a cublasComputeType_t asks for, or nothing if it does not compute in FP32.
constexpr std::optional<Accuracy> accuracy_of(cublas::Value compute_type) {
  switch (compute_type) {
    case cublas::COMPUTE_32F:
      return Accuracy::by_handle;
    case cublas::COMPUTE_32F_PEDANTIC:
      return Accuracy::full;
    case cublas::COMPUTE_32F_FAST_16F:
    case cublas::COMPUTE_32F_FAST_16BF:
    case cublas::COMPUTE_32F_FAST_TF32:
    case cublas::COMPUTE_32F_EMULATED_16BFX9:
      return Accuracy::reduced;
    default:
      return std::nullopt;
  }
}

}  // namespace preload

// The element types of products whose arguments name them.
#pragma once

#include <cublas_v2.h>

#include <Eigen/Core>
#include <cstdint>

namespace simulator::cublas {

/// Calls run(In(), Out(), Sum()) for products of matrices of type A with a result of type C: In and Out are their elements, Sum is the
/// type of alpha, beta and the sums. Returns CUBLAS_STATUS_NOT_SUPPORTED for other types.
template <typename Run>
cublasStatus_t with_product_types(cublasComputeType_t compute, cudaDataType type_a,
                                  cudaDataType type_c, Run run) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      if (type_a == CUDA_R_16F && type_c == CUDA_R_16F)
        return run(Eigen::half(), Eigen::half(), Eigen::half());
      break;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      if (type_a == CUDA_R_32F && type_c == CUDA_R_32F) return run(0.0f, 0.0f, 0.0f);
      if (type_a == CUDA_R_16F && type_c == CUDA_R_16F)
        return run(Eigen::half(), Eigen::half(), 0.0f);
      if (type_a == CUDA_R_16F && type_c == CUDA_R_32F) return run(Eigen::half(), 0.0f, 0.0f);
      if (type_a == CUDA_R_16BF && type_c == CUDA_R_16BF)
        return run(Eigen::bfloat16(), Eigen::bfloat16(), 0.0f);
      if (type_a == CUDA_R_16BF && type_c == CUDA_R_32F) return run(Eigen::bfloat16(), 0.0f, 0.0f);
      if (type_a == CUDA_R_8I && type_c == CUDA_R_32F) return run(int8_t{}, 0.0f, 0.0f);
      break;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      if (type_a == CUDA_R_64F && type_c == CUDA_R_64F) return run(0.0, 0.0, 0.0);
      break;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      if (type_a == CUDA_R_8I && type_c == CUDA_R_32I) return run(int8_t{}, int32_t{}, int32_t{});
      break;
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace simulator::cublas

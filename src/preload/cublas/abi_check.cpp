// Compares abi.hpp with cuBLAS's own headers, which only the CUDA build has. It compiles, or it does not. Values that
// CUDA 12's headers lack are not compared.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <type_traits>

#include "preload/cublas/abi.hpp"

namespace preload::cublas {
namespace {

static_assert(SUCCESS == CUBLAS_STATUS_SUCCESS && NOT_INITIALIZED == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(INVALID_VALUE == CUBLAS_STATUS_INVALID_VALUE);
static_assert(EXECUTION_FAILED == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(OP_N == CUBLAS_OP_N && OP_T == CUBLAS_OP_T && OP_C == CUBLAS_OP_C);
static_assert(POINTERS_TO_HOST == CUBLAS_POINTER_MODE_HOST);
static_assert(POINTERS_TO_DEVICE == CUBLAS_POINTER_MODE_DEVICE);
static_assert(int{POINTERS_TO_HOST} == CUBLASLT_POINTER_MODE_HOST);
static_assert(int{POINTERS_TO_DEVICE} == CUBLASLT_POINTER_MODE_DEVICE);
static_assert(DEFAULT_MATH == CUBLAS_DEFAULT_MATH && PEDANTIC_MATH == CUBLAS_PEDANTIC_MATH);
static_assert(TF32_MATH == CUBLAS_TF32_TENSOR_OP_MATH);
static_assert(WITHOUT_REDUCED_PRECISION_REDUCTION ==
              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
static_assert(REAL_32F == CUDA_R_32F);
static_assert(COMPUTE_32F == CUBLAS_COMPUTE_32F);
static_assert(COMPUTE_32F_PEDANTIC == CUBLAS_COMPUTE_32F_PEDANTIC);
static_assert(COMPUTE_32F_FAST_16F == CUBLAS_COMPUTE_32F_FAST_16F);
static_assert(COMPUTE_32F_FAST_16BF == CUBLAS_COMPUTE_32F_FAST_16BF);
static_assert(COMPUTE_32F_FAST_TF32 == CUBLAS_COMPUTE_32F_FAST_TF32);

static_assert(LT_COMPUTE_TYPE == CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
static_assert(LT_SCALE_TYPE == CUBLASLT_MATMUL_DESC_SCALE_TYPE);
static_assert(LT_POINTER_MODE == CUBLASLT_MATMUL_DESC_POINTER_MODE);
static_assert(LT_TRANS_A == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(LT_TRANS_B == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(LT_TRANS_C == CUBLASLT_MATMUL_DESC_TRANSC);
static_assert(LT_FILL_MODE == CUBLASLT_MATMUL_DESC_FILL_MODE);
static_assert(LT_EPILOGUE == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(LT_BIAS_POINTER == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(LT_BIAS_BATCH_STRIDE == CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
static_assert(LT_SM_COUNT_TARGET == CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET);
static_assert(LT_A_SCALE_POINTER == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
static_assert(LT_B_SCALE_POINTER == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
static_assert(LT_C_SCALE_POINTER == CUBLASLT_MATMUL_DESC_C_SCALE_POINTER);
static_assert(LT_D_SCALE_POINTER == CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
static_assert(LT_AMAX_D_POINTER == CUBLASLT_MATMUL_DESC_AMAX_D_POINTER);
static_assert(LT_BIAS_DATA_TYPE == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
static_assert(FILL_FULL == CUBLAS_FILL_MODE_FULL);
static_assert(EPILOGUE_DEFAULT == CUBLASLT_EPILOGUE_DEFAULT);
static_assert(EPILOGUE_RELU == CUBLASLT_EPILOGUE_RELU);
static_assert(EPILOGUE_BIAS == CUBLASLT_EPILOGUE_BIAS);
static_assert(EPILOGUE_RELU_BIAS == CUBLASLT_EPILOGUE_RELU_BIAS);
static_assert(EPILOGUE_GELU == CUBLASLT_EPILOGUE_GELU);
static_assert(EPILOGUE_GELU_BIAS == CUBLASLT_EPILOGUE_GELU_BIAS);
static_assert(LAYOUT_TYPE == CUBLASLT_MATRIX_LAYOUT_TYPE);
static_assert(LAYOUT_ORDER == CUBLASLT_MATRIX_LAYOUT_ORDER);
static_assert(LAYOUT_ROWS == CUBLASLT_MATRIX_LAYOUT_ROWS);
static_assert(LAYOUT_COLS == CUBLASLT_MATRIX_LAYOUT_COLS);
static_assert(LAYOUT_LD == CUBLASLT_MATRIX_LAYOUT_LD);
static_assert(LAYOUT_BATCH_COUNT == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(LAYOUT_STRIDE == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(ORDER_COL == CUBLASLT_ORDER_COL && ORDER_ROW == CUBLASLT_ORDER_ROW);

// A type as a caller passes it: enumerations as int, pointers to cuBLAS's own types as void*.
template <typename T>
struct Passed {
  using Type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <typename T>
  requires std::is_enum_v<T>
struct Passed<T*> {
  static_assert(sizeof(T) == sizeof(int));
  using Type = int*;
};
template <>
struct Passed<cublasHandle_t> {
  using Type = void*;
};
template <>
struct Passed<cublasLtHandle_t> {
  using Type = void*;
};
template <>
struct Passed<cublasLtMatmulDesc_t> {
  using Type = void*;
};
template <>
struct Passed<cublasLtMatrixLayout_t> {
  using Type = void*;
};
template <>
struct Passed<const cublasLtMatmulAlgo_t*> {
  using Type = const void*;
};

template <typename OURS>
struct Is {
  template <typename RESULT, typename... ARGUMENTS>
  static constexpr bool same_as(RESULT (*)(ARGUMENTS...)) {
    return std::is_same_v<OURS, typename Passed<RESULT>::Type(typename Passed<ARGUMENTS>::Type...)>;
  }
};

// The header overloads some names in C++, so the types pick one.
using ComputeGemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void*, const void*, cudaDataType, int, const void*,
                                     cudaDataType, int, const void*, void*, cudaDataType, int,
                                     cublasComputeType_t, cublasGemmAlgo_t);
using ComputeGemmBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                            int, int, int, const void*, const void* const[],
                                            cudaDataType, int, const void* const[], cudaDataType,
                                            int, const void*, void* const[], cudaDataType, int, int,
                                            cublasComputeType_t, cublasGemmAlgo_t);
using ComputeGemmStridedBatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t,
                                                   cublasOperation_t, int, int, int, const void*,
                                                   const void*, cudaDataType, int, long long,
                                                   const void*, cudaDataType, int, long long,
                                                   const void*, void*, cudaDataType, int, long long,
                                                   int, cublasComputeType_t, cublasGemmAlgo_t);

static_assert(Is<GetStream>::same_as(cublasGetStream_v2));
static_assert(Is<GetMode>::same_as(cublasGetPointerMode_v2));
static_assert(Is<GetMode>::same_as(cublasGetMathMode));
static_assert(Is<SetStream>::same_as(cublasSetStream_v2));
static_assert(Is<SetWorkspace>::same_as(cublasSetWorkspace_v2));
static_assert(Is<Destroy>::same_as(cublasDestroy_v2));
static_assert(Is<Sgemm<int>>::same_as(cublasSgemm_v2));
static_assert(Is<Sgemm<int64_t>>::same_as(cublasSgemm_v2_64));
static_assert(Is<SgemmBatched<int>>::same_as(cublasSgemmBatched));
static_assert(Is<SgemmBatched<int64_t>>::same_as(cublasSgemmBatched_64));
static_assert(Is<SgemmStridedBatched<int>>::same_as(cublasSgemmStridedBatched));
static_assert(Is<SgemmStridedBatched<int64_t>>::same_as(cublasSgemmStridedBatched_64));
static_assert(Is<GemmEx<int>>::same_as(static_cast<ComputeGemmEx*>(cublasGemmEx)));
static_assert(Is<GemmEx<int64_t>>::same_as(cublasGemmEx_64));
static_assert(
    Is<GemmBatchedEx<int>>::same_as(static_cast<ComputeGemmBatchedEx*>(cublasGemmBatchedEx)));
static_assert(Is<GemmBatchedEx<int64_t>>::same_as(cublasGemmBatchedEx_64));
static_assert(Is<GemmStridedBatchedEx<int>>::same_as(
    static_cast<ComputeGemmStridedBatchedEx*>(cublasGemmStridedBatchedEx)));
static_assert(Is<GemmStridedBatchedEx<int64_t>>::same_as(cublasGemmStridedBatchedEx_64));
static_assert(Is<LtMatmul>::same_as(cublasLtMatmul));
static_assert(Is<LtGetAttribute>::same_as(cublasLtMatmulDescGetAttribute));
static_assert(Is<LtGetAttribute>::same_as(cublasLtMatrixLayoutGetAttribute));

}  // namespace
}  // namespace preload::cublas

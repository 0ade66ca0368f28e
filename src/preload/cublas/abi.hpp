// The parts of cuBLAS's binary interface that the preloaded library uses: values, function types. They are declared here so that it builds
// without cuBLAS. abi_check.cpp compares them with cuBLAS's own headers.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace preload::cublas {

/// An opaque pointer: a handle or a descriptor.
using Handle = void*;
using Descriptor = void*;

/// A value of one of cuBLAS's enumerations.
using Value = int;

/// cublasStatus_t.
inline constexpr Value SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13;
/// cublasOperation_t.
inline constexpr Value OP_N = 0, OP_T = 1, OP_C = 2;
/// cublasPointerMode_t, and cublasLtPointerMode_t.
inline constexpr Value POINTERS_TO_HOST = 0, POINTERS_TO_DEVICE = 1;
/// cublasMath_t.
inline constexpr Value DEFAULT_MATH = 0, PEDANTIC_MATH = 2, TF32_MATH = 3,
                       WITHOUT_REDUCED_PRECISION_REDUCTION = 16;  // a flag
/// cudaDataType_t.
inline constexpr Value REAL_32F = 0;
/// cublasComputeType_t.
inline constexpr Value COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_32F_FAST_16F = 74,
                       COMPUTE_32F_FAST_16BF = 75, COMPUTE_32F_FAST_TF32 = 77,
                       COMPUTE_32F_EMULATED_16BFX9 = 78;

/// cublasLtMatmulDescAttributes_t.
inline constexpr Value LT_COMPUTE_TYPE = 0, LT_SCALE_TYPE = 1, LT_POINTER_MODE = 2, LT_TRANS_A = 3,
                       LT_TRANS_B = 4, LT_TRANS_C = 5, LT_FILL_MODE = 6, LT_EPILOGUE = 7,
                       LT_BIAS_POINTER = 8, LT_BIAS_BATCH_STRIDE = 10, LT_SM_COUNT_TARGET = 15,
                       LT_A_SCALE_POINTER = 17, LT_B_SCALE_POINTER = 18, LT_C_SCALE_POINTER = 19,
                       LT_D_SCALE_POINTER = 20, LT_AMAX_D_POINTER = 21, LT_BIAS_DATA_TYPE = 26;
/// cublasFillMode_t.
inline constexpr Value FILL_FULL = 2;
/// cublasLtEpilogue_t.
inline constexpr Value EPILOGUE_DEFAULT = 1, EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4,
                       EPILOGUE_RELU_BIAS = 6, EPILOGUE_GELU = 32, EPILOGUE_GELU_BIAS = 36;
/// cublasLtMatrixLayoutAttribute_t.
inline constexpr Value LAYOUT_TYPE = 0, LAYOUT_ORDER = 1, LAYOUT_ROWS = 2, LAYOUT_COLS = 3,
                       LAYOUT_LD = 4, LAYOUT_BATCH_COUNT = 5, LAYOUT_STRIDE = 6,
                       LAYOUT_BATCH_MODE = 8;
/// cublasLtOrder_t.
inline constexpr Value ORDER_COL = 0, ORDER_ROW = 1;
/// cublasLtBatchMode_t.
inline constexpr Value BATCH_STRIDED = 0;

// The functions, by their names without "cublas". INT is int, or int64_t in the functions that end in _64.

using GetStream = Value(Handle, cudaStream_t*);
using GetMode = Value(Handle, Value*);
using SetStream = Value(Handle, cudaStream_t);
using SetWorkspace = Value(Handle, void*, size_t);
using Destroy = Value(Handle);

template <typename INT>
using Sgemm = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k, const float* alpha,
                    const float* A, INT lda, const float* B, INT ldb, const float* beta, float* C,
                    INT ldc);
template <typename INT>
using SgemmBatched = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k,
                           const float* alpha, const float* const A[], INT lda,
                           const float* const B[], INT ldb, const float* beta, float* const C[],
                           INT ldc, INT batch);
template <typename INT>
using SgemmStridedBatched = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k,
                                  const float* alpha, const float* A, INT lda, long long stride_a,
                                  const float* B, INT ldb, long long stride_b, const float* beta,
                                  float* C, INT ldc, long long stride_c, INT batch);
template <typename INT>
using GemmEx = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k, const void* alpha,
                     const void* A, Value type_a, INT lda, const void* B, Value type_b, INT ldb,
                     const void* beta, void* C, Value type_c, INT ldc, Value compute, Value algo);
template <typename INT>
using GemmBatchedEx = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k,
                            const void* alpha, const void* const A[], Value type_a, INT lda,
                            const void* const B[], Value type_b, INT ldb, const void* beta,
                            void* const C[], Value type_c, INT ldc, INT batch, Value compute,
                            Value algo);
template <typename INT>
using GemmStridedBatchedEx = Value(Handle, Value trans_a, Value trans_b, INT m, INT n, INT k,
                                   const void* alpha, const void* A, Value type_a, INT lda,
                                   long long stride_a, const void* B, Value type_b, INT ldb,
                                   long long stride_b, const void* beta, void* C, Value type_c,
                                   INT ldc, long long stride_c, INT batch, Value compute,
                                   Value algo);

using LtMatmul = Value(Handle, Descriptor product, const void* alpha, const void* A,
                       Descriptor layout_a, const void* B, Descriptor layout_b, const void* beta,
                       const void* C, Descriptor layout_c, void* D, Descriptor layout_d,
                       const void* algo, void* workspace, size_t workspace_bytes,
                       cudaStream_t stream);
using LtGetAttribute = Value(Descriptor, Value attribute, void* value, size_t bytes,
                             size_t* written);

}  // namespace preload::cublas

// cuBLAS over the simulated GPU, for programs that compare their own kernel with it or use a few of its functions: the handle, and the
// functions of real matrices and vectors (S, D) that are common. Not covered and not declared: complex numbers, packed and banded
// matrices, batched factorisations, FP8.
//
// The host computes each function with Eigen, in the precision of its types: in FP32 also where a math mode or a compute type allows
// TF32 or FP16. Dot products and norms are summed in double. A function is work of its stream. Its accesses to memory are not counted.
#pragma once
#pragma GCC system_header

#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "library_types.h"

#define CUBLASWINAPI
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 3
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 120300

typedef struct cublasContext* cublasHandle_t;

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3,
} cublasOperation_t;

typedef enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2,
} cublasFillMode_t;

typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
} cublasMath_t;

// The algorithm has no effect.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1,
  CUBLAS_GEMM_ALGO2,
  CUBLAS_GEMM_ALGO3,
  CUBLAS_GEMM_ALGO4,
  CUBLAS_GEMM_ALGO5,
  CUBLAS_GEMM_ALGO6,
  CUBLAS_GEMM_ALGO7,
  CUBLAS_GEMM_ALGO8,
  CUBLAS_GEMM_ALGO9,
  CUBLAS_GEMM_ALGO10,
  CUBLAS_GEMM_ALGO11,
  CUBLAS_GEMM_ALGO12,
  CUBLAS_GEMM_ALGO13,
  CUBLAS_GEMM_ALGO14,
  CUBLAS_GEMM_ALGO15,
  CUBLAS_GEMM_ALGO16,
  CUBLAS_GEMM_ALGO17,
  CUBLAS_GEMM_ALGO18,
  CUBLAS_GEMM_ALGO19,
  CUBLAS_GEMM_ALGO20,
  CUBLAS_GEMM_ALGO21,
  CUBLAS_GEMM_ALGO22,
  CUBLAS_GEMM_ALGO23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP,
  CUBLAS_GEMM_ALGO2_TENSOR_OP,
  CUBLAS_GEMM_ALGO3_TENSOR_OP,
  CUBLAS_GEMM_ALGO4_TENSOR_OP,
  CUBLAS_GEMM_ALGO5_TENSOR_OP,
  CUBLAS_GEMM_ALGO6_TENSOR_OP,
  CUBLAS_GEMM_ALGO7_TENSOR_OP,
  CUBLAS_GEMM_ALGO8_TENSOR_OP,
  CUBLAS_GEMM_ALGO9_TENSOR_OP,
  CUBLAS_GEMM_ALGO10_TENSOR_OP,
  CUBLAS_GEMM_ALGO11_TENSOR_OP,
  CUBLAS_GEMM_ALGO12_TENSOR_OP,
  CUBLAS_GEMM_ALGO13_TENSOR_OP,
  CUBLAS_GEMM_ALGO14_TENSOR_OP,
  CUBLAS_GEMM_ALGO15_TENSOR_OP,
} cublasGemmAlgo_t;

typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;

typedef cudaDataType cublasDataType_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);
// Where alpha, beta and a single result lie: in host memory (the default) or in the device's.
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
// Stored, without effect.
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

// Copies of elements between host and device.
cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device, int inc_device);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device, int inc_device, void* y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda, void* device, int ld_device);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int ld_device, void* b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx, void* device, int inc_device, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device, int inc_device, void* y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* a, int lda, void* device, int ld_device,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* device, int ld_device, void* b, int ldb,
                                    cudaStream_t stream);

// Each function twice, for float and double.
#define __simulator_cublas(T, S, s)                                                                                                    \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy);               \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy);                               \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);                                     \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);                                     \
  cublasStatus_t cublas##S##rot_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* c, const T* s_);             \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result);               \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T* x, int incx, T* result);                                    \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T* x, int incx, T* result);                                    \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t handle, int n, const T* x, int incx, int* result);                                 \
  cublasStatus_t cublasI##s##amin_v2(cublasHandle_t handle, int n, const T* x, int incx, int* result);                                 \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* a, int lda, \
                                    const T* x, int incx, const T* beta, T* y, int incy);                                              \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, int incy,    \
                                   T* a, int lda);                                                                                     \
  cublasStatus_t cublas##S##symv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* a, int lda,          \
                                    const T* x, int incx, const T* beta, T* y, int incy);                                              \
  cublasStatus_t cublas##S##trmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,      \
                                    int n, const T* a, int lda, T* x, int incx);                                                       \
  cublasStatus_t cublas##S##trsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,      \
                                    int n, const T* a, int lda, T* x, int incx);                                                       \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,    \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);           \
  cublasStatus_t cublas##S##symm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,                 \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);           \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,               \
                                    const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc);                                \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,      \
                                    cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, const T* b, int ldb,     \
                                    T* c, int ldc);                                                                                    \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,      \
                                    cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb);          \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,              \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);              \
  cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T* a, int lda, const T* x,          \
                                 int incx, T* c, int ldc);
__simulator_cublas(float, S, s)
__simulator_cublas(double, D, d)
#undef __simulator_cublas

#define __simulator_cublas(T, S)                                                                                                       \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,       \
                                        int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,               \
                                        const T* beta, T* const c[], int ldc, int batch);                                              \
  cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,       \
                                               int n, int k, const T* alpha, const T* a, int lda, long long int stride_a,              \
                                               const T* b, int ldb, long long int stride_b, const T* beta, T* c, int ldc,              \
                                               long long int stride_c, int batch);
__simulator_cublas(float, S)
__simulator_cublas(double, D)
__simulator_cublas(__half, H)
#undef __simulator_cublas

// Products of other types: FP32, FP64, and FP16, BF16 and INT8 with sums in a wider type.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b, int ldb,
                            const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                          int k, const void* alpha, const void* a, cudaDataType type_a, int lda, long long int stride_a,
                                          const void* b, cudaDataType type_b, int ldb, long long int stride_b, const void* beta, void* c,
                                          cudaDataType type_c, int ldc, long long int stride_c, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algo);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b, int ldb,
                             const float* beta, void* c, cudaDataType type_c, int ldc);
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                           const __half* alpha, const __half* a, int lda, const __half* b, int ldb, const __half* beta, __half* c, int ldc);

// Vectors of FP16, BF16, FP32 and FP64.
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, const void* x, cudaDataType type_x,
                            int incx, void* y, cudaDataType type_y, int incy, cudaDataType execution);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, void* x, cudaDataType type_x,
                            int incx, cudaDataType execution);
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y, cudaDataType type_y,
                           int incy, void* result, cudaDataType type_result, cudaDataType execution);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, void* result,
                            cudaDataType type_result, cudaDataType execution);

#ifdef __cplusplus
}  // extern "C"

// Before CUDA 11 the compute type was a data type.
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                                          cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algo) {
  const cublasComputeType_t type = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                   : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                           : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, type, algo);
}
#endif

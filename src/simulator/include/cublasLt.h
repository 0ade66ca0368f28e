// cuBLASLt's handle, for programs that create one and compute with cuBLAS or with kernels of their own. Its products
// (cublasLtMatmul) are not covered.
#pragma once
#pragma GCC system_header

#include "cublas_api.h"

typedef struct cublasLtContext* cublasLtHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
size_t cublasLtGetVersion(void);

#ifdef __cplusplus
}
#endif

// Rung 0 where there is a CUDA device: NVIDIA's own cublasSgemm, the reference for the others.
//
// It runs in CUBLAS_PEDANTIC_MATH, so that it can never fall back on TF32 and make every other rung
// look slow and inexact.
#include <cublas_v2.h>

#include <map>
#include <mutex>

#include "kernels/ladder.hpp"

namespace ladder {
namespace {

cudaError_t as_cuda_error(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_INVALID_VALUE:
      return cudaErrorInvalidValue;
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return cudaErrorNoKernelImageForDevice;
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return cudaErrorLaunchFailure;
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return cudaErrorInitializationError;
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return cudaErrorNotSupported;
    default:
      return cudaErrorUnknown;
  }
}

// The handle of the current device, made on first use and kept until the process ends: making one
// takes longer than most products. A handle may be used by one host thread at a time; `mutex` sees
// to that.
class Handles {
 public:
  std::mutex mutex;

  cublasStatus_t of_current_device(cublasHandle_t* handle) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (const auto known = handles_.find(device); known != handles_.end()) {
      *handle = known->second;
      return CUBLAS_STATUS_SUCCESS;
    }
    cublasStatus_t status = cublasCreate(handle);
    if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetMathMode(*handle, CUBLAS_PEDANTIC_MATH);
    if (status == CUBLAS_STATUS_SUCCESS) handles_.emplace(device, *handle);
    return status;
  }

 private:
  std::map<int, cublasHandle_t> handles_;
};

cudaError_t launch_cublas(const Sgemm& p, cudaStream_t stream) {
  static Handles handles;
  const std::lock_guard lock(handles.mutex);

  cublasHandle_t handle = nullptr;
  cublasStatus_t status = handles.of_current_device(&handle);
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(handle, stream);
  if (status != CUBLAS_STATUS_SUCCESS) return as_cuda_error(status);

  // cuBLAS counts by columns. A row-major C is a column-major C^T, and C^T = B^T * A^T.
  return as_cuda_error(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.N, p.M, p.K, &p.alpha,
                                      p.B, p.ldb, p.A, p.lda, &p.beta, p.C, p.ldc));
}

}  // namespace

extern const Rung reference{
    .number = 0,
    .name = "cuBLAS",
    .idea = "cublasSgemm in pedantic FP32, the reference",
    .promise = {},
    .launch = launch_cublas,
};

}  // namespace ladder

// Rung 0 if there is a CUDA device: NVIDIA's cublasSgemm, the reference for the other rungs.
//
// It runs in CUBLAS_PEDANTIC_MATH, which never uses TF32: otherwise every other rung would look slow.
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

// The cuBLAS handles, one for each device. Each is created on first use and kept until the process ends, since its
// creation takes longer than most products. Only one host thread may use a handle at a time: lock `mutex`.
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

// Launches one product, or all products of a batch in one call of cuBLAS.
cudaError_t launch_batch_cublas(const Call& call, cudaStream_t stream) {
  const Sgemm& p = call.product;
  static Handles handles;
  const std::lock_guard lock(handles.mutex);

  cublasHandle_t handle = nullptr;
  cublasStatus_t status = handles.of_current_device(&handle);
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(handle, stream);
  if (status != CUBLAS_STATUS_SUCCESS) return as_cuda_error(status);

  // cuBLAS's matrices are column-major. A row-major C is a column-major C^T, and C^T = op(B)^T * op(A)^T.
  const auto operation = [](Op op) { return op == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; };
  if (call.batch == 1)
    return as_cuda_error(cublasSgemm_64(handle, operation(p.op_b), operation(p.op_a), p.N, p.M, p.K,
                                        &p.alpha, p.B, p.ldb, p.A, p.lda, &p.beta, p.C, p.ldc));
  return as_cuda_error(cublasSgemmStridedBatched_64(
      handle, operation(p.op_b), operation(p.op_a), p.N, p.M, p.K, &p.alpha, p.B, p.ldb,
      call.stride_b, p.A, p.lda, call.stride_a, &p.beta, p.C, p.ldc, call.stride_c, call.batch));
}

cudaError_t launch_cublas(const Sgemm& p, cudaStream_t stream) {
  return launch_batch_cublas(Call(p), stream);
}

}  // namespace

extern const Rung reference{
    .number = 0,
    .name = "cuBLAS",
    .idea = "cublasSgemm in pedantic FP32, the reference",
    .promise = {},
    .launch = launch_cublas,
    .takes_transposes = true,
    .launch_batch = launch_batch_cublas,
};

}  // namespace ladder

// The handle and its settings, statuses, and copies of vectors and matrices.
#include <cublas_v2.h>

#include "simulator/cublas/request.hpp"
#include "simulator/live_handles.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::cublas {
namespace {

LiveHandles<cublasHandle_t>& handles() {
  static auto* const made = new LiveHandles<cublasHandle_t>;
  return *made;
}

// Copies a rectangle. `stream`: nullptr for a copy that is over when the call returns.
cublasStatus_t copy(void* to, int to_step, const void* from, int from_step, int width, int height,
                    int element_bytes, cudaMemcpyKind kind, const cudaStream_t* stream) {
  const auto bytes = [&](int elements) {
    return static_cast<size_t>(elements) * static_cast<size_t>(element_bytes);
  };
  const auto rows = static_cast<size_t>(height);
  const cudaError_t error =
      stream == nullptr
          ? cudaMemcpy2D(to, bytes(to_step), from, bytes(from_step), bytes(width), rows, kind)
          : cudaMemcpy2DAsync(to, bytes(to_step), from, bytes(from_step), bytes(width), rows, kind,
                              *stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

// A vector is a rectangle with one element in each row.
cublasStatus_t copy_vector(int n, int element_bytes, const void* from, int from_step, void* to,
                           int to_step, cudaMemcpyKind kind, const cudaStream_t* stream = nullptr) {
  if (n < 0 || element_bytes <= 0 || from_step <= 0 || to_step <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return copy(to, to_step, from, from_step, 1, n, element_bytes, kind, stream);
}

cublasStatus_t copy_matrix(int rows, int columns, int element_bytes, const void* from, int from_ld,
                           void* to, int to_ld, cudaMemcpyKind kind,
                           const cudaStream_t* stream = nullptr) {
  if (rows < 0 || columns < 0 || element_bytes <= 0 || !holds(from_ld, rows) || !holds(to_ld, rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  return copy(to, to_ld, from, from_ld, rows, columns, element_bytes, kind, stream);
}

template <typename T>
cublasStatus_t get(const char* name, cublasHandle_t handle, T* place, T cublasContext::* setting) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (place == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *place = context.*setting;
    return CUBLAS_STATUS_SUCCESS;
  });
}

struct StatusText {
  cublasStatus_t status;
  const char* name;
  const char* text;
};
constexpr StatusText STATUSES[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the architecture of the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "an error when trying to check the license"},
};
const StatusText* find(cublasStatus_t status) {
  const auto* const found = std::ranges::find(STATUSES, status, &StatusText::status);
  return found == std::end(STATUSES) ? nullptr : found;
}

}  // namespace

bool is_handle(cublasHandle_t handle) { return handles().contains(handle); }

}  // namespace simulator::cublas

using namespace simulator::cublas;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  handles().add(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

// Waits for the device's work, as cuBLAS does.
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaDeviceSynchronize();
  handles().remove(handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t /*handle*/, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion() { return CUDART_VERSION; }

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL)
    return CUBLAS_STATUS_INVALID_VALUE;
  constexpr int VERSION[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  *value = VERSION[type];
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return with_handle("cublasSetStream", handle, [&](cublasContext& context) {
    if (simulator::runtime::find_stream(stream) == nullptr) {
      simulator::runtime::refuse_stream();
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    context.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get("cublasGetStream", handle, stream, &cublasContext::stream);
}

// The host needs no workspace.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* /*workspace*/, size_t /*bytes*/) {
  return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get("cublasGetPointerMode", handle, mode, &cublasContext::pointer_mode);
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with_handle("cublasSetPointerMode", handle, [&](cublasContext& context) {
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
      return CUBLAS_STATUS_INVALID_VALUE;
    context.pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get("cublasGetMathMode", handle, mode, &cublasContext::math_mode);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with_handle("cublasSetMathMode", handle, [&](cublasContext& context) {
    const int kind = static_cast<int>(mode) &
                     ~static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    if (kind < CUBLAS_DEFAULT_MATH || kind > CUBLAS_TF32_TENSOR_OP_MATH)
      return CUBLAS_STATUS_INVALID_VALUE;
    context.math_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get("cublasGetAtomicsMode", handle, mode, &cublasContext::atomics_mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return with_handle("cublasSetAtomicsMode", handle, [&](cublasContext& context) {
    if (mode != CUBLAS_ATOMICS_NOT_ALLOWED && mode != CUBLAS_ATOMICS_ALLOWED)
      return CUBLAS_STATUS_INVALID_VALUE;
    context.atomics_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

const char* cublasGetStatusName(cublasStatus_t status) {
  const StatusText* const found = find(status);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  const StatusText* const found = find(status);
  return found == nullptr ? "unrecognized error code" : found->text;
}

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device,
                               int inc_device) {
  return copy_vector(n, element_bytes, x, incx, device, inc_device, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device, int inc_device,
                               void* y, int incy) {
  return copy_vector(n, element_bytes, device, inc_device, y, incy, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda,
                               void* device, int ld_device) {
  return copy_matrix(rows, columns, element_bytes, a, lda, device, ld_device,
                     cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device,
                               int ld_device, void* b, int ldb) {
  return copy_matrix(rows, columns, element_bytes, device, ld_device, b, ldb,
                     cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx, void* device,
                                    int inc_device, cudaStream_t stream) {
  return copy_vector(n, element_bytes, x, incx, device, inc_device, cudaMemcpyHostToDevice,
                     &stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device, int inc_device,
                                    void* y, int incy, cudaStream_t stream) {
  return copy_vector(n, element_bytes, device, inc_device, y, incy, cudaMemcpyDeviceToHost,
                     &stream);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void* a,
                                    int lda, void* device, int ld_device, cudaStream_t stream) {
  return copy_matrix(rows, columns, element_bytes, a, lda, device, ld_device,
                     cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void* device,
                                    int ld_device, void* b, int ldb, cudaStream_t stream) {
  return copy_matrix(rows, columns, element_bytes, device, ld_device, b, ldb,
                     cudaMemcpyDeviceToHost, &stream);
}

}  // extern "C"

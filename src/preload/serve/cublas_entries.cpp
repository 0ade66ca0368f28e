// The functions of libcublas.so that the preloaded library stands in front of.
#include "preload/cublas/compute_type.hpp"
#include "preload/cublas/real_library.hpp"
#include "preload/serve/answer.hpp"
#include "preload/serve/workspaces.hpp"

namespace preload {
namespace {

using cublas::Handle, cublas::Value;

constexpr Library CUBLAS = Library::cublas;

Real<cublas::GetStream> get_stream(CUBLAS, "cublasGetStream_v2");
Real<cublas::GetMode> get_pointer_mode(CUBLAS, "cublasGetPointerMode_v2");
Real<cublas::GetMode> get_math_mode(CUBLAS, "cublasGetMathMode");

bool are_fp32(Value type_a, Value type_b, Value type_c) {
  return type_a == cublas::REAL_32F && type_b == cublas::REAL_32F && type_c == cublas::REAL_32F;
}

bool is_math_of_full_accuracy(Value mode) {
  mode &= ~cublas::WITHOUT_REDUCED_PRECISION_REDUCTION;
  return mode == cublas::DEFAULT_MATH || mode == cublas::PEDANTIC_MATH;
}

// Adds what the handle says to a request. Returns Verdict::answered, or why the call is cuBLAS's.
Verdict read_handle(Handle handle, Accuracy accuracy, Request& r) {
  Value pointers = 0, math = 0;
  if (get_math_mode(handle, &math) != cublas::SUCCESS) return Verdict::arguments;
  r.allows_reduced = accuracy == Accuracy::reduced ||
                     (accuracy == Accuracy::by_handle && !is_math_of_full_accuracy(math));
  if (is_left_for_accuracy(r)) return Verdict::reduced;
  if (get_stream(handle, &r.stream) != cublas::SUCCESS ||
      get_pointer_mode(handle, &pointers) != cublas::SUCCESS)
    return Verdict::arguments;
  r.has_device_scalars = pointers == cublas::POINTERS_TO_DEVICE;
  const Workspace workspace = workspace_of(handle);
  r.workspace = workspace.memory;
  r.workspace_bytes = workspace.bytes;
  return Verdict::answered;
}

// Serves a call whose types are FP32's.
template <typename FORWARD>
Value serve_fp32(const char* entry, Handle handle, Accuracy accuracy, Request& r,
                 const FORWARD& forward) {
  const auto complete = [&](Request& request) {
    const Verdict verdict = verdict_without_state(request);
    if (verdict != Verdict::answered) return verdict;
    return read_handle(handle, accuracy, request);
  };
  return serve(entry, r, complete, forward);
}

// Serves a call that is cuBLAS's in any case.
template <typename FORWARD>
Value serve_other(const char* entry, Verdict verdict, Request& r, const FORWARD& forward) {
  return serve(entry, r, [verdict](const Request&) { return verdict; }, forward);
}

// The factors and sizes of a call. The matrices are void in cublasGemmEx and float elsewhere.
struct Sizes {
  Value trans_a, trans_b;
  int64_t m, n, k;
  const void *alpha, *beta;
};

Request request_of(const Sizes& s, const void* A, int64_t lda, const void* B, int64_t ldb, void* C,
                   int64_t ldc) {
  auto* const result = static_cast<float*>(C);
  return {.trans_a = s.trans_a,
          .trans_b = s.trans_b,
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .alpha = static_cast<const float*>(s.alpha),
          .A = static_cast<const float*>(A),
          .lda = lda,
          .B = static_cast<const float*>(B),
          .ldb = ldb,
          .beta = static_cast<const float*>(s.beta),
          .C = result,
          .ldc = ldc,
          .D = result,
          .ldd = ldc};
}

Request batch_request_of(const Sizes& s, const void* A, int64_t lda, int64_t stride_a,
                         const void* B, int64_t ldb, int64_t stride_b, void* C, int64_t ldc,
                         int64_t stride_c, int64_t batch) {
  Request r = request_of(s, A, lda, B, ldb, C, ldc);
  r.stride_a = stride_a;
  r.stride_b = stride_b;
  r.stride_c = r.stride_d = stride_c;
  r.batch = batch;
  return r;
}

// Of a batch whose matrices' addresses lie in device memory.
Request pointer_batch_of(const Sizes& s, const void* const A[], int64_t lda, const void* const B[],
                         int64_t ldb, void* const C[], int64_t ldc, int64_t batch) {
  Request r = request_of(s, nullptr, lda, nullptr, ldb, nullptr, ldc);
  r.pointers = {.A = reinterpret_cast<const float* const*>(A),
                .B = reinterpret_cast<const float* const*>(B),
                .C = reinterpret_cast<float* const*>(C)};
  r.batch = batch;
  return r;
}

// ---- The functions, each for both widths of integers.

template <typename INT>
Value sgemm(Real<cublas::Sgemm<INT>>& real, Handle handle, Value trans_a, Value trans_b, INT m,
            INT n, INT k, const float* alpha, const float* A, INT lda, const float* B, INT ldb,
            const float* beta, float* C, INT ldc) {
  Request r = request_of({trans_a, trans_b, m, n, k, alpha, beta}, A, lda, B, ldb, C, ldc);
  return serve_fp32(real.name(), handle, Accuracy::by_handle, r, [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  });
}

template <typename INT>
Value sgemm_strided_batched(Real<cublas::SgemmStridedBatched<INT>>& real, Handle handle,
                            Value trans_a, Value trans_b, INT m, INT n, INT k, const float* alpha,
                            const float* A, INT lda, long long stride_a, const float* B, INT ldb,
                            long long stride_b, const float* beta, float* C, INT ldc,
                            long long stride_c, INT batch) {
  Request r = batch_request_of({trans_a, trans_b, m, n, k, alpha, beta}, A, lda, stride_a, B, ldb,
                               stride_b, C, ldc, stride_c, batch);
  return serve_fp32(real.name(), handle, Accuracy::by_handle, r, [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta,
                C, ldc, stride_c, batch);
  });
}

template <typename INT>
Value sgemm_batched(Real<cublas::SgemmBatched<INT>>& real, Handle handle, Value trans_a,
                    Value trans_b, INT m, INT n, INT k, const float* alpha, const float* const A[],
                    INT lda, const float* const B[], INT ldb, const float* beta, float* const C[],
                    INT ldc, INT batch) {
  const auto untyped = [](const float* const* matrices) {
    return reinterpret_cast<const void* const*>(matrices);
  };
  Request r = pointer_batch_of({trans_a, trans_b, m, n, k, alpha, beta}, untyped(A), lda,
                               untyped(B), ldb, reinterpret_cast<void* const*>(C), ldc, batch);
  return serve_fp32(real.name(), handle, Accuracy::by_handle, r, [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
  });
}

template <typename INT>
Value gemm_ex(Real<cublas::GemmEx<INT>>& real, Handle handle, Value trans_a, Value trans_b, INT m,
              INT n, INT k, const void* alpha, const void* A, Value type_a, INT lda, const void* B,
              Value type_b, INT ldb, const void* beta, void* C, Value type_c, INT ldc,
              Value compute, Value algo) {
  const auto forward = [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C,
                type_c, ldc, compute, algo);
  };
  Request r = request_of({trans_a, trans_b, m, n, k, alpha, beta}, A, lda, B, ldb, C, ldc);
  const auto accuracy = accuracy_of(compute);
  if (!accuracy || !are_fp32(type_a, type_b, type_c))
    return serve_other(real.name(), Verdict::not_fp32, r, forward);
  return serve_fp32(real.name(), handle, *accuracy, r, forward);
}

template <typename INT>
Value gemm_strided_batched_ex(Real<cublas::GemmStridedBatchedEx<INT>>& real, Handle handle,
                              Value trans_a, Value trans_b, INT m, INT n, INT k, const void* alpha,
                              const void* A, Value type_a, INT lda, long long stride_a,
                              const void* B, Value type_b, INT ldb, long long stride_b,
                              const void* beta, void* C, Value type_c, INT ldc, long long stride_c,
                              INT batch, Value compute, Value algo) {
  const auto forward = [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, type_a, lda, stride_a, B, type_b, ldb,
                stride_b, beta, C, type_c, ldc, stride_c, batch, compute, algo);
  };
  Request r = batch_request_of({trans_a, trans_b, m, n, k, alpha, beta}, A, lda, stride_a, B, ldb,
                               stride_b, C, ldc, stride_c, batch);
  const auto accuracy = accuracy_of(compute);
  if (!accuracy || !are_fp32(type_a, type_b, type_c))
    return serve_other(real.name(), Verdict::not_fp32, r, forward);
  return serve_fp32(real.name(), handle, *accuracy, r, forward);
}

template <typename INT>
Value gemm_batched_ex(Real<cublas::GemmBatchedEx<INT>>& real, Handle handle, Value trans_a,
                      Value trans_b, INT m, INT n, INT k, const void* alpha, const void* const A[],
                      Value type_a, INT lda, const void* const B[], Value type_b, INT ldb,
                      const void* beta, void* const C[], Value type_c, INT ldc, INT batch,
                      Value compute, Value algo) {
  const auto forward = [&] {
    return real(handle, trans_a, trans_b, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C,
                type_c, ldc, batch, compute, algo);
  };
  Request r =
      pointer_batch_of({trans_a, trans_b, m, n, k, alpha, beta}, A, lda, B, ldb, C, ldc, batch);
  const auto accuracy = accuracy_of(compute);
  if (!accuracy || !are_fp32(type_a, type_b, type_c))
    return serve_other(real.name(), Verdict::not_fp32, r, forward);
  return serve_fp32(real.name(), handle, *accuracy, r, forward);
}

Real<cublas::Sgemm<int>> real_sgemm(CUBLAS, "cublasSgemm_v2");
Real<cublas::Sgemm<int64_t>> real_sgemm_64(CUBLAS, "cublasSgemm_v2_64");
Real<cublas::SgemmBatched<int>> real_sgemm_batched(CUBLAS, "cublasSgemmBatched");
Real<cublas::SgemmBatched<int64_t>> real_sgemm_batched_64(CUBLAS, "cublasSgemmBatched_64");
Real<cublas::SgemmStridedBatched<int>> real_sgemm_strided(CUBLAS, "cublasSgemmStridedBatched");
Real<cublas::SgemmStridedBatched<int64_t>> real_sgemm_strided_64(CUBLAS,
                                                                 "cublasSgemmStridedBatched_64");
Real<cublas::GemmEx<int>> real_gemm_ex(CUBLAS, "cublasGemmEx");
Real<cublas::GemmEx<int64_t>> real_gemm_ex_64(CUBLAS, "cublasGemmEx_64");
Real<cublas::GemmBatchedEx<int>> real_gemm_batched_ex(CUBLAS, "cublasGemmBatchedEx");
Real<cublas::GemmBatchedEx<int64_t>> real_gemm_batched_ex_64(CUBLAS, "cublasGemmBatchedEx_64");
Real<cublas::GemmStridedBatchedEx<int>> real_gemm_strided_ex(CUBLAS, "cublasGemmStridedBatchedEx");
Real<cublas::GemmStridedBatchedEx<int64_t>> real_gemm_strided_ex_64(
    CUBLAS, "cublasGemmStridedBatchedEx_64");
Real<cublas::SetStream> real_set_stream(CUBLAS, "cublasSetStream_v2");
Real<cublas::SetWorkspace> real_set_workspace(CUBLAS, "cublasSetWorkspace_v2");
Real<cublas::Destroy> real_destroy(CUBLAS, "cublasDestroy_v2");

}  // namespace
}  // namespace preload

// The names are cuBLAS's. NOLINTBEGIN(readability-identifier-naming)
using namespace preload;

// A function with the type and name of cuBLAS's, which hands its arguments to ours.
#define PRELOAD_EXPORT extern "C" __attribute__((visibility("default")))

PRELOAD_EXPORT Value cublasSgemm_v2(Handle handle, Value trans_a, Value trans_b, int m, int n,
                                    int k, const float* alpha, const float* A, int lda,
                                    const float* B, int ldb, const float* beta, float* C, int ldc) {
  return sgemm(real_sgemm, handle, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

PRELOAD_EXPORT Value cublasSgemm_v2_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                       int64_t n, int64_t k, const float* alpha, const float* A,
                                       int64_t lda, const float* B, int64_t ldb, const float* beta,
                                       float* C, int64_t ldc) {
  return sgemm(real_sgemm_64, handle, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C,
               ldc);
}

PRELOAD_EXPORT Value cublasSgemmBatched(Handle handle, Value trans_a, Value trans_b, int m, int n,
                                        int k, const float* alpha, const float* const A[], int lda,
                                        const float* const B[], int ldb, const float* beta,
                                        float* const C[], int ldc, int batch) {
  return sgemm_batched(real_sgemm_batched, handle, trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb,
                       beta, C, ldc, batch);
}

PRELOAD_EXPORT Value cublasSgemmBatched_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                           int64_t n, int64_t k, const float* alpha,
                                           const float* const A[], int64_t lda,
                                           const float* const B[], int64_t ldb, const float* beta,
                                           float* const C[], int64_t ldc, int64_t batch) {
  return sgemm_batched(real_sgemm_batched_64, handle, trans_a, trans_b, m, n, k, alpha, A, lda, B,
                       ldb, beta, C, ldc, batch);
}

PRELOAD_EXPORT Value cublasSgemmStridedBatched(Handle handle, Value trans_a, Value trans_b, int m,
                                               int n, int k, const float* alpha, const float* A,
                                               int lda, long long stride_a, const float* B, int ldb,
                                               long long stride_b, const float* beta, float* C,
                                               int ldc, long long stride_c, int batch) {
  return sgemm_strided_batched(real_sgemm_strided, handle, trans_a, trans_b, m, n, k, alpha, A, lda,
                               stride_a, B, ldb, stride_b, beta, C, ldc, stride_c, batch);
}

PRELOAD_EXPORT Value cublasSgemmStridedBatched_64(Handle handle, Value trans_a, Value trans_b,
                                                  int64_t m, int64_t n, int64_t k,
                                                  const float* alpha, const float* A, int64_t lda,
                                                  long long stride_a, const float* B, int64_t ldb,
                                                  long long stride_b, const float* beta, float* C,
                                                  int64_t ldc, long long stride_c, int64_t batch) {
  return sgemm_strided_batched(real_sgemm_strided_64, handle, trans_a, trans_b, m, n, k, alpha, A,
                               lda, stride_a, B, ldb, stride_b, beta, C, ldc, stride_c, batch);
}

PRELOAD_EXPORT Value cublasGemmEx(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                                  const void* alpha, const void* A, Value type_a, int lda,
                                  const void* B, Value type_b, int ldb, const void* beta, void* C,
                                  Value type_c, int ldc, Value compute, Value algo) {
  return gemm_ex(real_gemm_ex, handle, trans_a, trans_b, m, n, k, alpha, A, type_a, lda, B, type_b,
                 ldb, beta, C, type_c, ldc, compute, algo);
}

PRELOAD_EXPORT Value cublasGemmEx_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                     int64_t n, int64_t k, const void* alpha, const void* A,
                                     Value type_a, int64_t lda, const void* B, Value type_b,
                                     int64_t ldb, const void* beta, void* C, Value type_c,
                                     int64_t ldc, Value compute, Value algo) {
  return gemm_ex(real_gemm_ex_64, handle, trans_a, trans_b, m, n, k, alpha, A, type_a, lda, B,
                 type_b, ldb, beta, C, type_c, ldc, compute, algo);
}

PRELOAD_EXPORT Value cublasGemmBatchedEx(Handle handle, Value trans_a, Value trans_b, int m, int n,
                                         int k, const void* alpha, const void* const A[],
                                         Value type_a, int lda, const void* const B[], Value type_b,
                                         int ldb, const void* beta, void* const C[], Value type_c,
                                         int ldc, int batch, Value compute, Value algo) {
  return gemm_batched_ex(real_gemm_batched_ex, handle, trans_a, trans_b, m, n, k, alpha, A, type_a,
                         lda, B, type_b, ldb, beta, C, type_c, ldc, batch, compute, algo);
}

PRELOAD_EXPORT Value cublasGemmBatchedEx_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                            int64_t n, int64_t k, const void* alpha,
                                            const void* const A[], Value type_a, int64_t lda,
                                            const void* const B[], Value type_b, int64_t ldb,
                                            const void* beta, void* const C[], Value type_c,
                                            int64_t ldc, int64_t batch, Value compute, Value algo) {
  return gemm_batched_ex(real_gemm_batched_ex_64, handle, trans_a, trans_b, m, n, k, alpha, A,
                         type_a, lda, B, type_b, ldb, beta, C, type_c, ldc, batch, compute, algo);
}

PRELOAD_EXPORT Value cublasGemmStridedBatchedEx(Handle handle, Value trans_a, Value trans_b, int m,
                                                int n, int k, const void* alpha, const void* A,
                                                Value type_a, int lda, long long stride_a,
                                                const void* B, Value type_b, int ldb,
                                                long long stride_b, const void* beta, void* C,
                                                Value type_c, int ldc, long long stride_c,
                                                int batch, Value compute, Value algo) {
  return gemm_strided_batched_ex(real_gemm_strided_ex, handle, trans_a, trans_b, m, n, k, alpha, A,
                                 type_a, lda, stride_a, B, type_b, ldb, stride_b, beta, C, type_c,
                                 ldc, stride_c, batch, compute, algo);
}

PRELOAD_EXPORT Value cublasGemmStridedBatchedEx_64(
    Handle handle, Value trans_a, Value trans_b, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* A, Value type_a, int64_t lda, long long stride_a, const void* B, Value type_b,
    int64_t ldb, long long stride_b, const void* beta, void* C, Value type_c, int64_t ldc,
    long long stride_c, int64_t batch, Value compute, Value algo) {
  return gemm_strided_batched_ex(real_gemm_strided_ex_64, handle, trans_a, trans_b, m, n, k, alpha,
                                 A, type_a, lda, stride_a, B, type_b, ldb, stride_b, beta, C,
                                 type_c, ldc, stride_c, batch, compute, algo);
}

// ---- The functions that change a handle's workspace.

PRELOAD_EXPORT Value cublasSetWorkspace_v2(Handle handle, void* memory, size_t bytes) {
  const Value status = real_set_workspace(handle, memory, bytes);
  if (status == cublas::SUCCESS) remember_workspace(handle, {memory, bytes});
  return status;
}

// cuBLAS then takes its own workspace again.
PRELOAD_EXPORT Value cublasSetStream_v2(Handle handle, cudaStream_t stream) {
  forget_workspace(handle);
  return real_set_stream(handle, stream);
}

PRELOAD_EXPORT Value cublasDestroy_v2(Handle handle) {
  forget_workspace(handle);
  return real_destroy(handle);
}
// NOLINTEND(readability-identifier-naming)

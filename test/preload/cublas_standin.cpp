// A stand-in for libcublas.so.13, for tests without a GPU: handles with their state, and products in plain loops.
#include <algorithm>
#include <atomic>

#include "counted_calls.hpp"
#include "standin.hpp"

namespace standin {
namespace {

namespace cublas = preload::cublas;

CountedCalls calls;
std::atomic<bool> does_nothing = false;

struct State {
  cudaStream_t stream = nullptr;
  Value pointer_mode = cublas::POINTERS_TO_HOST, math_mode = cublas::DEFAULT_MATH;
};

State* state_of(Handle handle) { return static_cast<State*>(handle); }

// One product, column-major. The pointers may be misaligned in no way that a float may not.
struct Product {
  Value trans_a, trans_b;
  int64_t m, n, k;
  const float* alpha;
  const float* A;
  int64_t lda;
  const float* B;
  int64_t ldb;
  const float* beta;
  float* C;
  int64_t ldc;
};

bool is_allowed(const Product& p) {
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.trans_a < 0 || p.trans_a > 2 || p.trans_b < 0 ||
      p.trans_b > 2 || p.alpha == nullptr || p.beta == nullptr)
    return false;
  const int64_t rows_a = p.trans_a == cublas::OP_N ? p.m : p.k;
  const int64_t rows_b = p.trans_b == cublas::OP_N ? p.k : p.n;
  return p.lda >= std::max<int64_t>(1, rows_a) && p.ldb >= std::max<int64_t>(1, rows_b) &&
         p.ldc >= std::max<int64_t>(1, p.m);
}

void compute(const Product& p) {
  for (int64_t j = 0; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m; ++i) {
      double sum = 0;
      for (int64_t l = 0; l < p.k; ++l) {
        const float a = p.trans_a == cublas::OP_N ? p.A[i + l * p.lda] : p.A[l + i * p.lda];
        const float b = p.trans_b == cublas::OP_N ? p.B[l + j * p.ldb] : p.B[j + l * p.ldb];
        sum += double{a} * double{b};
      }
      float& c = p.C[i + j * p.ldc];
      const double old = *p.beta == 0 ? 0 : double{*p.beta} * double{c};
      c = static_cast<float>(double{*p.alpha} * sum + old);
    }
  }
}

Value run(Handle handle, const Product& p) {
  if (handle == nullptr) return cublas::NOT_INITIALIZED;
  if (!is_allowed(p)) return cublas::INVALID_VALUE;
  if (does_nothing) return cublas::SUCCESS;
  if (cudaStreamSynchronize(state_of(handle)->stream) != cudaSuccess)
    return cublas::EXECUTION_FAILED;
  compute(p);
  return cublas::SUCCESS;
}

Value run_strided(Handle handle, Product p, int64_t stride_a, int64_t stride_b, int64_t stride_c,
                  int64_t batch) {
  Value status = batch < 0 ? cublas::INVALID_VALUE : cublas::SUCCESS;
  for (int64_t i = 0; i < batch && status == cublas::SUCCESS; ++i) {
    status = run(handle, p);
    p.A += stride_a;
    p.B += stride_b;
    p.C += stride_c;
  }
  return status;
}

Value run_pointers(Handle handle, Product p, const float* const* A, const float* const* B,
                   float* const* C, int64_t batch) {
  Value status = batch < 0 ? cublas::INVALID_VALUE : cublas::SUCCESS;
  for (int64_t i = 0; i < batch && status == cublas::SUCCESS; ++i) {
    p.A = A[i];
    p.B = B[i];
    p.C = C[i];
    status = run(handle, p);
  }
  return status;
}

const float* floats(const void* x) { return static_cast<const float*>(x); }

}  // namespace
}  // namespace standin

// The names are cuBLAS's. NOLINTBEGIN(readability-identifier-naming)
using namespace standin;

extern "C" {

bool standin_counts() { return true; }
long standin_calls(const char* function) { return calls.of(function); }
void standin_do_nothing(int yes) { does_nothing = yes != 0; }

Value cublasCreate_v2(Handle* handle) {
  *handle = new State;
  return cublas::SUCCESS;
}
Value cublasDestroy_v2(Handle handle) {
  calls.add(__func__);
  delete state_of(handle);
  return cublas::SUCCESS;
}
Value cublasSetStream_v2(Handle handle, cudaStream_t stream) {
  calls.add(__func__);
  state_of(handle)->stream = stream;
  return cublas::SUCCESS;
}
Value cublasGetStream_v2(Handle handle, cudaStream_t* stream) {
  if (handle == nullptr) return cublas::NOT_INITIALIZED;
  *stream = state_of(handle)->stream;
  return cublas::SUCCESS;
}
Value cublasSetPointerMode_v2(Handle handle, Value mode) {
  state_of(handle)->pointer_mode = mode;
  return cublas::SUCCESS;
}
Value cublasGetPointerMode_v2(Handle handle, Value* mode) {
  if (handle == nullptr) return cublas::NOT_INITIALIZED;
  *mode = state_of(handle)->pointer_mode;
  return cublas::SUCCESS;
}
Value cublasSetMathMode(Handle handle, Value mode) {
  state_of(handle)->math_mode = mode;
  return cublas::SUCCESS;
}
Value cublasGetMathMode(Handle handle, Value* mode) {
  if (handle == nullptr) return cublas::NOT_INITIALIZED;
  *mode = state_of(handle)->math_mode;
  return cublas::SUCCESS;
}
Value cublasSetWorkspace_v2(Handle handle, void* memory, size_t bytes) {
  calls.add(__func__);
  if (handle == nullptr) return cublas::NOT_INITIALIZED;
  return memory == nullptr && bytes > 0 ? cublas::INVALID_VALUE : cublas::SUCCESS;
}

Value cublasSgemm_v2(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                     const float* alpha, const float* A, int lda, const float* B, int ldb,
                     const float* beta, float* C, int ldc) {
  if (does_nothing) return cublas::SUCCESS;
  calls.add(__func__);
  return run(handle, {trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}
Value cublasSgemm_v2_64(Handle handle, Value trans_a, Value trans_b, int64_t m, int64_t n,
                        int64_t k, const float* alpha, const float* A, int64_t lda, const float* B,
                        int64_t ldb, const float* beta, float* C, int64_t ldc) {
  calls.add(__func__);
  return run(handle, {trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}
Value cublasSgemmBatched(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                         const float* alpha, const float* const A[], int lda,
                         const float* const B[], int ldb, const float* beta, float* const C[],
                         int ldc, int batch) {
  calls.add(__func__);
  return run_pointers(
      handle, {trans_a, trans_b, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc}, A,
      B, C, batch);
}
Value cublasSgemmBatched_64(Handle handle, Value trans_a, Value trans_b, int64_t m, int64_t n,
                            int64_t k, const float* alpha, const float* const A[], int64_t lda,
                            const float* const B[], int64_t ldb, const float* beta,
                            float* const C[], int64_t ldc, int64_t batch) {
  calls.add(__func__);
  return run_pointers(
      handle, {trans_a, trans_b, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc}, A,
      B, C, batch);
}
Value cublasSgemmStridedBatched(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                                const float* alpha, const float* A, int lda, long long stride_a,
                                const float* B, int ldb, long long stride_b, const float* beta,
                                float* C, int ldc, long long stride_c, int batch) {
  calls.add(__func__);
  return run_strided(handle, {trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc},
                     stride_a, stride_b, stride_c, batch);
}
Value cublasSgemmStridedBatched_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                   int64_t n, int64_t k, const float* alpha, const float* A,
                                   int64_t lda, long long stride_a, const float* B, int64_t ldb,
                                   long long stride_b, const float* beta, float* C, int64_t ldc,
                                   long long stride_c, int64_t batch) {
  calls.add(__func__);
  return run_strided(handle, {trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc},
                     stride_a, stride_b, stride_c, batch);
}

// Calls a public function, as cuBLAS may: the linker gives it the preloaded one.
Value cublasGemmEx(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                   const void* alpha, const void* A, Value /*type_a*/, int lda, const void* B,
                   Value /*type_b*/, int ldb, const void* beta, void* C, Value /*type_c*/, int ldc,
                   Value /*compute*/, Value /*algo*/) {
  calls.add(__func__);
  return cublasSgemm_v2(handle, trans_a, trans_b, m, n, k, floats(alpha), floats(A), lda, floats(B),
                        ldb, floats(beta), static_cast<float*>(C), ldc);
}
Value cublasGemmEx_64(Handle handle, Value trans_a, Value trans_b, int64_t m, int64_t n, int64_t k,
                      const void* alpha, const void* A, Value /*type_a*/, int64_t lda,
                      const void* B, Value /*type_b*/, int64_t ldb, const void* beta, void* C,
                      Value /*type_c*/, int64_t ldc, Value /*compute*/, Value /*algo*/) {
  calls.add(__func__);
  return run(handle, {trans_a, trans_b, m, n, k, floats(alpha), floats(A), lda, floats(B), ldb,
                      floats(beta), static_cast<float*>(C), ldc});
}
Value cublasGemmBatchedEx(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                          const void* alpha, const void* const A[], Value /*type_a*/, int lda,
                          const void* const B[], Value /*type_b*/, int ldb, const void* beta,
                          void* const C[], Value /*type_c*/, int ldc, int batch, Value /*compute*/,
                          Value /*algo*/) {
  calls.add(__func__);
  return run_pointers(handle,
                      {trans_a, trans_b, m, n, k, floats(alpha), nullptr, lda, nullptr, ldb,
                       floats(beta), nullptr, ldc},
                      reinterpret_cast<const float* const*>(A),
                      reinterpret_cast<const float* const*>(B), reinterpret_cast<float* const*>(C),
                      batch);
}
Value cublasGemmBatchedEx_64(Handle handle, Value trans_a, Value trans_b, int64_t m, int64_t n,
                             int64_t k, const void* alpha, const void* const A[], Value /*type_a*/,
                             int64_t lda, const void* const B[], Value /*type_b*/, int64_t ldb,
                             const void* beta, void* const C[], Value /*type_c*/, int64_t ldc,
                             int64_t batch, Value /*compute*/, Value /*algo*/) {
  calls.add(__func__);
  return run_pointers(handle,
                      {trans_a, trans_b, m, n, k, floats(alpha), nullptr, lda, nullptr, ldb,
                       floats(beta), nullptr, ldc},
                      reinterpret_cast<const float* const*>(A),
                      reinterpret_cast<const float* const*>(B), reinterpret_cast<float* const*>(C),
                      batch);
}
Value cublasGemmStridedBatchedEx(Handle handle, Value trans_a, Value trans_b, int m, int n, int k,
                                 const void* alpha, const void* A, Value /*type_a*/, int lda,
                                 long long stride_a, const void* B, Value /*type_b*/, int ldb,
                                 long long stride_b, const void* beta, void* C, Value /*type_c*/,
                                 int ldc, long long stride_c, int batch, Value /*compute*/,
                                 Value /*algo*/) {
  calls.add(__func__);
  return run_strided(handle,
                     {trans_a, trans_b, m, n, k, floats(alpha), floats(A), lda, floats(B), ldb,
                      floats(beta), static_cast<float*>(C), ldc},
                     stride_a, stride_b, stride_c, batch);
}
Value cublasGemmStridedBatchedEx_64(Handle handle, Value trans_a, Value trans_b, int64_t m,
                                    int64_t n, int64_t k, const void* alpha, const void* A,
                                    Value /*type_a*/, int64_t lda, long long stride_a,
                                    const void* B, Value /*type_b*/, int64_t ldb,
                                    long long stride_b, const void* beta, void* C, Value /*type_c*/,
                                    int64_t ldc, long long stride_c, int64_t batch,
                                    Value /*compute*/, Value /*algo*/) {
  calls.add(__func__);
  return run_strided(handle,
                     {trans_a, trans_b, m, n, k, floats(alpha), floats(A), lda, floats(B), ldb,
                      floats(beta), static_cast<float*>(C), ldc},
                     stride_a, stride_b, stride_c, batch);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

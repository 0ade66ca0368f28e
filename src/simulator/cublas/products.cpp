// General products of matrices: C = alpha op(A) op(B) + beta C, one or many, of one element type or of several.
#include <optional>
#include <vector>

#include "simulator/cublas/product_types.hpp"
#include "simulator/cublas/request.hpp"

namespace simulator::cublas {
namespace {

// The shape of a product. A is m x k after op(), B is k x n.
struct Shape {
  cublasOperation_t transa, transb;
  int m, n, k, lda, ldb, ldc;

  int rows_of_a() const { return is_transposed(transa) ? k : m; }
  int columns_of_a() const { return is_transposed(transa) ? m : k; }
  int rows_of_b() const { return is_transposed(transb) ? n : k; }
  int columns_of_b() const { return is_transposed(transb) ? k : n; }
  bool is_valid() const {
    return is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && k >= 0 &&
           holds(lda, rows_of_a()) && holds(ldb, rows_of_b()) && holds(ldc, m);
  }
  size_t span_of_a() const { return span_of(rows_of_a(), columns_of_a(), lda); }
  size_t span_of_b() const { return span_of(rows_of_b(), columns_of_b(), ldb); }
  size_t span_of_c() const { return span_of(m, n, ldc); }
};

// The host's type for a device's: Eigen's half-precision types have the same bits.
template <typename T>
struct HostType {
  using type = T;
};
template <>
struct HostType<__half> {
  using type = Eigen::half;
};
template <>
struct HostType<__nv_bfloat16> {
  using type = Eigen::bfloat16;
};

// Computes one product with sums of type Sum; those of half precision are kept in FP32, and rounded once. With beta = 0 C is not
// read, and with alpha = 0 A and B are not read.
template <typename In, typename Out, typename Sum>
void multiply(const Shape& shape, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
  using Wide = WideSum<Sum>;
  Matrix<Wide> sum = Matrix<Wide>::Zero(shape.m, shape.n);
  if (alpha != Sum(0) && shape.k > 0) {
    const auto left =
        matrix_at(a, shape.rows_of_a(), shape.columns_of_a(), shape.lda).template cast<Wide>();
    const auto right =
        matrix_at(b, shape.rows_of_b(), shape.columns_of_b(), shape.ldb).template cast<Wide>();
    const bool ta = is_transposed(shape.transa), tb = is_transposed(shape.transb);
    if (ta && tb)
      sum.noalias() = left.transpose() * right.transpose();
    else if (ta)
      sum.noalias() = left.transpose() * right;
    else if (tb)
      sum.noalias() = left * right.transpose();
    else
      sum.noalias() = left * right;
    sum *= Wide(alpha);
  }
  auto result = matrix_at(c, shape.m, shape.n, shape.ldc);
  if (beta != Sum(0)) sum += Wide(beta) * result.template cast<Wide>();
  result = sum.template cast<Out>();
}

// Many products at regular distances; one is a batch of one.
struct Batch {
  long long stride_a = 0, stride_b = 0, stride_c = 0;
  int count = 1;

  // The elements from a batch's first to past its last.
  size_t span(size_t one, long long stride) const {
    return one == 0 || count == 0
               ? 0
               : one + (static_cast<size_t>(count) - 1) * static_cast<size_t>(stride);
  }
};

// In, Out: the element types. Sum: the type of alpha, beta and the sums.
template <typename In, typename Out, typename Sum>
cublasStatus_t product(cublasContext& context, const Shape& shape, const Batch& batch,
                       const void* alpha, const void* a, const void* b, const void* beta, void* c) {
  if (!shape.is_valid() || batch.count < 0 || batch.stride_a < 0 || batch.stride_b < 0 ||
      batch.stride_c < 0 || alpha == nullptr || beta == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (shape.m == 0 || shape.n == 0 || batch.count == 0) return CUBLAS_STATUS_SUCCESS;
  Request request(context);
  const auto first = request.scalar(static_cast<const Sum*>(alpha));
  const auto second = request.scalar(static_cast<const Sum*>(beta));
  const auto left =
      request.reads(static_cast<const In*>(a), batch.span(shape.span_of_a(), batch.stride_a), "A");
  const auto right =
      request.reads(static_cast<const In*>(b), batch.span(shape.span_of_b(), batch.stride_b), "B");
  const auto result =
      request.writes(static_cast<Out*>(c), batch.span(shape.span_of_c(), batch.stride_c), "C");
  return request.run([=] {
    for (int i = 0; i < batch.count; ++i) {
      multiply(shape, first.value(), left.data() + i * batch.stride_a,
               right.data() + i * batch.stride_b, second.value(),
               result.data() + i * batch.stride_c);
    }
  });
}

template <typename T>
cublasStatus_t batched(const char* name, cublasHandle_t handle, const Shape& shape, const T* alpha,
                       const T* const a[], const T* const b[], const T* beta, T* const c[],
                       int count) {
  using Host = typename HostType<T>::type;
  return with_handle(name, handle, [&](cublasContext& context) {
    if (!shape.is_valid() || count < 0 || alpha == nullptr || beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (shape.m == 0 || shape.n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto first = request.scalar(reinterpret_cast<const Host*>(alpha));
    const auto second = request.scalar(reinterpret_cast<const Host*>(beta));
    const auto size = static_cast<size_t>(count);
    const auto left = request.reads(a, size, "A's pointers");
    const auto right = request.reads(b, size, "B's pointers");
    const auto result = request.reads(c, size, "C's pointers");
    return request.run([=] {  // the pointers are read only now
      for (size_t i = 0; i < size; ++i) {
        const auto* const one_a = view_of(left.data()[i], shape.span_of_a());
        const auto* const one_b = view_of(right.data()[i], shape.span_of_b());
        auto* const one_c = view_of(result.data()[i], shape.span_of_c());
        multiply(shape, first.value(), reinterpret_cast<const Host*>(one_a),
                 reinterpret_cast<const Host*>(one_b), second.value(),
                 reinterpret_cast<Host*>(one_c));
      }
    });
  });
}

// The types of a product by cublasGemmEx, as far as they matter here.
cublasStatus_t typed_product(const char* name, cublasHandle_t handle, const Shape& shape,
                             const Batch& batch, const void* alpha, const void* a,
                             cudaDataType type_a, const void* b, cudaDataType type_b,
                             const void* beta, void* c, cudaDataType type_c,
                             cublasComputeType_t compute) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (type_a != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
    return with_product_types(
        compute, type_a, type_c, [&]<typename In, typename Out, typename Sum>(In, Out, Sum) {
          return product<In, Out, Sum>(context, shape, batch, alpha, a, b, beta, c);
        });
  });
}

template <typename T>
cublasStatus_t gemm(const char* name, cublasHandle_t handle, const Shape& shape, const Batch& batch,
                    const T* alpha, const T* a, const T* b, const T* beta, T* c) {
  using Host = typename HostType<T>::type;
  return with_handle(name, handle, [&](cublasContext& context) {
    return product<Host, Host, Host>(context, shape, batch, alpha, a, b, beta, c);
  });
}

}  // namespace
}  // namespace simulator::cublas

using namespace simulator::cublas;

#define PRODUCT(T, S, NAME)                                                                      \
  extern "C" {                                                                                   \
  cublasStatus_t NAME(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                      int m, int n, int k, const T* alpha, const T* a, int lda, const T* b,      \
                      int ldb, const T* beta, T* c, int ldc) {                                   \
    return gemm("cublas" #S "gemm", handle, {transa, transb, m, n, k, lda, ldb, ldc}, {}, alpha, \
                a, b, beta, c);                                                                  \
  }                                                                                              \
  }

#define BATCHES(T, S)                                                                             \
  extern "C" {                                                                                    \
  cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,   \
                                               cublasOperation_t transb, int m, int n, int k,     \
                                               const T* alpha, const T* a, int lda,               \
                                               long long stride_a, const T* b, int ldb,           \
                                               long long stride_b, const T* beta, T* c, int ldc,  \
                                               long long stride_c, int batch) {                   \
    return gemm("cublas" #S "gemmStridedBatched", handle,                                         \
                {transa, transb, m, n, k, lda, ldb, ldc}, {stride_a, stride_b, stride_c, batch},  \
                alpha, a, b, beta, c);                                                            \
  }                                                                                               \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t handle, cublasOperation_t transa,          \
                                        cublasOperation_t transb, int m, int n, int k,            \
                                        const T* alpha, const T* const a[], int lda,              \
                                        const T* const b[], int ldb, const T* beta, T* const c[], \
                                        int ldc, int batch) {                                     \
    return batched("cublas" #S "gemmBatched", handle, {transa, transb, m, n, k, lda, ldb, ldc},   \
                   alpha, a, b, beta, c, batch);                                                  \
  }                                                                                               \
  }
PRODUCT(float, S, cublasSgemm_v2)
PRODUCT(double, D, cublasDgemm_v2)
PRODUCT(__half, H, cublasHgemm)
BATCHES(float, S)
BATCHES(double, D)
BATCHES(__half, H)

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t /*algo*/) {
  return typed_product("cublasGemmEx", handle, {transa, transb, m, n, k, lda, ldb, ldc}, {}, alpha,
                       a, type_a, b, type_b, beta, c, type_c, compute);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType type_a,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t /*algo*/) {
  return typed_product(
      "cublasGemmStridedBatchedEx", handle, {transa, transb, m, n, k, lda, ldb, ldc},
      {stride_a, stride_b, stride_c, batch}, alpha, a, type_a, b, type_b, beta, c, type_c, compute);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c,
                             cudaDataType type_c, int ldc) {
  return typed_product("cublasSgemmEx", handle, {transa, transb, m, n, k, lda, ldb, ldc}, {}, alpha,
                       a, type_a, b, type_b, beta, c, type_c, CUBLAS_COMPUTE_32F);
}

}  // extern "C"

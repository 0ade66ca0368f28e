// Functions of matrices besides the general product: symmetric and triangular ones, sums, diagonals.
#include <Eigen/Dense>

#include "simulator/cublas/request.hpp"

namespace simulator::cublas {
namespace {

template <typename T>
cublasStatus_t symm(const char* name, cublasHandle_t handle, cublasSideMode_t side,
                    cublasFillMode_t uplo, int m, int n, const T* alpha, const T* a, int lda,
                    const T* b, int ldb, const T* beta, T* c, int ldc) {
  return with_handle(name, handle, [&](cublasContext& context) {
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    if (m < 0 || n < 0 || !holds(lda, order) || !holds(ldb, m) || !holds(ldc, m) ||
        alpha == nullptr || beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto first = request.scalar(alpha);
    const auto second = request.scalar(beta);
    const auto symmetric = request.reads(a, span_of(order, order, lda), "A");
    const auto general = request.reads(b, span_of(m, n, ldb), "B");
    const auto result = request.writes(c, span_of(m, n, ldc), "C");
    return request.run([=] {
      const auto half = matrix_at(symmetric.data(), order, order, lda);
      Matrix<T> whole;
      if (uplo == CUBLAS_FILL_MODE_LOWER)
        whole = half.template selfadjointView<Eigen::Lower>();
      else
        whole = half.template selfadjointView<Eigen::Upper>();
      const auto other = matrix_at(general.data(), m, n, ldb);
      auto out = matrix_at(result.data(), m, n, ldc);
      Matrix<T> sum = first.value() * (side == CUBLAS_SIDE_LEFT ? Matrix<T>(whole * other)
                                                                : Matrix<T>(other * whole));
      if (second.value() != T(0)) sum += second.value() * out;
      out = sum;
    });
  });
}

// Only one half of C is read and written.
template <typename T>
cublasStatus_t syrk(const char* name, cublasHandle_t handle, cublasFillMode_t uplo,
                    cublasOperation_t trans, int n, int k, const T* alpha, const T* a, int lda,
                    const T* beta, T* c, int ldc) {
  return with_handle(name, handle, [&](cublasContext& context) {
    const bool transposed = is_transposed(trans);
    const int rows = transposed ? k : n;
    const int columns = transposed ? n : k;
    if (!is_operation(trans) || n < 0 || k < 0 || !holds(lda, rows) || !holds(ldc, n) ||
        alpha == nullptr || beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto first = request.scalar(alpha);
    const auto second = request.scalar(beta);
    const auto factor = request.reads(a, span_of(rows, columns, lda), "A");
    const auto result = request.writes(c, span_of(n, n, ldc), "C");
    return request.run([=] {
      Matrix<T> sum = Matrix<T>::Zero(n, n);
      if (first.value() != T(0) && k > 0) {
        const auto all = matrix_at(factor.data(), rows, columns, lda);
        sum = first.value() *
              (transposed ? Matrix<T>(all.transpose() * all) : Matrix<T>(all * all.transpose()));
      }
      auto out = matrix_at(result.data(), n, n, ldc);
      if (second.value() != T(0)) sum += second.value() * out;
      if (uplo == CUBLAS_FILL_MODE_LOWER)
        out.template triangularView<Eigen::Lower>() = sum;
      else
        out.template triangularView<Eigen::Upper>() = sum;
    });
  });
}

// The arguments of trmm and trsm that both check alike.
struct Triangle {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;
  int m, n, lda;

  int order() const { return side == CUBLAS_SIDE_LEFT ? m : n; }
  bool is_valid() const { return is_operation(trans) && m >= 0 && n >= 0 && holds(lda, order()); }
  bool is_lower() const { return (uplo == CUBLAS_FILL_MODE_LOWER) != is_transposed(trans); }
};

// C = alpha op(A) B, or alpha B op(A).
template <typename T>
cublasStatus_t trmm(const char* name, cublasHandle_t handle, const Triangle& shape, const T* alpha,
                    const T* a, const T* b, int ldb, T* c, int ldc) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (!shape.is_valid() || !holds(ldb, shape.m) || !holds(ldc, shape.m) || alpha == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (shape.m == 0 || shape.n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto scale = request.scalar(alpha);
    const auto factor = request.reads(a, span_of(shape.order(), shape.order(), shape.lda), "A");
    const auto general = request.reads(b, span_of(shape.m, shape.n, ldb), "B");
    const auto result = request.writes(c, span_of(shape.m, shape.n, ldc), "C");
    return request.run([=] {
      const Matrix<T> triangle =
          triangle_of<T>(matrix_at(factor.data(), shape.order(), shape.order(), shape.lda),
                         shape.uplo, shape.trans, shape.diag);
      const Matrix<T> other = matrix_at(general.data(), shape.m, shape.n, ldb);  // C may be B
      matrix_at(result.data(), shape.m, shape.n, ldc) =
          scale.value() * (shape.side == CUBLAS_SIDE_LEFT ? Matrix<T>(triangle * other)
                                                          : Matrix<T>(other * triangle));
    });
  });
}

// Solves op(A) X = alpha B, or X op(A) = alpha B, in place of B.
template <typename T>
cublasStatus_t trsm(const char* name, cublasHandle_t handle, const Triangle& shape, const T* alpha,
                    const T* a, T* b, int ldb) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (!shape.is_valid() || !holds(ldb, shape.m) || alpha == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (shape.m == 0 || shape.n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto scale = request.scalar(alpha);
    const auto factor = request.reads(a, span_of(shape.order(), shape.order(), shape.lda), "A");
    const auto sides = request.writes(b, span_of(shape.m, shape.n, ldb), "B");
    return request.run([=] {
      const Matrix<T> triangle =
          triangle_of<T>(matrix_at(factor.data(), shape.order(), shape.order(), shape.lda),
                         shape.uplo, shape.trans, shape.diag);
      auto all = matrix_at(sides.data(), shape.m, shape.n, ldb);
      Matrix<T> right = scale.value() * all;
      const auto solve = [&](const auto& view) {
        if (shape.side == CUBLAS_SIDE_LEFT)
          view.solveInPlace(right);
        else
          view.template solveInPlace<Eigen::OnTheRight>(right);
      };
      if (shape.is_lower())
        solve(triangle.template triangularView<Eigen::Lower>());
      else
        solve(triangle.template triangularView<Eigen::Upper>());
      all = right;
    });
  });
}

// C = alpha op(A) + beta op(B). A factor of zero means that its matrix is not read.
template <typename T>
cublasStatus_t geam(const char* name, cublasHandle_t handle, cublasOperation_t transa,
                    cublasOperation_t transb, int m, int n, const T* alpha, const T* a, int lda,
                    const T* beta, const T* b, int ldb, T* c, int ldc) {
  return with_handle(name, handle, [&](cublasContext& context) {
    const bool ta = is_transposed(transa);
    const bool tb = is_transposed(transb);
    if (!is_operation(transa) || !is_operation(transb) || m < 0 || n < 0 ||
        !holds(lda, ta ? n : m) || !holds(ldb, tb ? n : m) || !holds(ldc, m) || alpha == nullptr ||
        beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto first = request.scalar(alpha);
    const auto second = request.scalar(beta);
    const auto left =
        request.reads(a, a == nullptr ? 0 : span_of(ta ? n : m, ta ? m : n, lda), "A");
    const auto right =
        request.reads(b, b == nullptr ? 0 : span_of(tb ? n : m, tb ? m : n, ldb), "B");
    const auto result = request.writes(c, span_of(m, n, ldc), "C");
    return request.run([=] {
      Matrix<T> sum = Matrix<T>::Zero(m, n);
      const auto add = [&](const View<const T>& part, bool transposed, int ld, T factor) {
        if (factor == T(0)) return;
        const auto all = matrix_at(part.data(), transposed ? n : m, transposed ? m : n, ld);
        if (transposed)
          sum += factor * all.transpose();
        else
          sum += factor * all;
      };
      add(left, ta, lda, first.value());
      add(right, tb, ldb, second.value());
      matrix_at(result.data(), m, n, ldc) = sum;
    });
  });
}

// C = diag(x) A, or A diag(x).
template <typename T>
cublasStatus_t dgmm(const char* name, cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
                    const T* a, int lda, const T* x, int incx, T* c, int ldc) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (m < 0 || n < 0 || !holds(lda, m) || !holds(ldc, m)) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    const int count = mode == CUBLAS_SIDE_LEFT ? m : n;
    Request request(context);
    const auto matrix = request.reads(a, span_of(m, n, lda), "A");
    const auto diagonal = request.reads(x, span_of(count, incx), "x");
    const auto result = request.writes(c, span_of(m, n, ldc), "C");
    return request.run([=] {
      const Vector<T> factors = take(diagonal.data(), count, incx);
      const Matrix<T> all = matrix_at(matrix.data(), m, n, lda);
      matrix_at(result.data(), m, n, ldc) = mode == CUBLAS_SIDE_LEFT
                                                ? Matrix<T>(factors.asDiagonal() * all)
                                                : Matrix<T>(all * factors.asDiagonal());
    });
  });
}

}  // namespace
}  // namespace simulator::cublas

using namespace simulator::cublas;

#define FUNCTIONS(T, S)                                                                            \
  extern "C" {                                                                                     \
  cublasStatus_t cublas##S##symm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t uplo, int m, int n, const T* alpha,           \
                                    const T* a, int lda, const T* b, int ldb, const T* beta, T* c, \
                                    int ldc) {                                                     \
    return symm("cublas" #S "symm", handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c,      \
                ldc);                                                                              \
  }                                                                                                \
  cublasStatus_t cublas##S##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,                  \
                                    cublasOperation_t trans, int n, int k, const T* alpha,         \
                                    const T* a, int lda, const T* beta, T* c, int ldc) {           \
    return syrk("cublas" #S "syrk", handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);       \
  }                                                                                                \
  cublasStatus_t cublas##S##trmm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t uplo, cublasOperation_t trans,                \
                                    cublasDiagType_t diag, int m, int n, const T* alpha,           \
                                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {     \
    return trmm("cublas" #S "trmm", handle, {side, uplo, trans, diag, m, n, lda}, alpha, a, b,     \
                ldb, c, ldc);                                                                      \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t uplo, cublasOperation_t trans,                \
                                    cublasDiagType_t diag, int m, int n, const T* alpha,           \
                                    const T* a, int lda, T* b, int ldb) {                          \
    return trsm("cublas" #S "trsm", handle, {side, uplo, trans, diag, m, n, lda}, alpha, a, b,     \
                ldb);                                                                              \
  }                                                                                                \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, const T* alpha,           \
                                 const T* a, int lda, const T* beta, const T* b, int ldb, T* c,    \
                                 int ldc) {                                                        \
    return geam("cublas" #S "geam", handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c,  \
                ldc);                                                                              \
  }                                                                                                \
  cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,       \
                                 const T* a, int lda, const T* x, int incx, T* c, int ldc) {       \
    return dgmm("cublas" #S "dgmm", handle, mode, m, n, a, lda, x, incx, c, ldc);                  \
  }                                                                                                \
  }
FUNCTIONS(float, S)
FUNCTIONS(double, D)

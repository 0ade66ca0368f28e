// Functions of vectors (level 1 of BLAS), and of a matrix and a vector (level 2).
#include "simulator/cublas/request.hpp"

namespace simulator::cublas {
namespace {

// `Sum`: the type of alpha and of the computation.
template <typename Sum, typename T>
cublasStatus_t axpy(const char* name, cublasHandle_t handle, int n, const Sum* alpha, const T* x,
                    int incx, T* y, int incy) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto a = request.scalar(alpha);
    const auto from = request.reads(x, span_of(n, incx), "x");
    const auto to = request.writes(y, span_of(n, incy), "y");
    return request.run([=] {
      const Vector<Sum> sum = take(to.data(), n, incy).template cast<Sum>() +
                              a.value() * take(from.data(), n, incx).template cast<Sum>();
      put<T>(sum.template cast<T>(), to.data(), incy);
    });
  });
}

template <typename T>
cublasStatus_t copy(const char* name, cublasHandle_t handle, int n, const T* x, int incx, T* y,
                    int incy) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto from = request.reads(x, span_of(n, incx), "x");
    const auto to = request.writes(y, span_of(n, incy), "y");
    return request.run([=] { put(take(from.data(), n, incx), to.data(), incy); });
  });
}

// Computes new x and y from the old ones.
template <typename T, typename Compute>
cublasStatus_t change_both(Request& request, int n, T* x, int incx, T* y, int incy,
                           Compute compute) {
  const auto first = request.writes(x, span_of(n, incx), "x");
  const auto second = request.writes(y, span_of(n, incy), "y");
  return request.run([=] {
    const Vector<T> old_x = take(first.data(), n, incx);
    const Vector<T> old_y = take(second.data(), n, incy);
    const std::pair<Vector<T>, Vector<T>> both = compute(old_x, old_y);
    put(both.first, first.data(), incx);
    put(both.second, second.data(), incy);
  });
}

template <typename T>
cublasStatus_t swap(const char* name, cublasHandle_t handle, int n, T* x, int incx, T* y,
                    int incy) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    return change_both(request, n, x, incx, y, incy,
                       [](const Vector<T>& a, const Vector<T>& b) { return std::pair{b, a}; });
  });
}

template <typename T>
cublasStatus_t rot(const char* name, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,
                   const T* cosine, const T* sine) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (cosine == nullptr || sine == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto c = request.scalar(cosine);
    const auto s = request.scalar(sine);
    return change_both(request, n, x, incx, y, incy, [=](const Vector<T>& a, const Vector<T>& b) {
      return std::pair<Vector<T>, Vector<T>>{c.value() * a + s.value() * b,
                                             c.value() * b - s.value() * a};
    });
  });
}

template <typename Sum, typename T>
cublasStatus_t scal(const char* name, cublasHandle_t handle, int n, const Sum* alpha, T* x,
                    int incx) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto a = request.scalar(alpha);
    const auto all = request.writes(x, span_of(n, incx), "x");
    return request.run([=] {
      const Vector<Sum> scaled = a.value() * take(all.data(), n, incx).template cast<Sum>();
      put<T>(scaled.template cast<T>(), all.data(), incx);
    });
  });
}

// Dot products and norms are sums in double: one long sum in FP32 loses what cuBLAS's many partial sums keep.
template <typename T>
cublasStatus_t dot(const char* name, cublasHandle_t handle, int n, const T* x, int incx, const T* y,
                   int incy, T* result) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (result == nullptr) return CUBLAS_STATUS_MAPPING_ERROR;  // an H200's answer
    Request request(context);
    const int count = std::max(n, 0);
    const auto a = request.reads(x, span_of(count, incx), "x");
    const auto b = request.reads(y, span_of(count, incy), "y");
    return request.run_for(result, [=] {
      return static_cast<T>(take(a.data(), count, incx)
                                .template cast<double>()
                                .dot(take(b.data(), count, incy).template cast<double>()));
    });
  });
}

// A number from one vector. It is zero for no elements.
template <typename T, typename Result, typename Compute>
cublasStatus_t reduce(const char* name, cublasHandle_t handle, int n, const T* x, int incx,
                      Result* result, Compute compute) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (result == nullptr) return CUBLAS_STATUS_MAPPING_ERROR;  // an H200's answer
    Request request(context);
    const int count = incx > 0 ? std::max(n, 0) : 0;
    const auto all = request.reads(x, span_of(count, incx), "x");
    return request.run_for(result, [=] {
      return count == 0 ? Result(0) : Result(compute(take(all.data(), count, incx)));
    });
  });
}

// Indices begin at 1, and the first of equal elements counts.
template <typename T>
int place_of_largest(const Vector<T>& all) {
  Eigen::Index place = 0;
  all.cwiseAbs().maxCoeff(&place);
  return static_cast<int>(place) + 1;
}
template <typename T>
int place_of_smallest(const Vector<T>& all) {
  Eigen::Index place = 0;
  all.cwiseAbs().minCoeff(&place);
  return static_cast<int>(place) + 1;
}

// y = alpha product(x) + beta y, for a matrix in any form. With beta = 0 y is not read.
template <typename T, typename Product>
cublasStatus_t multiply_vector(Request& request, int rows, int columns, const T* alpha, const T* x,
                               int incx, const T* beta, T* y, int incy, Product product) {
  const auto a = request.scalar(alpha);
  const auto b = request.scalar(beta);
  const auto from = request.reads(x, span_of(columns, incx), "x");
  const auto to = request.writes(y, span_of(rows, incy), "y");
  return request.run([=] {
    Vector<T> sum = Vector<T>::Zero(rows);
    if (a.value() != T(0)) sum = a.value() * product(take(from.data(), columns, incx));
    if (b.value() != T(0)) sum += b.value() * take(to.data(), rows, incy);
    put(sum, to.data(), incy);
  });
}

template <typename T>
cublasStatus_t gemv(const char* name, cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (!is_operation(trans) || m < 0 || n < 0 || !holds(lda, m) || alpha == nullptr ||
        beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto matrix = request.reads(a, span_of(m, n, lda), "A");
    const bool transposed = is_transposed(trans);
    return multiply_vector(request, transposed ? n : m, transposed ? m : n, alpha, x, incx, beta, y,
                           incy, [=](const Vector<T>& from) -> Vector<T> {
                             const auto all = matrix_at(matrix.data(), m, n, lda);
                             if (transposed) return all.transpose() * from;
                             return all * from;
                           });
  });
}

template <typename T>
cublasStatus_t symv(const char* name, cublasHandle_t handle, cublasFillMode_t uplo, int n,
                    const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (n < 0 || !holds(lda, n) || alpha == nullptr || beta == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto matrix = request.reads(a, span_of(n, n, lda), "A");
    return multiply_vector(request, n, n, alpha, x, incx, beta, y, incy,
                           [=](const Vector<T>& from) -> Vector<T> {
                             const auto all = matrix_at(matrix.data(), n, n, lda);
                             if (uplo == CUBLAS_FILL_MODE_LOWER)
                               return all.template selfadjointView<Eigen::Lower>() * from;
                             return all.template selfadjointView<Eigen::Upper>() * from;
                           });
  });
}

template <typename T>
cublasStatus_t ger(const char* name, cublasHandle_t handle, int m, int n, const T* alpha,
                   const T* x, int incx, const T* y, int incy, T* a, int lda) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (m < 0 || n < 0 || !holds(lda, m) || alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto factor = request.scalar(alpha);
    const auto column = request.reads(x, span_of(m, incx), "x");
    const auto row = request.reads(y, span_of(n, incy), "y");
    const auto matrix = request.writes(a, span_of(m, n, lda), "A");
    return request.run([=] {
      matrix_at(matrix.data(), m, n, lda) +=
          factor.value() * take(column.data(), m, incx) * take(row.data(), n, incy).transpose();
    });
  });
}

// x = op(A) x, or the x for which op(A) x is the old one.
template <typename T>
cublasStatus_t triangular(const char* name, cublasHandle_t handle, cublasFillMode_t uplo,
                          cublasOperation_t trans, cublasDiagType_t diag, int n, const T* a,
                          int lda, T* x, int incx, bool solves) {
  return with_handle(name, handle, [&](cublasContext& context) {
    if (!is_operation(trans) || n < 0 || !holds(lda, n)) return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0) return CUBLAS_STATUS_SUCCESS;
    Request request(context);
    const auto matrix = request.reads(a, span_of(n, n, lda), "A");
    const auto vector = request.writes(x, span_of(n, incx), "x");
    return request.run([=] {
      const Matrix<T> factor =
          triangle_of<T>(matrix_at(matrix.data(), n, n, lda), uplo, trans, diag);
      const bool is_lower = (uplo == CUBLAS_FILL_MODE_LOWER) != is_transposed(trans);
      const Vector<T> old = take(vector.data(), n, incx);
      Vector<T> result;
      if (!solves)
        result = factor * old;
      else if (is_lower)
        result = factor.template triangularView<Eigen::Lower>().solve(old);
      else
        result = factor.template triangularView<Eigen::Upper>().solve(old);
      put(result, vector.data(), incx);
    });
  });
}

// Calls run(T(), Sum()) for vectors of one type: half precision is computed in FP32, and FP32 and FP64 in themselves.
template <typename Run>
cublasStatus_t with_type(cudaDataType type, cudaDataType execution, Run run) {
  if (execution == CUDA_R_32F && type == CUDA_R_16F) return run(Eigen::half(), 0.0f);
  if (execution == CUDA_R_32F && type == CUDA_R_16BF) return run(Eigen::bfloat16(), 0.0f);
  if (execution == CUDA_R_32F && type == CUDA_R_32F) return run(0.0f, 0.0f);
  if (execution == CUDA_R_64F && type == CUDA_R_64F) return run(0.0, 0.0);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace
}  // namespace simulator::cublas

using namespace simulator::cublas;

// Each function for float and double.
#define FUNCTIONS(T, S, s)                                                                         \
  extern "C" {                                                                                     \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int incx, T* y, int incy) {                                    \
    return axpy("cublas" #S "axpy", handle, n, alpha, x, incx, y, incy);                           \
  }                                                                                                \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const T* x, int incx, T* y,      \
                                    int incy) {                                                    \
    return simulator::cublas::copy("cublas" #S "copy", handle, n, x, incx, y, incy);               \
  }                                                                                                \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T* x, int incx, T* y,            \
                                    int incy) {                                                    \
    return simulator::cublas::swap("cublas" #S "swap", handle, n, x, incx, y, incy);               \
  }                                                                                                \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x,            \
                                    int incx) {                                                    \
    return scal("cublas" #S "scal", handle, n, alpha, x, incx);                                    \
  }                                                                                                \
  cublasStatus_t cublas##S##rot_v2(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,   \
                                   const T* cosine, const T* sine) {                               \
    return rot("cublas" #S "rot", handle, n, x, incx, y, incy, cosine, sine);                      \
  }                                                                                                \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                   int incy, T* result) {                                          \
    return dot("cublas" #S "dot", handle, n, x, incx, y, incy, result);                            \
  }                                                                                                \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return reduce("cublas" #S "nrm2", handle, n, x, incx, result,                                  \
                  [](const Vector<T>& all) { return all.cast<double>().stableNorm(); });           \
  }                                                                                                \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T* x, int incx,            \
                                    T* result) {                                                   \
    return reduce("cublas" #S "asum", handle, n, x, incx, result,                                  \
                  [](const Vector<T>& all) { return all.cast<double>().cwiseAbs().sum(); });       \
  }                                                                                                \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t handle, int n, const T* x, int incx,           \
                                     int* result) {                                                \
    return reduce("cublasI" #s "amax", handle, n, x, incx, result, place_of_largest<T>);           \
  }                                                                                                \
  cublasStatus_t cublasI##s##amin_v2(cublasHandle_t handle, int n, const T* x, int incx,           \
                                     int* result) {                                                \
    return reduce("cublasI" #s "amin", handle, n, x, incx, result, place_of_smallest<T>);          \
  }                                                                                                \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,  \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,     \
                                    const T* beta, T* y, int incy) {                               \
    return gemv("cublas" #S "gemv", handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);   \
  }                                                                                                \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,            \
                                   const T* x, int incx, const T* y, int incy, T* a, int lda) {    \
    return ger("cublas" #S "ger", handle, m, n, alpha, x, incx, y, incy, a, lda);                  \
  }                                                                                                \
  cublasStatus_t cublas##S##symv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,           \
                                    const T* alpha, const T* a, int lda, const T* x, int incx,     \
                                    const T* beta, T* y, int incy) {                               \
    return symv("cublas" #S "symv", handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy);       \
  }                                                                                                \
  cublasStatus_t cublas##S##trmv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                  \
                                    cublasOperation_t trans, cublasDiagType_t diag, int n,         \
                                    const T* a, int lda, T* x, int incx) {                         \
    return triangular("cublas" #S "trmv", handle, uplo, trans, diag, n, a, lda, x, incx, false);   \
  }                                                                                                \
  cublasStatus_t cublas##S##trsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                  \
                                    cublasOperation_t trans, cublasDiagType_t diag, int n,         \
                                    const T* a, int lda, T* x, int incx) {                         \
    return triangular("cublas" #S "trsv", handle, uplo, trans, diag, n, a, lda, x, incx, true);    \
  }                                                                                                \
  }
FUNCTIONS(float, S, s)
FUNCTIONS(double, D, d)

extern "C" {

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha,
                            cudaDataType type_alpha, const void* x, cudaDataType type_x, int incx,
                            void* y, cudaDataType type_y, int incy, cudaDataType execution) {
  if (type_x != type_y || type_alpha != execution) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_type(type_x, execution, [&]<typename T, typename Sum>(T, Sum) {
    return axpy("cublasAxpyEx", handle, n, static_cast<const Sum*>(alpha), static_cast<const T*>(x),
                incx, static_cast<T*>(y), incy);
  });
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha,
                            cudaDataType type_alpha, void* x, cudaDataType type_x, int incx,
                            cudaDataType execution) {
  if (type_alpha != execution) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_type(type_x, execution, [&]<typename T, typename Sum>(T, Sum) {
    return scal("cublasScalEx", handle, n, static_cast<const Sum*>(alpha), static_cast<T*>(x),
                incx);
  });
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x,
                           int incx, const void* y, cudaDataType type_y, int incy, void* result,
                           cudaDataType type_result, cudaDataType execution) {
  if (type_x != type_y || type_x != type_result) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_type(type_x, execution, [&]<typename T, typename Sum>(T, Sum) {
    return dot("cublasDotEx", handle, n, static_cast<const T*>(x), incx, static_cast<const T*>(y),
               incy, static_cast<T*>(result));
  });
}

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x,
                            int incx, void* result, cudaDataType type_result,
                            cudaDataType execution) {
  if (type_x != type_result) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_type(type_x, execution, [&]<typename T, typename Sum>(T, Sum) {
    return reduce("cublasNrm2Ex", handle, n, static_cast<const T*>(x), incx,
                  static_cast<T*>(result),
                  [](const Vector<T>& all) { return all.template cast<double>().stableNorm(); });
  });
}

}  // extern "C"

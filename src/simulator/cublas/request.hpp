// The frame of every function of cuBLAS: it finds the handle, checks the memory that the function uses, and gives the computation to
// the handle's stream.
#pragma once

#include <cublas_v2.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/work.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
};

namespace simulator::cublas {

/// True if cublasCreate made this handle and nobody destroyed it.
bool is_handle(cublasHandle_t handle);

/// Returns the host's address of device memory. Host memory has its own.
void* host_address(const void* pointer);

/// Returns the host's address of elements in device memory. Throws runtime::OutsideMemory if they are not there.
void* checked_host_address(const void* pointer, size_t bytes);
template <typename T>
T* view_of(T* pointer, size_t elements) {
  return static_cast<T*>(checked_host_address(pointer, elements * sizeof(T)));
}

/// Memory of the device, for a computation that runs later.
template <typename T>
class View {
 public:
  explicit View(T* pointer) : pointer_(pointer) {}
  T* data() const { return static_cast<T*>(host_address(pointer_)); }

 private:
  T* pointer_;
};

/// alpha or beta: a number, or its place in the device's memory.
template <typename T>
class Scalar {
 public:
  explicit Scalar(T value) : value_(value) {}
  explicit Scalar(const T* place) : place_(place) {}
  T value() const { return place_ == nullptr ? value_ : *View<const T>(place_).data(); }

 private:
  T value_{};
  const T* place_ = nullptr;
};

/// One call of a function: the memory that it reads and writes. Memory that is not the device's, or too little of it, is reported.
class Request {
 public:
  explicit Request(cublasContext& handle) : handle_(handle) {}

  template <typename T>
  View<const T> reads(const T* pointer, size_t elements, const char* what) {
    add(static_cast<const void*>(pointer), elements * sizeof(T), what, false);
    return View<const T>(pointer);
  }
  template <typename T>
  View<T> writes(T* pointer, size_t elements, const char* what) {
    add(pointer, elements * sizeof(T), what, true);
    return View<T>(pointer);
  }
  /// Reads alpha or beta now, or later from the device's memory, as the pointer mode says.
  template <typename T>
  Scalar<T> scalar(const T* pointer) {
    if (handle_.pointer_mode == CUBLAS_POINTER_MODE_HOST) return Scalar<T>(*pointer);
    add(pointer, sizeof(T), "a scalar", false);
    return Scalar<T>(pointer);
  }

  /// Gives the computation to the handle's stream.
  cublasStatus_t run(std::function<void()> compute);
  /// Gives the computation of one number to the stream. In the host's pointer mode waits for it.
  template <typename T, typename Compute>
  cublasStatus_t run_for(T* result, Compute compute) {
    if (handle_.pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
      const View<T> place = writes(result, 1, "the result");
      return run([place, compute] { *place.data() = compute(); });
    }
    const cublasStatus_t status = run([result, compute] { *result = compute(); });
    return status == CUBLAS_STATUS_SUCCESS ? wait() : status;
  }

 private:
  void add(const void* pointer, size_t bytes, const char* what, bool is_written);
  cublasStatus_t wait();

  cublasContext& handle_;
  runtime::LibraryWork work_;
  bool is_usable_ = true;
};

/// Runs `work` on the handle, a function that returns a status. `name`: of the function, for messages.
template <typename Work>
cublasStatus_t with_handle(const char* name, cublasHandle_t handle, Work work) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const runtime::Call call(name);
  try {
    return work(*handle);
  } catch (const std::bad_alloc&) {
    return CUBLAS_STATUS_ALLOC_FAILED;
  } catch (const std::exception&) {
    return CUBLAS_STATUS_INTERNAL_ERROR;
  }
}

/// The type in which sums of type Sum are kept until the end: sums of half precision in FP32, which is much faster on a host.
template <typename Sum>
using WideSum = std::conditional_t<std::is_same_v<Sum, Eigen::half>, float, Sum>;

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// A matrix in column-major order, with the leading dimension `ld`.
template <typename T>
auto matrix_at(T* data, int rows, int columns, int ld) {
  using Of =
      std::conditional_t<std::is_const_v<T>, const Matrix<std::remove_const_t<T>>, Matrix<T>>;
  return Eigen::Map<Of, 0, Eigen::OuterStride<>>(data, rows, columns, Eigen::OuterStride<>(ld));
}

/// Returns the elements from a matrix's first to past its last.
inline size_t span_of(int rows, int columns, int ld) {
  if (rows == 0 || columns == 0) return 0;
  return (static_cast<size_t>(columns) - 1) * static_cast<size_t>(ld) + static_cast<size_t>(rows);
}
/// The same of a vector.
inline size_t span_of(int n, int increment) {
  return n <= 0 ? 0 : (static_cast<size_t>(n) - 1) * static_cast<size_t>(std::abs(increment)) + 1;
}

/// Returns a copy of a vector's elements. As in BLAS, a vector with a negative increment is stored from its end.
template <typename T>
Vector<std::remove_const_t<T>> take(T* data, int n, int increment) {
  Vector<std::remove_const_t<T>> all(n);
  const ptrdiff_t step = increment;
  const ptrdiff_t first = increment < 0 ? (ptrdiff_t{1} - n) * step : 0;
  for (ptrdiff_t i = 0; i < n; ++i) all[i] = data[first + i * step];
  return all;
}
template <typename T>
void put(const Vector<T>& all, T* data, int increment) {
  const ptrdiff_t n = all.size();
  const ptrdiff_t step = increment;
  const ptrdiff_t first = increment < 0 ? (1 - n) * step : 0;
  for (ptrdiff_t i = 0; i < n; ++i) data[first + i * step] = all[i];
}

/// Returns op(A) of a triangular matrix, with zeros on the other side. `diag`: the diagonal may count as ones.
template <typename T, typename From>
Matrix<T> triangle_of(const From& from, cublasFillMode_t uplo, cublasOperation_t trans,
                      cublasDiagType_t diag) {
  Matrix<T> all = Matrix<T>::Zero(from.rows(), from.cols());
  if (uplo == CUBLAS_FILL_MODE_LOWER)
    all.template triangularView<Eigen::Lower>() = from;
  else
    all.template triangularView<Eigen::Upper>() = from;
  if (diag == CUBLAS_DIAG_UNIT) all.diagonal().setOnes();
  if (trans == CUBLAS_OP_T || trans == CUBLAS_OP_C) return all.transpose();
  return all;
}

inline bool is_operation(cublasOperation_t operation) {
  return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_CONJG;
}
inline bool is_transposed(cublasOperation_t operation) {
  return operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}
/// True if a leading dimension holds a column of so many rows.
inline bool holds(int ld, int rows) { return ld >= std::max(1, rows); }

}  // namespace simulator::cublas

// A matrix product as a program asks cuBLAS for it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "preload/cublas/abi.hpp"

namespace preload {

/// A function that is applied to each element of the result.
enum class Activation { none, relu, gelu };

/// The addresses of a batch's matrices, as arrays in device memory, so the host cannot read them. C is changed in place.
struct PointerArrays {
  const float* const* A = nullptr;
  const float* const* B = nullptr;
  float* const* C = nullptr;
};

/// D = activation(alpha * op(A) * op(B) + beta * C + bias), one product or several of one shape. op(A) is m x k, op(B) is k x n, C and D
/// are m x n. All matrices are column-major, or all are row-major. The bias has an element for each row of D.
struct Request {
  bool is_row_major = false;
  cublas::Value trans_a = cublas::OP_N, trans_b = cublas::OP_N;
  int64_t m = 0, n = 0, k = 0;
  const float* alpha = nullptr;  // on the host, or on the device
  const float* A = nullptr;
  int64_t lda = 0, stride_a = 0;
  const float* B = nullptr;
  int64_t ldb = 0, stride_b = 0;
  const float* beta = nullptr;  // as alpha
  const float* C = nullptr;
  int64_t ldc = 0, stride_c = 0;
  float* D = nullptr;  // cublasSgemm and the like: C itself
  int64_t ldd = 0, stride_d = 0;
  int64_t batch = 1;         // strides count in a batch of more than one
  PointerArrays pointers{};  // in place of the matrices and strides, if they are not null
  Activation activation = Activation::none;
  const float* bias = nullptr;  // nullptr: none
  int64_t stride_bias = 0;

  bool has_device_scalars = false;
  bool allows_reduced = false;  // by its compute type or math mode: TF32 and the like
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;  // the caller's, which the call may use
  size_t workspace_bytes = 0;

  bool has_pointers() const { return pointers.C != nullptr; }
  bool is_in_place() const { return C == D; }
  bool has_epilogue() const { return activation != Activation::none || bias != nullptr; }
};

/// A matrix as it lies in memory: `count` rows of a row-major matrix, or columns of a column-major one, of `length` elements each.
struct Lines {
  int64_t length, count;
};
Lines lines_of_a(const Request& r);
Lines lines_of_b(const Request& r);

/// True if the arguments are certainly right, and there is something to compute. cuBLAS gets other calls, so that it reports them.
bool is_well_formed(const Request& r);

}  // namespace preload

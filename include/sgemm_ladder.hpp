/// @file
/// sgemm_ladder.h in C++17: types in place of numbers, and exceptions in place of statuses. For statuses call the functions of
/// sgemm_ladder.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "sgemm_ladder.h"

/// Matrix products in single precision on a GPU.
namespace sgemm_ladder {

/// The order of a matrix's elements in memory.
enum class Order : int {
  row_major = SGEMM_LADDER_ROW_MAJOR,  ///< Element (i, j) lies at i * ld + j.
  col_major = SGEMM_LADDER_COL_MAJOR   ///< Element (i, j) lies at i + j * ld.
};

/// The operation on A or B.
enum class Op : int {
  none = SGEMM_LADDER_NO_TRANS,   ///< The matrix as it is.
  transpose = SGEMM_LADDER_TRANS  ///< The transposed matrix.
};

/// The kernels.
enum class Algorithm : int {
  best = SGEMM_LADDER_BEST,               ///< The one that should be fastest.
  stream_k = SGEMM_LADDER_STREAM_K,       ///< Multiplies and adds in FP32.
  tensor_fp32 = SGEMM_LADDER_TENSOR_FP32  ///< Tensor cores of compute capability 9.0.
};

/// A call that failed. what() is sgemm_ladder_last_error().
class Error : public std::runtime_error {
 public:
  /// Takes the status and the text of this thread's last call.
  explicit Error(sgemm_ladder_status status)
      : std::runtime_error(sgemm_ladder_last_error()), status_(status) {}
  /// Returns the status of the call.
  sgemm_ladder_status status() const noexcept { return status_; }

 private:
  sgemm_ladder_status status_;
};

/// Throws an Error unless the status is SGEMM_LADDER_OK.
inline void check(sgemm_ladder_status status) {
  if (status != SGEMM_LADDER_OK) throw Error(status);
}

/// The options of a call. Memory for intermediate results comes from the device's memory pool if `workspace` is null.
struct Options {
  Algorithm algorithm = Algorithm::best;  ///< The kernel.
  void* workspace = nullptr;              ///< Device memory at a multiple of 256 bytes, or null.
  std::size_t workspace_bytes = 0;        ///< Its size.

  /// Returns the options in C.
  sgemm_ladder_options in_c() const noexcept {
    sgemm_ladder_options options = SGEMM_LADDER_OPTIONS_INIT;
    options.algorithm = static_cast<std::int32_t>(algorithm);
    options.workspace = workspace;
    options.workspace_bytes = workspace_bytes;
    return options;
  }
};

/// The strides and the number of a call's products.
struct Batch {
  std::int64_t count = 1;     ///< How many products.
  std::int64_t stride_a = 0;  ///< From one A to the next; 0: all products share A.
  std::int64_t stride_b = 0;  ///< From one B to the next; 0: all products share B.
  std::int64_t stride_c = 0;  ///< From one C to the next.
};

/// Computes a batch of products as sgemm_ladder_sgemm_ex() does. Throws an Error if that fails.
inline void sgemm_batch(Order order, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                        std::int64_t k, float alpha, const float* A, std::int64_t lda,
                        const float* B, std::int64_t ldb, float beta, float* C, std::int64_t ldc,
                        const Batch& batch, CUstream_st* stream = nullptr,
                        const Options& options = {}) {
  const sgemm_ladder_options in_c = options.in_c();
  check(sgemm_ladder_sgemm_ex(static_cast<int>(order), static_cast<int>(op_a),
                              static_cast<int>(op_b), m, n, k, alpha, A, lda, batch.stride_a, B,
                              ldb, batch.stride_b, beta, C, ldc, batch.stride_c, batch.count,
                              stream, &in_c));
}

/// Computes a product as sgemm_ladder_sgemm() does. Throws an Error if that fails.
inline void sgemm(Order order, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                  float alpha, const float* A, std::int64_t lda, const float* B, std::int64_t ldb,
                  float beta, float* C, std::int64_t ldc, CUstream_st* stream = nullptr,
                  const Options& options = {}) {
  sgemm_batch(order, op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, Batch{}, stream,
              options);
}

/// Returns the bytes of workspace that the same call of sgemm_batch() needs on the current device. Throws an Error if the call would be
/// refused.
inline std::size_t workspace_bytes(Order order, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                                   std::int64_t k, float alpha, const float* A, std::int64_t lda,
                                   const float* B, std::int64_t ldb, float beta, const float* C,
                                   std::int64_t ldc, const Batch& batch = {},
                                   const Options& options = {}) {
  const sgemm_ladder_options in_c = options.in_c();
  std::size_t bytes = 0;
  check(sgemm_ladder_workspace_bytes(static_cast<int>(order), static_cast<int>(op_a),
                                     static_cast<int>(op_b), m, n, k, alpha, A, lda, batch.stride_a,
                                     B, ldb, batch.stride_b, beta, C, ldc, batch.stride_c,
                                     batch.count, &in_c, &bytes));
  return bytes;
}

}  // namespace sgemm_ladder

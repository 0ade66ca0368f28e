// What a rung of the ladder is. A rung is one file beside this one; ladder.cpp holds the list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "device/blend.cuh"
#include "device/grid.hpp"
#include "promise/promise.hpp"

namespace ladder {

// A rung speaks the words that kernels share as its own: grid_of(), blend(), Claim.
using namespace device;

/// One product C = alpha * A * B + beta * C in single precision. All three matrices are row-major:
/// element (i, j) of A lies at A[i * lda + j]. A is M x K, B is K x N, C is M x N. The pointers are
/// device pointers and need no alignment beyond a float's four bytes.
struct Sgemm {
  int64_t M, N, K;
  float alpha;
  const float* A;
  int64_t lda;  // >= max(1, K)
  const float* B;
  int64_t ldb;  // >= max(1, N)
  float beta;
  float* C;
  int64_t ldc;  // >= max(1, N)
};

/// How BLAS takes a matrix: as it lies in memory, or transposed.
enum class Op { none, transpose };

/// A call as a program makes it: products with operations on A and B, several of one shape at once. launch() lowers it to
/// what kernels take, an Sgemm, or refuses it.
struct Call {
  /// One product of matrices as they lie.
  explicit Call(const Sgemm& of) : product(of) {}

  Sgemm product;  // the first; its M, N and K are those of op(A) and op(B)
  Op op_a = Op::none, op_b = Op::none;
  int64_t batch = 1;  // so many products
  // From one product's matrix to the next one's, in elements. A and B may be shared: 0.
  int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};

/// Whether A * B is part of the result. Without a product none must be formed: 0 * NaN is a NaN, whichever of
/// the two the NaN is.
constexpr bool has_product(float alpha, int64_t K) { return alpha != 0.0f && K > 0; }

/// What a rung computes with: how far its result may be off, and of which inputs that is said.
struct Arithmetic {
  const char* name;
  /// Each element satisfies |got - want| <= bound_factor * max(K, 1) * epsilon * (|alpha| |A||B| + |beta| |C|), besides a
  /// step of the subnormal range for each rounding. verifier.hpp derives it.
  double bound_factor;
  double epsilon;  // between 1 and the next larger number
  /// Sums of products of integers up to 2^exact_bits - 1 in A and up to 1 in B are exact while they stay below 2^24.
  int exact_bits;
  /// Finite results come of inputs up to this, as long as no sum overflows.
  float largest_input;
  bool operator==(const Arithmetic&) const = default;
};

/// Products and sums in single precision, in any order. 12 bits are more than TF32 or BF16 keep, so that a product in
/// those does not pass for FP32.
inline constexpr Arithmetic FP32{.name = "FP32",
                                 .bound_factor = 2,
                                 .epsilon = 0x1p-23,
                                 .exact_bits = 12,
                                 .largest_input = 3.40282347e38f};

/// What a rung asks of a device. The least is what all that is compiled for a device asks of it: Turing (a T4, an RTX 20).
struct Needs {
  int compute_capability = 75;  // at least: 10 * major + minor
};

/// One step of the ladder. Number 0 is the reference that the others are held against.
struct Rung {
  int number;
  const char* name;  // as in the file's name
  const char* idea;  // one line
  Promise promise;

  /// Launches the kernel on `stream` and returns at once. Use ladder::launch, which checks the
  /// problem first and never passes on an empty one, or one with alpha == 0 and K > 0.
  cudaError_t (*launch)(const Sgemm& problem, cudaStream_t stream);

  /// Which code path launch() takes for this problem, for the report: "float4", "scalar", ...
  /// A rung with a single path says nullptr here.
  const char* (*path)(const Sgemm& problem) = nullptr;

  Needs needs = {};
  Arithmetic arithmetic = FP32;
};

/// All rungs of this build, by number.
std::span<const Rung* const> all();

/// Runs a rung with BLAS's rules, each product of the batch on its own: M or N = 0 does nothing; alpha = 0 or K = 0 reads neither A nor B
/// and scales C; beta = 0 does not read C. Asynchronous on `stream`. Returns cudaErrorInvalidValue
/// for a negative size, a leading dimension shorter than its row, or a null pointer to a matrix
/// that is needed, for a negative batch or stride, and where the results of a batch overlap; cudaErrorNotSupported for an
/// operation: kernels take both matrices as they lie. What is refused has launched nothing.
cudaError_t launch(const Rung& rung, const Call& call, cudaStream_t stream);
/// The same of one product.
cudaError_t launch(const Rung& rung, const Sgemm& problem, cudaStream_t stream);

/// The path that launch() takes, or nullptr where the rung has only one.
const char* path(const Rung& rung, const Sgemm& problem);

}  // namespace ladder

// Defines a rung of the ladder. Each rung is one file beside this one; ladder.cpp holds the list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <span>

#include "device/blend.cuh"
#include "device/grid.hpp"
#include "promise/promise.hpp"

namespace ladder {

// Rungs use these names without a prefix: grid_of(), blend(), Claim.
using namespace device;

/// BLAS's operation on a matrix: none, or its transpose.
enum class Op { none, transpose };

/// One product C = alpha * op(A) * op(B) + beta * C in single precision. All three matrices are row-major:
/// element (i, j) of A lies at A[i * lda + j]. op(A) is M x K, op(B) is K x N, C is M x N. So a transposed
/// A has K rows of M elements in memory. The pointers are device pointers and need no alignment beyond a
/// float's four bytes. Some rungs take no transposes (Rung::takes_transposes).
struct Sgemm {
  int64_t M, N, K;
  float alpha;
  const float* A;
  int64_t lda;  // >= max(1, cols_of_a())
  const float* B;
  int64_t ldb;  // >= max(1, cols_of_b())
  float beta;
  float* C;
  int64_t ldc;  // >= max(1, N)
  Op op_a = Op::none, op_b = Op::none;

  /// The sizes of A and B as they lie in memory.
  constexpr int64_t rows_of_a() const { return op_a == Op::none ? M : K; }
  constexpr int64_t cols_of_a() const { return op_a == Op::none ? K : M; }
  constexpr int64_t rows_of_b() const { return op_b == Op::none ? K : N; }
  constexpr int64_t cols_of_b() const { return op_b == Op::none ? N : K; }
  constexpr bool has_transposes() const { return op_a != Op::none || op_b != Op::none; }
};

/// A call as a program makes it: one product or several of one shape. launch() hands it to Rung::launch_batch, or each product to
/// Rung::launch, or refuses it.
struct Call {
  /// One product.
  explicit Call(const Sgemm& of) : product(of) {}

  Sgemm product;      // the first product
  int64_t batch = 1;  // the number of products
  // The distance from one product's matrix to the next product's matrix, in elements. 0: all products share A (or B).
  int64_t stride_a = 0, stride_b = 0, stride_c = 0;

  /// Returns the i-th product.
  __host__ __device__ constexpr Sgemm product_at(int64_t i) const {
    Sgemm p = product;
    if (p.K > 0) {  // else A and B may be null
      p.A += i * stride_a;
      p.B += i * stride_b;
    }
    p.C += i * stride_c;
    return p;
  }
};

/// True if A * B is part of the result. If not, no product may be computed: 0 * NaN is a NaN.
constexpr bool has_product(float alpha, int64_t K) { return alpha != 0.0f && K > 0; }

/// The largest errors against an FP64 product that a rung promises, for K from 1 to 262,144. If the reference's error
/// on the same data is larger, that error is allowed, or the share of it that is given here.
struct ErrorLimits {
  double frobenius;               // the relative error in the Frobenius norm
  double frobenius_all_positive;  // the same if all elements are positive
  double largest;                 // |error| / (|alpha| |A||B| + |beta| |C|) of each element
  double share_of_reference = 1;  // of its relative error in the Frobenius norm
  bool operator==(const ErrorLimits&) const = default;
};

/// A rung's arithmetic: how large its error may be, and for which inputs that bound holds.
struct Arithmetic {
  const char* name;
  /// Each element satisfies |got - want| <= bound_factor * max(K, 1) * epsilon * (|alpha| |A||B| + |beta| |C|), plus
  /// one subnormal step for each rounding. verifier.hpp derives the bound.
  double bound_factor;
  double epsilon;  // the distance from 1 to the next larger number
  /// Sums of products of integers up to 2^exact_bits - 1 in A and up to 1 in B are exact while they stay below 2^24.
  int exact_bits;
  /// Inputs up to this magnitude give finite results unless a sum overflows.
  float largest_input;
  /// Inputs below this magnitude are zero, or less accurate than the bound says.
  float least_input = 0;
  /// A rung that multiplies FP16 parts: how many of their products make one of its own. Otherwise 0.
  int fp16_products = 0;
  /// A rung with limits also promises that no sum overflows while |A||B| < 2^126. If |A||B| is larger, a sum may be an infinity,
  /// but only the infinity with the exact sum's sign.
  std::optional<ErrorLimits> limits = {};
  bool operator==(const Arithmetic&) const = default;
};

/// Products and sums in single precision, in any order. TF32 and BF16 keep fewer than 12 bits, so the check with 12-bit
/// integers refuses a product in these formats.
inline constexpr Arithmetic FP32{.name = "FP32",
                                 .bound_factor = 2,
                                 .epsilon = 0x1p-23,
                                 .exact_bits = 12,
                                 .largest_input = 3.40282347e38f};

/// What a rung left to FP64 of one product, because its own way would not be accurate enough for these data.
struct LeftToFP64 {
  int64_t rows = 0, cols = 0;  // of C, as a whole
  int64_t bands = 0;           // other pieces of C
  int64_t elements = 0;        // of all these, at most: bands may reach into the rows and columns
};

/// True if the arithmetic is less accurate than FP32. A rung's speed then cannot stand for the speed of an FP32 kernel.
constexpr bool is_below_fp32(const Arithmetic& arithmetic) {
  return arithmetic.epsilon > FP32.epsilon;
}

/// The device that a rung needs. The default is the oldest device that the project is compiled for: Turing (a T4, an
/// RTX 20).
struct Needs {
  int compute_capability = 75;  // at least this: 10 * major + minor
  bool exactly = false;         // no other: the kernel uses instructions that later devices lack
};

/// True if a device of this compute capability has what a rung needs.
constexpr bool suffices(int compute_capability, const Needs& needs) {
  return needs.exactly ? compute_capability == needs.compute_capability
                       : compute_capability >= needs.compute_capability;
}

/// One step of the ladder. Number 0 is the reference that the others are compared with.
struct Rung {
  /// Of `best` (kernels/best/best.hpp), which is no step.
  static constexpr int NO_NUMBER = -1;

  int number;
  const char* name;  // as in the name of the rung's file
  const char* idea;  // one line
  Promise promise;

  /// Launches the kernel on `stream` and returns at once. Call ladder::launch instead: it checks the problem first and
  /// never passes on an empty problem, or one with alpha == 0 and K > 0.
  cudaError_t (*launch)(const Sgemm& problem, cudaStream_t stream);

  /// Returns the name of the code path that launch() takes for this problem, for the report: "float4", "scalar", ...
  /// nullptr for a rung with a single path.
  const char* (*path)(const Sgemm& problem) = nullptr;

  Needs needs = {};
  Arithmetic arithmetic = FP32;
  bool takes_transposes = false;  // of A and of B

  /// Does what launch() does, waits, and tells what it left to FP64. nullptr for a rung that computes all data in one way.
  cudaError_t (*launch_and_tell)(const Sgemm& problem, cudaStream_t stream,
                                 LeftToFP64* left) = nullptr;

  /// Launches the products of a call together. nullptr for a rung that launches them one after the other. Call ladder::launch instead:
  /// it passes on what launch() may get, with a batch of at least 2. If K is 0, A and B may be null.
  cudaError_t (*launch_batch)(const Call& call, cudaStream_t stream) = nullptr;
};

/// Returns all rungs of this build, by number.
std::span<const Rung* const> all();

/// Runs a rung with BLAS's rules on each product of the batch: M or N = 0 does nothing; alpha = 0 or K = 0
/// reads neither A nor B and scales C; beta = 0 does not read C. Asynchronous on `stream`. Returns
/// cudaErrorInvalidValue for a negative size, batch or stride, a leading dimension that is not at least 1 and at least
/// its row's length, a null pointer to a matrix that is needed, and results of a batch that overlap;
/// cudaErrorNotSupported for a transpose, unless the rung takes transposes. A refused call launches nothing.
cudaError_t launch(const Rung& rung, const Call& call, cudaStream_t stream);
/// Runs a rung on one product.
cudaError_t launch(const Rung& rung, const Sgemm& problem, cudaStream_t stream);

/// Runs a rung on one product, waits, and tells what it left to FP64. Returns cudaErrorNotSupported for a rung that cannot tell, and
/// what launch() returns.
cudaError_t launch_and_tell(const Rung& rung, const Sgemm& problem, cudaStream_t stream,
                            LeftToFP64* left);

/// Returns the name of the path that launch() takes, or nullptr if the rung has only one.
const char* path(const Rung& rung, const Sgemm& problem);

}  // namespace ladder

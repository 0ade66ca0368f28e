// What a rung of the ladder is. A rung is one file beside this one; ladder.cpp holds the list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "device/blend.cuh"
#include "device/grid.hpp"
#include "device/promise.hpp"

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

/// Whether A * B is part of the result. Without a product none must be formed: 0 * NaN is a NaN, whichever of
/// the two the NaN is.
constexpr bool has_product(float alpha, int64_t K) { return alpha != 0.0f && K > 0; }

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
};

/// All rungs of this build, by number.
std::span<const Rung* const> all();

/// Runs a rung with BLAS's rules: M or N = 0 does nothing; alpha = 0 or K = 0 reads neither A nor B
/// and scales C; beta = 0 does not read C. Asynchronous on `stream`. Returns cudaErrorInvalidValue
/// for a negative size, a leading dimension shorter than its row, or a null pointer to a matrix
/// that is needed.
cudaError_t launch(const Rung& rung, Sgemm problem, cudaStream_t stream);

/// The path that launch() takes, or nullptr where the rung has only one.
const char* path(const Rung& rung, const Sgemm& problem);

}  // namespace ladder

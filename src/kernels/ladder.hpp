// What a rung of the ladder is. A rung is one file beside this one; ladder.cpp holds the list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <vector>

namespace ladder {

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

/// The counters that a rung can make a promise about, in Nsight Compute's terms. Each is taken over
/// one launch; `buffer` in a claim says of which matrix, where the counter has one.
enum class Counter {
  load_sectors_per_request,  // 32-byte sectors that one warp's load from the matrix touches
  store_sectors_per_request,
  load_bytes_per_lane,  // width of the loads from the matrix (or of the cp.async that replace them)
  flops_per_global_byte,  // FP32 operations / bytes fetched from and written to global memory
  shared_loads_per_ffma,  // shared-memory load instructions / FFMA instructions
  shared_bank_conflicts,  // wavefronts beyond the least number, loads and stores
  async_copy_share,       // bytes loaded from the matrix by cp.async / all bytes loaded from it
  local_bytes,            // traffic to .local: spills, or register arrays indexed at run time
};

enum class Relation { equal, at_most, at_least };

/// One claim of a promise: "load_sectors_per_request of A is equal to 1".
struct Claim {
  Counter counter;
  char buffer;  // 'A', 'B' or 'C'; '-' where the counter belongs to no matrix
  Relation relation;
  double value;
};

/// What a rung says of its own memory behaviour. It is documentation, the runner prints whether it
/// was kept, and the tests assert it. It speaks of shapes whose M, N and K are multiples of
/// `whole_tiles`, with matrices laid out densely at 256-byte-aligned addresses and beta = 0; elsewhere
/// it claims nothing.
struct Promise {
  int64_t whole_tiles;
  std::vector<Claim> claims;
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

/// How many pieces of size `piece` cover `whole`.
__host__ __device__ constexpr int64_t ceil_div(int64_t whole, int64_t piece) {
  return (whole + piece - 1) / piece;
}

/// A grid of one block for each tile. It is one-dimensional because only x may exceed 65,535. More
/// tiles than a device takes (2^31 - 1) become an empty grid, so that the launch fails instead of
/// leaving tiles out.
inline dim3 grid_of(int64_t tiles) {
  return dim3(tiles > INT32_MAX ? 0 : static_cast<unsigned>(tiles));
}

/// One element of the result. beta = 0 must not read C: a NaN there would survive a multiplication
/// by 0.
__device__ inline float blend(float alpha, float product, float beta, const float* c) {
  return beta == 0.0f ? alpha * product : alpha * product + beta * *c;
}

}  // namespace ladder

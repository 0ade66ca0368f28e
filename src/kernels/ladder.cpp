// The list of rungs, and the rules of BLAS that hold for each of them.
#include "kernels/ladder.hpp"

#include <algorithm>
#include <array>

// THE list, by number. Runner, tests and benchmarks iterate it.
#define LADDER_RUNGS(RUNG) \
  RUNG(reference)          \
  RUNG(naive)              \
  RUNG(coalesced)          \
  RUNG(shared_tile)        \
  RUNG(register_tile_1d)   \
  RUNG(register_tile_2d)   \
  RUNG(vector_float4)      \
  RUNG(vector_float8)      \
  RUNG(conflict_free)      \
  RUNG(warp_tile)          \
  RUNG(async_pipeline)     \
  RUNG(tuned)              \
  RUNG(stream_k)

namespace ladder {

#define LADDER_DECLARE(rung) extern const Rung rung;  // NOLINT(bugprone-macro-parentheses)
// A rung is called as its file is. NOLINTNEXTLINE(readability-identifier-naming)
LADDER_RUNGS(LADDER_DECLARE)
#undef LADDER_DECLARE

std::span<const Rung* const> all() {
#define LADDER_ADDRESS(rung) &rung,  // NOLINT(bugprone-macro-parentheses)
  static constexpr std::array RUNGS{LADDER_RUNGS(LADDER_ADDRESS)};
#undef LADDER_ADDRESS
  return RUNGS;
}

namespace {

bool is_well_formed(const Sgemm& p) {
  if (p.M < 0 || p.N < 0 || p.K < 0) return false;
  return p.lda >= std::max<int64_t>(1, p.K) && p.ldb >= std::max<int64_t>(1, p.N) &&
         p.ldc >= std::max<int64_t>(1, p.N);
}

bool is_empty(const Sgemm& p) { return p.M == 0 || p.N == 0; }

Sgemm without_unneeded_product(Sgemm p) {
  if (!has_product(p.alpha, p.K)) {
    p.K = 0;
    p.alpha = 0.0f;
  }
  return p;
}

}  // namespace

cudaError_t launch(const Rung& rung, Sgemm problem, cudaStream_t stream) {
  if (!is_well_formed(problem)) return cudaErrorInvalidValue;
  if (is_empty(problem)) return cudaSuccess;
  problem = without_unneeded_product(problem);
  if (problem.C == nullptr) return cudaErrorInvalidValue;
  if (problem.K > 0 && (problem.A == nullptr || problem.B == nullptr)) return cudaErrorInvalidValue;
  return rung.launch(problem, stream);
}

const char* path(const Rung& rung, const Sgemm& problem) {
  if (rung.path == nullptr || !is_well_formed(problem) || is_empty(problem)) return nullptr;
  return rung.path(without_unneeded_product(problem));
}

}  // namespace ladder

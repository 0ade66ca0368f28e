// The list of rungs.
#include "kernels/ladder.hpp"

#include <array>

// The only list of rungs, by number. Runner, tests and benchmarks iterate it.
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
  RUNG(stream_k)           \
  RUNG(tensor_tf32)        \
  RUNG(tensor_split)       \
  RUNG(tensor_wgmma)       \
  RUNG(tensor_fp32)

namespace ladder {

#define LADDER_DECLARE(rung) extern const Rung rung;  // NOLINT(bugprone-macro-parentheses)
// A rung has its file's name. NOLINTNEXTLINE(readability-identifier-naming)
LADDER_RUNGS(LADDER_DECLARE)
#undef LADDER_DECLARE

std::span<const Rung* const> all() {
#define LADDER_ADDRESS(rung) &rung,  // NOLINT(bugprone-macro-parentheses)
  static constexpr std::array RUNGS{LADDER_RUNGS(LADDER_ADDRESS)};
#undef LADDER_ADDRESS
  return RUNGS;
}

}  // namespace ladder

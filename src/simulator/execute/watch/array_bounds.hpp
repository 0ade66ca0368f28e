// Accesses past one separately declared __shared__ array into what lies beside it. Plain code, of no level.
#pragma once

#include <cstdint>

#include "simulator/count/pattern.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/state/worker.hpp"

namespace simulator {

/// A lane's bytes are not within the variable that the address derives from. The access is within the block's
/// shared memory.
void report_beyond_array(const Warp& w, uint32_t site, const Pattern& pattern, uint64_t first);

/// To be called for each access to shared memory where hazards are looked for.
inline void check_array(const Warp& w, uint32_t site, const Pattern& pattern, uint64_t first) {
  const Program& program = w.block->worker->program;
  const int32_t number = program.sites[site].variable;
  if (number < 0) return;
  const SharedVariable& variable = program.shared_variables[static_cast<size_t>(number)];
  const uint64_t lowest = first + static_cast<uint64_t>(pattern.lowest);
  const uint64_t past_end = first + static_cast<uint64_t>(pattern.highest);
  if (lowest < variable.offset || past_end > variable.end(w.block->shared_bytes)) [[unlikely]]
    report_beyond_array(w, site, pattern, first);
}

}  // namespace simulator

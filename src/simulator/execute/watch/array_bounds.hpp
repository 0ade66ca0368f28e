// Accesses past one separately declared __shared__ array into the memory beside it. Plain code, not compiled per
// level.
#pragma once

#include <cstdint>

#include "simulator/count/pattern.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/state/worker.hpp"

namespace simulator {

/// Reports a lane whose bytes are not within the variable that the address derives from. The access is within the
/// block's shared memory.
void report_beyond_array(const Warp& w, uint32_t site, const Pattern& pattern, uint64_t first);

/// Checks one access to shared memory. Call it for each, if hazards are looked for.
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

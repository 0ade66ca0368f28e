// The places of a kernel's virtual registers.
//
// PTX names a new register for almost every value. If each had a place of its own, a warp's state would exceed
// the host's caches. So registers that are never live together share a place, as on a device. The number of
// places is reported as registers per thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/decode/control_flow.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

struct RegisterMap {
  std::map<std::string, Slot>
      slots;  // byte offset in the warp's registers, or a predicate's number
  std::map<std::string, int> widths;  // bytes per lane: 4 or 8; 0 for a predicate
  size_t bytes = 0;                   // of one warp's registers
  size_t predicates = 0;
  int words_per_thread = 0;  // 32-bit registers per thread
  std::vector<std::vector<KeptRegister>>
      kept;  // by block: the registers that a call at its end must preserve
};

/// The registers that an instruction reads and writes. An instruction with a guard also reads its targets: lanes
/// with a false guard keep the old value.
struct Mentions {
  std::vector<std::string> reads, writes;
};
Mentions mentions_of(const ptx::Instruction& instruction);

/// Allocates by linear scan (Poletto and Sarkar, 1999) over live ranges from a data-flow analysis.
RegisterMap allocate_registers(const ptx::Function& function, const ControlFlow& flow);

}  // namespace simulator

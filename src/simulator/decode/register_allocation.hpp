// Where a kernel's virtual registers lie.
//
// PTX names a new register for almost every value. Giving each a place of its own would spread a warp's
// state far beyond the host's caches, so places are shared by registers that are never live together,
// as on a device. The number of places is what the simulator reports as registers per thread.
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
      kept;  // by block: what a call at its end must leave as it is
};

/// The registers that an instruction names, by what it does with them. One with a guard reads what it writes too:
/// lanes that sit it out keep the old value.
struct Mentions {
  std::vector<std::string> reads, writes;
};
Mentions mentions_of(const ptx::Instruction& instruction);

/// Linear-scan allocation (Poletto and Sarkar, 1999) over live ranges from a data-flow analysis.
RegisterMap allocate_registers(const ptx::Function& function, const ControlFlow& flow);

}  // namespace simulator

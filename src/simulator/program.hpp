// A kernel, decoded: what the interpreter executes.
//
// PTX becomes basic blocks of operations with their registers allocated and their branches resolved.
// Each block knows the block at which lanes that part at its end meet again (its immediate
// post-dominator).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/arithmetic.hpp"
#include "simulator/counters.hpp"
#include "simulator/ptx.hpp"
#include "simulator/warp.hpp"

namespace simulator {

/// Addresses by which a generic pointer tells its space. Neither range overlaps device memory's or the host's.
constexpr uint64_t SHARED_WINDOW = 0x0020'0000'0000'0000;
constexpr uint64_t LOCAL_WINDOW = 0x0030'0000'0000'0000;
constexpr uint64_t WINDOW_BYTES = 0x0001'0000'0000'0000;

/// What a basic block does after its last operation.
enum class Leave {
  next,      // falls into the block after it
  jump,      // to `taken`
  branch,    // lanes with the guard to `taken`, the others to the next block
  indirect,  // to targets[register]
  exit,      // lanes (with the guard, if there is one) end; the others go to the next block
  barrier,   // waits for the block's other warps, then the next block
};

enum class BarrierKind { sync, arrive, reduce_and, reduce_or, reduce_popc };

struct BasicBlock {
  uint32_t first = 0, last = 0;  // operations [first, last)
  Leave leave = Leave::next;
  uint32_t taken = 0;
  std::vector<uint32_t> targets;
  bool has_guard = false;
  bool guard_negated = false;
  Slot guard = 0;            // also: the register of an indirect jump
  uint32_t reconverge = 0;   // the block where lanes that part here meet; Program::END if none
  uint32_t instruction = 0;  // of the branch, exit or barrier, if has_terminator
  bool has_terminator = false;
  BarrierKind barrier = BarrierKind::sync;
  Slot barrier_id = 0;
  Slot barrier_count = 0;  // threads, where has_barrier_count
  bool has_barrier_count = false;
  Slot barrier_result = 0;   // of a reduction
  Slot barrier_operand = 0;  // predicate
  bool barrier_operand_negated = false;
};

/// An instruction as the user may know it.
struct SourceInstruction {
  SourceLine where;
  std::string text;    // "ld.global.f32 %f1, [%rd2+4]"
  std::string opcode;  // "ld.global.f32"
  InstructionKind kind = InstructionKind::control;
  uint32_t flops = 0;
  bool is_ffma = false;
};

/// A memory instruction's fixed part of a counter row.
struct SiteInfo {
  uint32_t instruction = 0;
  Access access{};
  uint32_t bytes = 0;  // per lane
};

struct ParameterInfo {
  uint64_t offset;
  uint64_t bytes;
};

/// Where a module's variables lie: a device address.
using VariableAddresses = std::map<std::string, uint64_t, std::less<>>;

struct Program {
  static constexpr uint32_t END = 0xffffffffu;

  std::string name;       // mangled
  std::string demangled;  // without the parameter list
  std::vector<Op> ops;
  std::vector<BasicBlock> blocks;
  std::vector<SourceInstruction> sources;
  std::vector<SiteInfo> sites;
  std::deque<std::vector<Slot>> slot_lists;  // what Op::slots points to
  /// Each immediate once for every lane. A 32-bit one fills the first half of its place, so that a 64-bit one
  /// is aligned as its vector must be.
  struct alignas(sizeof(Lanes<uint64_t>)) Constant {
    Lanes<uint64_t> lanes;
  };
  std::vector<Constant> constants;

  size_t register_bytes = 0;  // of one warp
  size_t predicates = 0;      // the last two are the immediates false and true
  int registers_per_thread = 0;
  std::vector<ParameterInfo> parameters;
  size_t parameter_bytes = 0;
  size_t static_shared = 0;
  size_t local_bytes = 0;  // per thread
  int max_threads = 0;     // __launch_bounds__, 0 if not given
};

/// Decodes one kernel. `functions` are the module's others, for calls, which are inlined.
std::unique_ptr<Program> build_program(const ptx::Function& kernel, const ptx::Module& module,
                                       const VariableAddresses& variables);

}  // namespace simulator

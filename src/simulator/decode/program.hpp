// A kernel, decoded: what is executed. Data only.
//
// PTX becomes basic blocks of operations with their registers allocated and their branches resolved.
// Each block knows the block at which lanes that part at its end meet again (its immediate
// post-dominator).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/decode/facts.hpp"
#include "simulator/fault.hpp"

namespace simulator {

struct Op;
struct Warp;

/// Carries out one instruction for all active lanes of a warp.
using Execute = void (*)(Warp&, const Op&);

/// Where an operand lies: a byte offset into the warp's registers if >= 0; otherwise ~offset is a byte
/// offset into the kernel's constants, where every immediate stands once for each lane.
using Slot = int32_t;

/// The rows of counters that one memory instruction may have: its generic address decides lane by lane, and
/// cp.async reads one memory and writes another.
enum class Site : uint32_t { global, shared, local };
constexpr uint32_t SITES_OF_ONE_OP = 3;

/// The registers of operands that are more than one: the parts of a vector, a lane's share of a matrix.
struct OperandLists {
  std::vector<Slot> d{}, a{}, b{}, c{};
};

/// One decoded instruction. What d, a, b, c and e mean is between the decoder and the handler.
struct Op {
  Execute execute = nullptr;
  Slot d = 0, a = 0, b = 0, c = 0, e = 0;
  int32_t extra = 0;          // a small constant: a rounding, a special register, a mode
  uint32_t first_site = 0;    // memory instructions: index into Program::sites, for Site::global
  uint32_t instruction = 0;   // index into Program::sources
  int64_t offset = 0;         // memory instructions: added to the address in a
  int64_t offset_b = 0;       // cp.async: added to the address in b
  Execute inner = nullptr;    // what a wrapper around the instruction calls in the end
  Execute guarded = nullptr;  // what the guard lets through
  Slot guard = 0;
  bool guard_negated = false;
  const OperandLists* lists = nullptr;  // operands that are several registers each

  uint32_t site(Site site) const { return first_site + static_cast<uint32_t>(site); }
};

/// Op::extra of memory instructions: the address register holds 4 bytes, not 8.
constexpr int32_t ADDRESS_IN_32 = 1, ADDRESS_B_IN_32 = 2, HAS_RESULT = 4, HAS_SOURCE_SIZE = 8,
                  HAS_IGNORE_SOURCE = 16;

/// Op::extra of a cvt: which of its registers hold 8 bytes a lane. The decoder knows; the opcode does not.
constexpr int32_t CONVERT_FROM_64 = 16, CONVERT_TO_64 = 32;

/// Addresses by which a generic pointer tells its space. Neither range overlaps device memory's or the host's.
constexpr uint64_t SHARED_WINDOW = 0x0020'0000'0000'0000;
constexpr uint64_t LOCAL_WINDOW = 0x0030'0000'0000'0000;
constexpr uint64_t WINDOW_BYTES = 0x0001'0000'0000'0000;

/// A pointer to a function holds FUNCTION_STRIDE times its number in the module, in a window without memory.
constexpr uint64_t FUNCTION_WINDOW = 0x0040'0000'0000'0000;
constexpr uint64_t FUNCTION_STRIDE = 16;

/// What the counters call an instruction.
enum class InstructionKind {
  ffma,  // fused multiply-add, FP32
  fp32,  // other FP32 arithmetic
  fp64,
  integer,  // integer and logic, address arithmetic included
  convert,
  move,
  compare,  // setp, selp
  memory,
  warp,     // shuffles, votes
  control,  // branches, barriers, exits
};

/// What a basic block does after its last operation.
enum class Leave {
  next,      // falls into the block after it
  jump,      // to `taken`
  branch,    // lanes with the guard to `taken`, the others to the next block
  indirect,  // to targets[register]
  exit,      // lanes (with the guard, if there is one) end; the others go to the next block
  barrier,   // waits for the block's other warps, then the next block
  call,  // to `taken`, or to the function whose address a register holds; back to the next block
  function_return,  // to behind the call
};

/// A register of a caller that its call must leave as it is.
struct KeptRegister {
  Slot slot = 0;
  int bytes = 0;  // of a lane; 0 for a predicate
};

enum class BarrierKind { sync, arrive, reduce_and, reduce_or, reduce_popc };

struct BasicBlock {
  uint32_t first = 0, last = 0;  // operations [first, last)
  Leave leave = Leave::next;
  uint32_t taken = 0;
  std::vector<uint32_t> targets;
  bool has_guard = false;
  bool guard_negated = false;
  Slot guard = 0;            // also: the register of an indirect jump or call
  uint32_t reconverge = 0;   // the block where lanes that part here meet; Program::END if none
  uint32_t instruction = 0;  // of the branch, exit or barrier, if has_terminator
  bool has_terminator = false;
  bool gathers = false;  // before its first operation, the lanes named in `members` come together
  bool must_gather = false;  // and it is an error if they cannot (__syncwarp)
  Slot members = 0;
  BarrierKind barrier = BarrierKind::sync;
  Slot barrier_id = 0;
  Slot barrier_count = 0;  // threads, where has_barrier_count
  bool has_barrier_count = false;
  Slot barrier_result = 0;   // of a reduction
  Slot barrier_operand = 0;  // predicate
  bool barrier_operand_negated = false;
  bool through_pointer = false;  // a call: to the function whose address is in `guard`
  std::vector<KeptRegister> kept;
};

/// An instruction as the user may know it.
struct SourceInstruction {
  SourceLine where;
  std::vector<SourceLine> called_from;  // the calls that were inlined, innermost first
  std::string text;                     // "ld.global.f32 %f1, [%rd2+4]"
  std::string opcode;                   // "ld.global.f32", for people: ask `facts`
  Facts facts;
  OperandGroups groups;
  InstructionKind kind = InstructionKind::control;
  uint32_t flops = 0;
  bool is_handed_on = false;  // what it loads becomes a part of an argument, and nothing else
};

/// The registers that an instruction reads, its guard among them, and those that it writes: their slots, and of a
/// predicate predicate(its number).
struct RegisterUse {
  static constexpr int32_t predicate(Slot number) { return ~number; }
  std::vector<int32_t> reads, writes;
};

/// A __shared__ variable of the kernel, or the dynamic part.
struct SharedVariable {
  std::string name;  // "As"
  uint64_t offset = 0;
  uint64_t bytes = 0;  // of the dynamic part 0: the launch says how many it has
  bool is_dynamic = false;

  /// Where it ends in a block that has so many bytes of shared memory.
  uint64_t end(uint64_t shared_bytes) const { return is_dynamic ? shared_bytes : offset + bytes; }
};

/// A memory instruction's fixed part of a counter row.
struct SiteInfo {
  uint32_t instruction = 0;
  Access access{};
  uint32_t bytes = 0;  // per lane
  int32_t variable =
      -1;  // in shared memory: the only one of Program::shared_variables that the address derives from
};

struct ParameterInfo {
  uint64_t offset;
  uint64_t bytes;
};

struct Program {
  static constexpr uint32_t END = 0xffffffffu;

  std::string name;       // mangled
  std::string demangled;  // without the parameter list
  std::vector<Op> ops;
  std::vector<BasicBlock> blocks;
  std::vector<SourceInstruction> sources;
  std::vector<RegisterUse> register_use;  // of each of `sources`
  std::vector<SiteInfo> sites;
  std::deque<OperandLists> operand_lists;  // what Op::lists points to
  std::vector<OperandFact> operands;       // what OperandGroups say of `sources`
  /// Each immediate once for every lane. A 32-bit one fills the first half of its place, so that a 64-bit one
  /// is aligned as its vector must be.
  struct alignas(WARP * sizeof(uint64_t)) Constant {
    std::array<uint64_t, WARP> lanes;
  };
  std::vector<Constant> constants;

  size_t register_bytes = 0;  // of one warp
  size_t predicates = 0;      // the last two are the immediates false and true
  int registers_per_thread = 0;
  std::vector<ParameterInfo> parameters;
  size_t parameter_bytes = 0;
  size_t static_shared = 0;
  std::vector<SharedVariable> shared_variables;  // in the order of their offsets
  size_t local_bytes = 0;                        // per thread; of each call, where there are calls
  size_t stack_bytes = 0;   // per thread: local_bytes for as many calls as may be under way at once
  uint32_t call_depth = 0;  // how many that is
  std::map<uint64_t, uint32_t>
      function_blocks;  // of those that may be called: address -> first block
  int max_threads = 0;  // __launch_bounds__, 0 if not given
};

}  // namespace simulator

// A decoded kernel, ready to execute. Data only.
//
// PTX becomes basic blocks of operations with allocated registers and resolved branches. Each block knows the
// block at which lanes that diverge at its end reconverge (its immediate post-dominator).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lens/fragments.hpp"
#include "simulator/count/access.hpp"
#include "simulator/decode/facts.hpp"
#include "simulator/fault.hpp"

namespace simulator {

struct Op;
struct Warp;

/// Executes one instruction for all active lanes of a warp.
using Execute = void (*)(Warp&, const Op&);

/// The place of an operand: a byte offset into the warp's registers if >= 0. Otherwise ~offset is a byte offset
/// into the kernel's constants, where every immediate is repeated for each lane.
using Slot = int32_t;
/// The place of a part of a register that an instruction drops: mov.b64 {%r1, _}, %rd1.
constexpr Slot DROPPED = -1;

/// The counter rows that one memory instruction may have. A generic address selects its row lane by lane, and
/// cp.async reads one memory and writes another.
enum class Site : uint32_t { global, shared, local };
constexpr uint32_t SITES_OF_ONE_OP = 3;

/// The registers of operands with several registers: the parts of a vector, a lane's share of a matrix.
struct OperandLists {
  std::vector<Slot> d{}, a{}, b{}, c{};
  int64_t offset_e = 0;  // added to the address in Op::e
};

/// One decoded instruction. The decoder and the handler agree on the meaning of d, a, b, c and e.
struct Op {
  Execute execute = nullptr;
  Slot d = 0, a = 0, b = 0, c = 0, e = 0;
  int32_t extra = 0;          // a small constant: a rounding, a special register, a mode
  uint32_t first_site = 0;    // memory instructions: index into Program::sites, for Site::global
  uint32_t instruction = 0;   // index into Program::sources
  int64_t offset = 0;         // memory instructions: added to the address in a
  int64_t offset_b = 0;       // cp.async: added to the address in b
  Execute inner = nullptr;    // the instruction inside its wrappers
  Execute guarded = nullptr;  // the instruction behind the guard
  Slot guard = 0;
  bool guard_negated = false;
  const OperandLists* lists = nullptr;  // operands with several registers each

  uint32_t site(Site site) const { return first_site + static_cast<uint32_t>(site); }
};

/// Op::extra of memory instructions: the address register holds 4 bytes, not 8.
constexpr int32_t ADDRESS_IN_32 = 1, ADDRESS_B_IN_32 = 2, HAS_RESULT = 4, HAS_SOURCE_SIZE = 8,
                  HAS_IGNORE_SOURCE = 16, ADDRESS_E_IN_32 = 32,
                  MULTICAST = 64;  // of a bulk load: a mask of ranks is in Op::d

/// Op::extra of wgmma.mma_async.
constexpr int32_t NEGATES_A = 1, NEGATES_B = 2, A_ACROSS_K = 4, B_ACROSS_K = 8;

/// Op::extra of a cvt: which of its registers hold 8 bytes a lane. The decoder knows it; the opcode does not
/// tell.
constexpr int32_t CONVERT_FROM_64 = 16, CONVERT_TO_64 = 32;

/// The windows by which a generic pointer tells its space. They do not overlap device memory or host memory.
constexpr uint64_t SHARED_WINDOW = 0x0020'0000'0000'0000;
constexpr uint64_t LOCAL_WINDOW = 0x0030'0000'0000'0000;
constexpr uint64_t PARAMETER_WINDOW = 0x0050'0000'0000'0000;  // of a __grid_constant__'s address
constexpr uint64_t WINDOW_BYTES = 0x0001'0000'0000'0000;

/// An address in the shared memory of a block of the cluster: from bit 24 on the block's rank plus one, and below it the
/// offset. Without a rank it is an address in the thread's own block.
constexpr uint32_t CLUSTER_RANK_SHIFT = 24;
constexpr uint64_t CLUSTER_OFFSET_MASK = (uint64_t{1} << CLUSTER_RANK_SHIFT) - 1;
constexpr uint64_t MOST_RANKS = 256;  // mapa reads 8 bits
constexpr uint64_t cluster_address(uint64_t rank, uint64_t offset) {
  return (rank + 1) << CLUSTER_RANK_SHIFT | offset;
}

/// A pointer to a function holds FUNCTION_STRIDE times its number in the module, in a window without memory.
constexpr uint64_t FUNCTION_WINDOW = 0x0040'0000'0000'0000;
constexpr uint64_t FUNCTION_STRIDE = 16;

/// The kind of an instruction, as the counters name it.
enum class InstructionKind {
  ffma,  // fused multiply-add, FP32
  fp32,  // other FP32 arithmetic
  fp64,
  integer,  // integer and logic, address arithmetic included
  convert,
  move,
  compare,  // setp, selp
  memory,
  tensor,   // products of matrices on the tensor cores
  warp,     // shuffles, votes
  control,  // branches, barriers, exits
};

/// The end of a basic block, after its last operation.
enum class Leave {
  next,      // falls into the block after it
  jump,      // to `taken`
  branch,    // lanes with a true guard go to `taken`, the others to the next block
  indirect,  // to targets[register]
  exit,      // lanes (with a true guard, if any) end; the others go to the next block
  barrier,   // waits for the block's other warps, then the next block
  call,      // to `taken`, or to the function at a register's address; returns to the next block
  function_return,  // to the block after the call
  registers,        // waits until the warp has its registers (setmaxnreg), then the next block
  grid_wait,        // waits for a phase of the grid's barrier, then the next block
};

/// A register of the caller that a call must preserve.
struct KeptRegister {
  Slot slot = 0;
  int bytes = 0;  // per lane; 0 for a predicate
};

enum class BarrierKind { sync, arrive, reduce_and, reduce_or, reduce_popc, cluster_wait };

struct BasicBlock {
  uint32_t first = 0, last = 0;  // operations [first, last)
  Leave leave = Leave::next;
  uint32_t taken = 0;
  std::vector<uint32_t> targets;
  bool has_guard = false;
  bool guard_negated = false;
  Slot guard = 0;            // also: the register of an indirect jump or call
  uint32_t reconverge = 0;   // the block where lanes that diverge here reconverge; or END
  uint32_t instruction = 0;  // of the branch, exit or barrier, if has_terminator
  bool has_terminator = false;
  bool gathers = false;      // True if the lanes in `members` reconverge before its first operation
  bool must_gather = false;  // True if it is an error if they cannot (__syncwarp)
  Slot members = 0;
  BarrierKind barrier = BarrierKind::sync;
  Slot barrier_id = 0;
  Slot barrier_count = 0;  // number of threads, if has_barrier_count
  bool has_barrier_count = false;
  Slot barrier_result = 0;   // of a reduction
  Slot barrier_operand = 0;  // predicate
  bool barrier_operand_negated = false;
  uint32_t registers = 0;         // of a thread, that setmaxnreg asks for; 0: the number is invalid
  bool raises_registers = false;  // True for setmaxnreg.inc
  bool through_pointer = false;   // True for a call of the function whose address is in `guard`
  Slot grid_phase = 0;            // that grid_wait waits for
  std::vector<KeptRegister> kept;
};

/// D = A B + C of an mma: the sizes, and the PTX types of the elements of A and B, and of C and D.
struct MatrixShape {
  int m = 0, n = 0, k = 0;
  std::string factor;
  std::string sum = "f32";
  bool saturates = false;  // True if sums beyond int's range become its ends
  int warps = 1;           // that compute it together, each its part of the rows

  /// Returns the operations of a warp: a multiplication and an addition for each of its terms.
  uint64_t flops() const { return 2 * static_cast<uint64_t>(m * n * k / warps); }

  /// Returns the number of registers in which a lane holds its part of each matrix: of 64 bits for f64, else of 32.
  size_t registers_of_a() const { return registers(m * k, factor); }
  size_t registers_of_b() const { return registers(k * n, factor); }
  size_t registers_of_c() const { return registers(m * n, sum); }

 private:
  size_t registers(int elements, const std::string& type) const {
    return static_cast<size_t>(elements) / lens::elements_in_a_register(type) / WARP /
           static_cast<size_t>(warps);
  }
};

/// An instruction as the user knows it.
/// A fetch from a texture.
struct TextureFetch {
  enum class Result : uint8_t { f32, s32, u32 };
  uint8_t dimensions = 0;  // coordinates, without the layer
  bool is_layered = false;
  bool is_cube = false;
  bool has_whole_coordinates = false;
  bool gathers = false;   // one component of four texels
  uint8_t component = 0;  // of a gather
  Result result = Result::f32;
};

struct SourceInstruction {
  SourceLine where;
  std::vector<SourceLine> called_from;  // the calls that were inlined, innermost first
  std::string text;                     // "ld.global.f32 %f1, [%rd2+4]"
  std::string opcode;                   // "ld.global.f32", for people: ask `facts`
  Facts facts;
  OperandGroups groups;
  InstructionKind kind = InstructionKind::control;
  uint32_t flops = 0;         // FP32 operations per lane
  MatrixShape product;        // of a product on tensor cores; 0 x 0 x 0 for others
  TextureFetch fetch;         // of tex and tld4
  bool is_handed_on = false;  // True if the loaded value is only a part of an argument
  Obstacle obstacle{};        // of an instruction that faults
};

/// The slots of the registers that an instruction reads, with its guard, and writes. A predicate's slot is
/// predicate(its number).
struct RegisterUse {
  static constexpr int32_t predicate(Slot number) { return ~number; }
  std::vector<int32_t> reads, writes;
};

/// A __shared__ variable of the kernel, or the dynamic shared memory.
struct SharedVariable {
  std::string name;  // "As"
  uint64_t offset = 0;
  uint64_t bytes = 0;  // 0 for dynamic memory: the launch sets its size
  bool is_dynamic = false;

  /// Returns its end in a block with this many bytes of shared memory.
  uint64_t end(uint64_t shared_bytes) const { return is_dynamic ? shared_bytes : offset + bytes; }
};

/// The fixed part of a memory instruction's counter row.
struct SiteInfo {
  uint32_t instruction = 0;
  Access access{};
  uint32_t bytes = 0;     // per lane
  int32_t variable = -1;  // in shared memory: the address's only base, in Program::shared_variables
};

struct ParameterInfo {
  uint64_t offset;
  uint64_t bytes;
};

struct Program {
  static constexpr uint32_t END = 0xffffffffu;

  std::string name;       // mangled
  std::string demangled;  // without the parameter list
  std::string target;     // the architecture that it was compiled for: "sm_90a"
  std::vector<Op> ops;
  std::vector<BasicBlock> blocks;
  std::vector<SourceInstruction> sources;
  std::vector<RegisterUse> register_use;  // one for each of `sources`
  std::vector<SiteInfo> sites;
  std::deque<OperandLists> operand_lists;  // the targets of Op::lists
  std::vector<OperandFact> operands;       // the operands of `sources`, by OperandGroups
  /// Each immediate, repeated for every lane. A 32-bit one fills the first half of its place, so that a 64-bit
  /// one is aligned as its vector must be.
  struct alignas(WARP * sizeof(uint64_t)) Constant {
    std::array<uint64_t, WARP> lanes;
  };
  std::vector<Constant> constants;

  size_t register_bytes = 0;  // of one warp
  size_t predicates = 0;      // the last two are the constants false and true
  int registers_per_thread = 0;
  std::vector<ParameterInfo> parameters;
  size_t parameter_bytes = 0;
  size_t static_shared = 0;
  std::vector<SharedVariable> shared_variables;  // in the order of their offsets
  size_t local_bytes = 0;                        // per thread; per call, if there are calls
  size_t stack_bytes = 0;                        // per thread: local_bytes for call_depth calls
  uint32_t call_depth = 0;                       // most calls in progress at once
  std::map<uint64_t, uint32_t>
      function_blocks;            // functions that may be called: address -> first block
  int max_threads = 0;            // __launch_bounds__, 0 if not given
  uint32_t min_blocks = 0;        // its second argument, 0 if not given
  uint32_t max_registers = 0;     // of a thread (.maxnreg), 0 if not given
  bool has_late_results = false;  // True if it has a wgmma: see WarpProducts
  /// See find_written_parameters().
  std::optional<std::vector<uint64_t>> written_parameters;
  bool looks_beyond_memory = false;  // True if it asks for the time, prints, or uses the heap
  Dim3 cluster{0, 0, 0};             // __cluster_dims__, zeros if not given
  uint64_t most_in_cluster = 0;      // the third argument of __launch_bounds__, 0 if not given
};

}  // namespace simulator

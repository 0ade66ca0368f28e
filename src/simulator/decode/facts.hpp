// Facts about an instruction, filled in once by the decoder. Code that executes, watches or reports an
// instruction reads these facts. Its spelling is for people.
#pragma once

#include <array>
#include <cstdint>

namespace simulator {

enum class Family : uint8_t {
  arithmetic,  // computes a result lane by lane; also any opcode not listed
  move,        // mov and cvta in all their forms
  load,
  store,
  atomic,
  async_copy,   // cp.async and its groups
  bulk_copy,    // cp.async.bulk and its groups, cp.reduce.async.bulk
  async_store,  // st.async and red.async, to a block of the cluster
  mbarrier,     // a barrier that lies in shared memory
  texture,      // tex and tld4
  prefetch,     // prefetches and other advice without an effect here
  matrix,       // mma: a product of matrices that lie in the registers of a warp
  warpgroup,    // wgmma: a product of matrices in shared memory, and its groups
  warp,         // looks beyond one lane, or queries the device
  branch,       // bra
  indirect,     // brx.idx
  exit,         // ret, exit
  barrier,      // of the block
  registers,    // setmaxnreg
  grid_wait,    // at the grid's barrier, after an arrival there
  call,         // of a function that is not inlined
  function_return,
  unavailable,  // a call of a function without a body
};

/// The operation within the family, if any code asks for it.
enum class Operation : uint8_t {
  other,
  copy,  // mov; of cp.async, the copy itself
  add,
  multiply,
  multiply_add,
  select,
  logical_and,
  logical_or,
  logical_xor,
  minimum,
  maximum,
  increment,
  decrement,
  exchange,
  compare_and_swap,
  initialise,  // an mbarrier, and so on up to count_pending
  invalidate,
  arrive,
  arrive_and_drop,
  arrive_after_copies,  // when the thread's cp.async have landed
  expect_bytes,
  complete_bytes,
  test_wait,  // also try_wait
  count_pending,
  commit,      // of a group of copies
  wait_group,  // waits for groups of copies
  wait_all,
  fence,
  fence_async,      // fence.proxy.async: bulk copies and wgmma see the threads' stores
  fence_mbarriers,  // fence.mbarrier_init: bulk copies see initialised mbarriers
  print,            // printf in a kernel
  allocate,         // malloc in a kernel
  free,             // its memory
  meet,             // bar.warp
  shuffle_index,
  shuffle_up,
  shuffle_down,
  shuffle_butterfly,
  vote_all,
  vote_any,
  vote_uniform,
  ballot,
  match_any,
  match_all,
};

/// The memory order of an access or a fence.
enum class Order : uint8_t {
  weak,
  as_volatile,
  relaxed,
  acquire,
  release,
  acquire_release,
  sequential
};

/// The threads that an access or a fence is for.
enum class Scope : uint8_t { none, block, cluster, device, system };

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

struct Facts {
  Family family = Family::arithmetic;
  Operation operation = Operation::other;
  Order order = Order::weak;
  Scope scope = Scope::none;
  Space space = Space::generic;  // of the data; of cp.async, the target
  Space from = Space::generic;   // of a copy, its source
  bool has_result = true;        // True if the first operand is written
  bool gathers = false;          // True if it waits for the lanes in its last operand (.sync)
  bool is_tensor = false;        // True if it copies a box of a tensor
  bool is_float = false;         // True if its type, the last word of the opcode, is floating point
  uint8_t bytes = 0;             // of that type
  uint8_t count = 1;             // elements of a vector
  uint32_t spelling = 0;         // a number for the opcode, the same for equal opcodes of a program

  bool is_fence() const {
    return operation >= Operation::fence && operation <= Operation::fence_mbarriers;
  }
  /// True for cp.reduce.async.bulk.
  bool is_bulk_reduction() const {
    return family == Family::bulk_copy && operation >= Operation::add &&
           operation <= Operation::decrement;
  }
  bool is_shuffle() const {
    return operation >= Operation::shuffle_index && operation <= Operation::shuffle_butterfly;
  }
};

/// An operand for the analysis of addresses. Its name is a number, the same for the same name.
struct OperandFact {
  enum class Kind : uint8_t { name, constant, address, other };  // name: a register or a symbol
  Kind kind = Kind::other;
  uint32_t name = 0;  // of a name; of an address the base's name, or 0
  int64_t value = 0;  // a constant's value; the offset of a name or an address
};

/// The operands of an instruction in groups, as in a matrix instruction (D = A * B + C). For other instructions,
/// D is the result, and A, B and C are the sources in order. C also holds all later sources. A vector has an
/// operand for each part.
struct OperandGroups {
  enum Group : uint8_t { d, a, b, c };
  uint32_t first = 0;             // index into Program::operands; the groups are adjacent
  std::array<uint8_t, 4> size{};  // of each
};

}  // namespace simulator

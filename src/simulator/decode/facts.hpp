// What an instruction is: facts that the decoder fills in once. Whoever executes an instruction, watches it or tells of it asks
// these; its spelling is for people to read.
#pragma once

#include <array>
#include <cstdint>

namespace simulator {

enum class Family : uint8_t {
  arithmetic,  // computes a result lane by lane; also whatever is not listed
  move,        // mov and cvta in all their forms
  load,
  store,
  atomic,
  async_copy,  // cp.async and its groups
  prefetch,    // and other advice without an effect here
  warp,        // looks beyond one lane, or asks something of the device
  branch,      // bra
  indirect,    // brx.idx
  exit,        // ret, exit
  barrier,     // of the block
  call,        // of a function that is not folded into its caller
  function_return,
  unavailable,  // a call of what has no body
};

/// What an instruction does within its family, as far as anybody asks.
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
  commit,      // of a group of copies
  wait_group,  // for copies
  wait_all,
  fence,
  free,  // memory that malloc in a kernel gave
  meet,  // bar.warp
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

/// What other threads may expect of an access or a fence.
enum class Order : uint8_t {
  weak,
  as_volatile,
  relaxed,
  acquire,
  release,
  acquire_release,
  sequential
};

/// Whom an access or a fence is for.
enum class Scope : uint8_t { none, block, cluster, device, system };

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

struct Facts {
  Family family = Family::arithmetic;
  Operation operation = Operation::other;
  Order order = Order::weak;
  Scope scope = Scope::none;
  Space space = Space::generic;  // of the data; of cp.async, where it copies to
  bool has_result = true;        // the first operand is written
  bool gathers = false;   // waits for the lanes that its last operand names: the .sync of a warp
  bool is_float = false;  // its type, which is the last word of its opcode
  uint8_t bytes = 0;      // of that type
  uint8_t count = 1;      // elements of a vector
  uint32_t spelling = 0;  // the same for instructions with the same opcode, in one program

  bool is_shuffle() const {
    return operation >= Operation::shuffle_index && operation <= Operation::shuffle_butterfly;
  }
};

/// An operand, as far as addresses are concerned. What it is called is a number, the same for the same name.
struct OperandFact {
  enum class Kind : uint8_t { name, constant, address, other };  // name: a register or a symbol
  Kind kind = Kind::other;
  uint32_t name = 0;  // of a name or, 0 if it has none, of an address
  int64_t value = 0;  // of a constant; what is added to a name or to an address's
};

/// The operands of an instruction in groups, as a matrix instruction has them (D = A * B + C). Of any other, D is the result,
/// and A, B and C are its sources in their order; what comes behind them is counted to C. A vector has an operand for each part.
struct OperandGroups {
  enum Group : uint8_t { d, a, b, c };
  uint32_t first = 0;             // index into Program::operands; the groups follow each other
  std::array<uint8_t, 4> size{};  // of each
};

}  // namespace simulator

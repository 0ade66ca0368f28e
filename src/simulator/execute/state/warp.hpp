// One warp: 32 lanes that execute one instruction at a time. Each lane has its own registers.
//
// A 32-bit register is 32 consecutive words, one per lane. So an instruction on a whole warp is a vector
// operation of the host. Predicates are one 32-bit mask each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/execute/state/bulk_copies.hpp"
#include "simulator/execute/state/cluster.hpp"
#include "simulator/execute/state/register_pool.hpp"
#include "simulator/fault.hpp"

namespace simulator {

class BlockHazards;
class BlockTimeline;
class Worker;

/// The state that a block's warps share.
struct BlockContext {
  Worker* worker = nullptr;
  BlockHazards* hazards = nullptr;    // nullptr: hazards are not looked for
  BlockTimeline* timeline = nullptr;  // nullptr: no timeline is recorded
  const std::byte* parameters = nullptr;
  size_t parameter_bytes = 0;
  std::byte* shared = nullptr;
  size_t shared_bytes = 0;
  size_t dynamic_shared = 0;
  size_t local_bytes = 0;
  Dim3 grid, block_size, block;
  BulkCopies bulk;
  RegisterPool registers;
  ClusterContext* cluster = nullptr;
  uint32_t rank = 0;           // of the block in its cluster
  uint32_t grid_arrivals = 0;  // of the block at the grid's barrier
  std::vector<uint32_t>
      arrived{};  // by warp: lanes that arrived in the current phase of the cluster's barrier
  std::vector<uint32_t> unwaited{};  // by warp: lanes that arrived there and have not waited since
};

/// A place in the shared memory of a block of the cluster.
struct SharedPlace {
  BlockContext* block = nullptr;
  uint64_t offset = 0;

  std::byte* host() const { return block->shared + offset; }
  /// Returns the place's address (cluster_address()).
  uint64_t address() const { return cluster_address(block->rank, offset); }
};

/// The bytes that one cp.async has read and not yet written to shared memory.
struct PendingCopy {
  static constexpr size_t MOST_BYTES = 16;

  uint64_t number = 0;                              // among the warp's copies, from 1 on
  uint32_t lanes = 0;                               // lanes whose bytes have not landed
  uint32_t bytes = 0;                               // of each
  uint32_t instruction = 0;                         // the cp.async
  uint64_t shared_loads = 0;                        // the warp's shared loads at the request
  alignas(64) std::array<uint32_t, WARP> group{};   // index of its group among the lane's groups
  alignas(64) std::array<uint32_t, WARP> offset{};  // in shared memory
  std::array<std::byte, WARP * MOST_BYTES> data{};  // `bytes` of each lane, one after the other
};

/// A wgmma that still reads shared memory, if hazards are looked for.
struct PendingProduct {
  uint32_t group = 0;  // index among the warp's groups
  uint32_t instruction = 0;
  std::vector<uint64_t> pieces{};  // of 16 bytes of shared memory
};

/// A register's part in wgmma. The tensor core works while the threads go on: a result reaches its register at the wait that
/// covers its group. Until then the register holds its old value.
struct ProductRegister {
  uint32_t product = 0;  // the wgmma whose result is under way, plus one; 0: none
  uint32_t group = 0;    // the index of that result's group among the warp's groups
  // If hazards are looked for:
  uint32_t reader = 0;        // the wgmma that took elements of A from the register, plus one
  uint32_t reader_group = 0;  // of that wgmma
  uint32_t writer = 0;  // the instruction that wrote the register since the last fence, plus one
  alignas(64) std::array<uint32_t, WARP> value{};  // the result that is under way
};

/// The products that a warp has under way.
struct WarpProducts {
  std::vector<ProductRegister> registers{};  // by slot; made at the first use
  std::vector<size_t> late{};                // the registers with a result under way
  std::vector<PendingProduct> pending{};     // in the order of their requests
  uint32_t groups = 0;                       // that the warp has committed
  uint32_t awaited = 0;                      // that it has waited for
  uint32_t fences = 0;
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  const std::byte* constants = nullptr;
  BlockContext* block = nullptr;

  uint32_t active = 0;  // lanes that execute the current instruction
  uint32_t live = 0;    // lanes that exist and have not exited
  // True if active == live: results may be written to all lanes, dead ones too.
  bool unmasked = true;
  alignas(64) std::array<int32_t, WARP> lane_mask{};  // -1 in active lanes, 0 elsewhere

  // Lanes that reconverged at this basic block, if it begins with a `.sync` instruction.
  uint32_t together = 0;
  // If hazards are looked for: the lane that each lane read in the last shuffle.
  std::array<int, WARP> sources{};

  uint32_t carry = 0;  // of each lane, from add.cc to addc

  uint32_t first_thread = 0;   // linear number of lane 0's thread in its block
  uint32_t number = 0;         // the warp's number in its block
  std::byte* local = nullptr;  // .local memory, one lane after the other

  uint64_t polls = 0;         // atomics, and loads of memory that others may change meanwhile
  uint64_t changes = 0;       // stores, and atomics that changed memory
  uint64_t shared_loads = 0;  // requests so far

  uint64_t copies_begun = 0;                        // requests so far
  std::list<PendingCopy> copies;                    // in the order of their requests
  std::list<PendingCopy> spare_copies;              // landed copies, for reuse
  alignas(64) std::array<uint32_t, WARP> groups{};  // groups of copies that each lane has committed

  WarpProducts products;

  // The last wait for an mbarrier that was in vain.
  struct AwaitedPhase {
    uint32_t instruction = 0;
    uint64_t mbarrier = 0;
    bool is_any = false;
  } awaited;

  uint32_t register_share = 0;     // registers of a thread, by setmaxnreg
  uint32_t awaited_registers = 0;  // the share that setmaxnreg waits for; 0: it does not wait
  bool awaits_grid = false;        // True if it waits at the grid's barrier

  // While requests are recorded: the number of its requests in each of the recorder's groups met so far.
  std::vector<uint64_t> requests;
};

/// Returns the values of an operand, one per lane. For code that is not a vector operation of the host.
template <typename T>
const T* lanes_of(const Warp& w, Slot slot) {
  return reinterpret_cast<const T*>(slot >= 0 ? w.registers + slot : w.constants + ~slot);
}

/// Calls use(lane) for each active lane, in order.
template <typename Use>
void for_each_active(const Warp& w, Use&& use) {
  for (uint32_t rest = w.active; rest != 0; rest &= rest - 1)
    use(static_cast<size_t>(std::countr_zero(rest)));
}

/// Returns the place of the lanes' results. Only active lanes' results may be written.
template <typename T>
T* result_of(Warp& w, Slot slot) {
  return reinterpret_cast<T*>(w.registers + slot);
}

/// Thrown by a handler with the facts that it knows. The block adds kernel, block and source.
struct WarpFault {
  Fault fault;
  int lane = 0;              // the first lane at fault
  uint32_t instruction = 0;  // the handler's instruction, unless set
};

}  // namespace simulator

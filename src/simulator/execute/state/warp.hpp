// One warp: 32 lanes that execute one instruction at a time, each lane with registers of its own.
//
// Registers lie lane by lane: a 32-bit register is 32 consecutive words, so an instruction on a whole
// warp is a vector operation of the host. Predicates are one 32-bit mask each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/fault.hpp"

namespace simulator {

class BlockHazards;
class Worker;

/// What the warps of a block share.
struct BlockContext {
  Worker* worker = nullptr;
  BlockHazards* hazards = nullptr;  // nullptr: none are looked for
  const std::byte* parameters = nullptr;
  size_t parameter_bytes = 0;
  std::byte* shared = nullptr;
  size_t shared_bytes = 0;
  size_t dynamic_shared = 0;
  size_t local_bytes = 0;
  Dim3 grid, block_size, block;
};

/// What one cp.async has read and not yet written to shared memory.
struct PendingCopy {
  static constexpr size_t MOST_BYTES = 16;

  uint32_t lanes = 0;                               // whose bytes have not landed
  uint32_t bytes = 0;                               // of each
  uint32_t instruction = 0;                         // the cp.async
  uint64_t shared_loads = 0;                        // that the warp had made then
  alignas(64) std::array<uint32_t, WARP> group{};   // of the lane's groups, the one it belongs to
  alignas(64) std::array<uint32_t, WARP> offset{};  // in shared memory
  std::array<std::byte, WARP * MOST_BYTES> data{};  // `bytes` of each lane, one after the other
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  const std::byte* constants = nullptr;
  BlockContext* block = nullptr;

  uint32_t active = 0;   // lanes that execute the current instruction
  uint32_t live = 0;     // lanes that exist and have not exited
  bool unmasked = true;  // active == live: results may be written to all lanes, dead ones included
  alignas(64) std::array<int32_t, WARP> lane_mask{};  // -1 in active lanes, 0 elsewhere

  // Lanes that reconverged at this basic block, if it begins with a `.sync` instruction.
  uint32_t together = 0;
  // Where hazards are looked for: whom each lane read by the last shuffle.
  std::array<int, WARP> sources{};

  uint32_t carry = 0;  // of each lane, from add.cc to addc

  uint32_t first_thread = 0;   // linear number of lane 0's thread in its block
  uint32_t number = 0;         // of the warp in its block
  std::byte* local = nullptr;  // .local memory, one lane after the other

  uint64_t polls = 0;         // atomics, and loads of what other threads may store meanwhile
  uint64_t changes = 0;       // stores, and atomics that changed what they found
  uint64_t shared_loads = 0;  // requests, from the beginning

  std::list<PendingCopy> copies;                    // in the order in which they were asked for
  std::list<PendingCopy> spare_copies;              // landed: room for others
  alignas(64) std::array<uint32_t, WARP> groups{};  // of copies that each lane has committed

  // While requests are recorded: how many it has made of each of the recorder's groups, as far as it has met them.
  std::vector<uint64_t> requests;
};

/// The values of an operand, one for each lane; for what is no vector operation of the host.
template <typename T>
const T* lanes_of(const Warp& w, Slot slot) {
  return reinterpret_cast<const T*>(slot >= 0 ? w.registers + slot : w.constants + ~slot);
}

/// Where the lanes' results go; only active lanes' may be written.
template <typename T>
T* result_of(Warp& w, Slot slot) {
  return reinterpret_cast<T*>(w.registers + slot);
}

/// Thrown by a handler, with what it knows; the block adds kernel, block and source.
struct WarpFault {
  Fault fault;
  int lane = 0;              // the first lane at fault
  uint32_t instruction = 0;  // that of the handler, unless it is said
};

}  // namespace simulator

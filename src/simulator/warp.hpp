// One warp: 32 lanes that execute one instruction at a time, each lane with registers of its own.
//
// Registers lie lane by lane: a 32-bit register is 32 consecutive words, so an instruction on a whole
// warp is a vector operation of the host. Predicates are one 32-bit mask each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/access.hpp"
#include "simulator/fault.hpp"

namespace simulator {

template <class T>
using Lanes [[gnu::aligned(64)]] = T __attribute__((ext_vector_type(WARP)));

constexpr Lanes<int32_t> LANE_NUMBERS = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                         22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/// -1 in every lane whose bit is set, 0 elsewhere.
inline Lanes<int32_t> expand_mask(uint32_t bits) {
  return -((static_cast<int32_t>(bits) >> LANE_NUMBERS) & 1);
}

/// The other way: the bits of the lanes where a comparison holds.
template <class Mask>
inline uint32_t to_bits(Mask mask) {
  using Bits = bool __attribute__((ext_vector_type(WARP)));
  return std::bit_cast<uint32_t>(__builtin_convertvector(mask, Bits));
}

struct Op;
struct Warp;
struct BlockContext;

/// Carries out one instruction for all active lanes of a warp.
using Execute = void (*)(Warp&, const Op&);

/// Where an operand lies: a byte offset into the warp's registers if >= 0; otherwise ~offset is a byte
/// offset into the kernel's constants, where every immediate stands once for each lane.
using Slot = int32_t;

/// One decoded instruction. What d, a, b, c and e mean is between the decoder and the handler.
struct Op {
  Execute execute = nullptr;
  Slot d = 0, a = 0, b = 0, c = 0, e = 0;
  int32_t extra = 0;          // a small constant: a rounding, a special register, a mode
  uint32_t site = 0;          // memory instructions: index of their counters
  uint32_t instruction = 0;   // index into Program::sources
  int64_t offset = 0;         // memory instructions: added to the address in a
  int64_t offset_b = 0;       // cp.async: added to the address in b
  Execute guarded = nullptr;  // with a guard, `execute` narrows the active lanes and calls this
  Slot guard = 0;
  bool guard_negated = false;
  const std::vector<Slot>* slots = nullptr;  // the parts of a vector
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  const std::byte* constants = nullptr;
  BlockContext* block = nullptr;

  uint32_t active = 0;   // lanes that execute the current instruction
  uint32_t live = 0;     // lanes that exist and have not exited
  bool unmasked = true;  // active == live: results may be written to all lanes, dead ones included
  Lanes<int32_t> lane_mask;  // -1 in active lanes, 0 elsewhere

  uint32_t first_thread = 0;   // linear number of lane 0's thread in its block
  uint32_t number = 0;         // of the warp in its block
  std::byte* local = nullptr;  // .local memory, one lane after the other

  void set_active(uint32_t mask) {
    active = mask;
    unmasked = mask == live;
    lane_mask = expand_mask(mask);
  }

  template <class T>
  const Lanes<T>& read(Slot slot) const {
    const std::byte* base = slot >= 0 ? registers + slot : constants + ~slot;
    return *reinterpret_cast<const Lanes<T>*>(base);
  }

  template <class T>
  Lanes<T>& raw(Slot slot) {
    return *reinterpret_cast<Lanes<T>*>(registers + slot);
  }

  /// Writes a result where lanes are active, and nowhere else that matters.
  template <class T>
  void write(Slot slot, Lanes<T> value) {
    Lanes<T>& target = raw<T>(slot);
    if (unmasked) {
      target = value;
    } else if constexpr (sizeof(T) == 8) {
      target = __builtin_convertvector(lane_mask, Lanes<int64_t>) ? value : target;
    } else {
      static_assert(sizeof(T) == 4);
      target = lane_mask ? value : target;
    }
  }

  void write_predicate(Slot slot, uint32_t value) {
    predicates[slot] = (predicates[slot] & ~active) | (value & active);
  }
};

/// Thrown by a handler; the launcher adds kernel, block and source.
struct WarpFault {
  FaultKind kind;
  int lane = 0;  // the first lane at fault
  uint64_t address = 0;
  std::string detail;
  uint32_t instruction = 0;
};

/// Calls body(lane) for each active lane, in order.
template <class Body>
inline void for_each_lane(uint32_t active, Body&& body) {
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) body(__builtin_ctz(rest));
}

}  // namespace simulator

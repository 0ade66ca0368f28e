// The 32 values of a warp's register as one vector of the host. Part of a level: see level.hpp.
#pragma once

#include <bit>
#include <cstdint>

#include "simulator/decode/program.hpp"
#include "simulator/execute/level/level.hpp"
#include "simulator/execute/state/warp.hpp"

BEGIN_LEVEL

template <typename T>
using Lanes = T __attribute__((ext_vector_type(WARP)));

/// The same vector in memory, at a multiple of 64 bytes; a vector's own alignment is its size. (An alias template
/// would lose the attribute.)
template <typename T>
struct InMemory {
  typedef T Lanes __attribute__((ext_vector_type(WARP), aligned(64)));
};
template <typename T>
using StoredLanes = typename InMemory<T>::Lanes;

constexpr Lanes<int32_t> LANE_NUMBERS = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                         22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/// std::bit_cast as a function of the level: a vector must not be passed to code without such registers.
template <typename To, typename From>
inline To bits_as(const From value) {
  return __builtin_bit_cast(To, value);
}

/// Returns -1 in each lane whose bit is set, 0 elsewhere.
inline Lanes<int32_t> expand_mask(uint32_t bits) {
  return -((static_cast<int32_t>(bits) >> LANE_NUMBERS) & 1);
}

/// Returns the bits of the lanes in which a comparison holds.
template <typename Mask>
inline uint32_t to_bits(Mask mask) {
  using Bits = bool __attribute__((ext_vector_type(WARP)));
  return bits_as<uint32_t>(__builtin_convertvector(mask, Bits));
}

inline const StoredLanes<int32_t>& lane_mask(const Warp& w) {
  return *reinterpret_cast<const StoredLanes<int32_t>*>(w.lane_mask.data());
}

inline void set_active(Warp& w, uint32_t mask) {
  w.active = mask;
  w.unmasked = mask == w.live;
  *reinterpret_cast<StoredLanes<int32_t>*>(w.lane_mask.data()) = expand_mask(mask);
}

template <typename T>
inline const StoredLanes<T>& read(const Warp& w, Slot slot) {
  const std::byte* base = slot >= 0 ? w.registers + slot : w.constants + ~slot;
  return *reinterpret_cast<const StoredLanes<T>*>(base);
}

/// Writes the result in all active lanes. Dead lanes may be written too.
template <typename T>
inline void write(Warp& w, Slot slot, Lanes<T> value) {
  StoredLanes<T>& target = *reinterpret_cast<StoredLanes<T>*>(w.registers + slot);
  if (w.unmasked) {
    target = value;
  } else if constexpr (sizeof(T) == 8) {
    target = __builtin_convertvector(lane_mask(w), Lanes<int64_t>) ? value : target;
  } else {
    static_assert(sizeof(T) == 4);
    target = lane_mask(w) ? value : target;
  }
}

inline void write_predicate(Warp& w, Slot slot, uint32_t value) {
  w.predicates[slot] = (w.predicates[slot] & ~w.active) | (value & w.active);
}

/// Calls body(lane) for each active lane, in order.
template <typename Body>
inline void for_each_lane(uint32_t active, Body&& body) {
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) body(std::countr_zero(rest));
}

END_LEVEL

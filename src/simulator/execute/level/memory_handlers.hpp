// The instructions that touch memory. Part of a level: see level.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "simulator/execute/level/addressing.hpp"
#include "simulator/execute/level/async_copies.hpp"
#include "simulator/execute/level/types.hpp"
#include "simulator/hazards/block_hazards.hpp"

BEGIN_LEVEL

constexpr uint32_t ALL_LANES = 0xffffffffu;

// --- from and to registers ------------------------------------------------------------------------

/// Writes a loaded value. A register holds 8 bytes a lane if WIDE, else 4. A narrower Element is sign- or
/// zero-extended by its type.
template <typename Element, bool WIDE>
void write_loaded(Warp& w, Slot slot, const Lanes<Element>& value) {
  if constexpr (WIDE && sizeof(Element) == 8) {
    write<uint64_t>(w, slot, __builtin_bit_cast(Lanes<uint64_t>, value));
  } else if constexpr (WIDE) {
    write<int64_t>(w, slot, __builtin_convertvector(value, Lanes<int64_t>));
  } else if constexpr (sizeof(Element) == 4) {
    write<uint32_t>(w, slot, __builtin_bit_cast(Lanes<uint32_t>, value));
  } else {
    write<int32_t>(w, slot, __builtin_convertvector(value, Lanes<int32_t>));
  }
}

template <typename Element, bool WIDE>
Lanes<Element> read_stored(const Warp& w, Slot slot) {
  if constexpr (WIDE && sizeof(Element) == 8) {
    return __builtin_bit_cast(Lanes<Element>, read<uint64_t>(w, slot));
  } else if constexpr (WIDE) {
    return __builtin_convertvector(read<uint64_t>(w, slot), Lanes<Element>);
  } else if constexpr (sizeof(Element) == 4) {
    return __builtin_bit_cast(Lanes<Element>, read<uint32_t>(w, slot));
  } else {
    return __builtin_convertvector(read<uint32_t>(w, slot), Lanes<Element>);
  }
}

template <int COUNT>
const Slot* slots_of(const Op& op, const Slot& single) {
  return COUNT == 1 ? &single : op.lists->d.data();
}

// --- loads and stores -----------------------------------------------------------------------------

/// One array of lanes for each part of a vector. Arrays of words are filled first and become vectors afterwards:
/// filling a vector one lane at a time would be many times slower.
template <typename Element, int COUNT>
struct alignas(64) Parts {
  std::array<std::array<Element, WARP>, COUNT> part;

  void take(size_t lane, const std::byte* from) {
    std::array<Element, COUNT> one;
    std::memcpy(&one, from, sizeof one);
    for (size_t i = 0; i < COUNT; ++i) part[i][lane] = one[i];
  }
  void put(size_t lane, std::byte* to) const {
    std::array<Element, COUNT> one;
    for (size_t i = 0; i < COUNT; ++i) one[i] = part[i][lane];
    std::memcpy(to, &one, sizeof one);
  }
};

template <typename Element, int COUNT>
void gather(Parts<Element, COUNT>& value, const Warp& w, const Located& located) {
  const Pattern& pattern = located.pattern;
  if (located.base != nullptr && pattern.shape == Pattern::Shape::uniform) {
    std::array<Element, COUNT> one;
    std::memcpy(&one, located.base, sizeof one);
    for (size_t i = 0; i < COUNT; ++i) value.part[i].fill(one[i]);
  } else if (located.base != nullptr && pattern.shape == Pattern::Shape::contiguous) {
    for (size_t lane = 0; lane < WARP; ++lane)
      value.take(lane, located.base + lane * sizeof(Element) * COUNT);
  } else if (located.base != nullptr && w.active == ALL_LANES) {
    for (size_t lane = 0; lane < WARP; ++lane)
      value.take(lane, located.base + pattern.distance[lane]);
  } else {
    value = {};
    for_each_lane(w.active,
                  [&](int lane) { value.take(static_cast<size_t>(lane), located[lane]); });
  }
}

/// Does the loads of lanes whose generic address is a parameter's address, and returns these lanes. Such loads are not
/// counted, like ld.param.
template <typename Element, int COUNT, bool WIDE>
uint32_t load_from_parameters(Warp& w, const Op& op) {
  AddressStorage storage;
  const Addresses address = addresses_of_a(w, op, storage);
  const uint32_t lanes = w.active;
  const uint32_t reading =
      lanes &
      to_bits(static_cast<Lanes<uint64_t>>(address.vector() + address.offset) - PARAMETER_WINDOW <
              WINDOW_BYTES);
  if (reading == 0) [[likely]]
    return 0;
  constexpr uint64_t BYTES = sizeof(Element) * COUNT;
  Parts<Element, COUNT> value{};
  for_each_lane(reading, [&](int lane) {
    const uint64_t at = address.of(lane) - PARAMETER_WINDOW;
    if (at % BYTES != 0) {
      throw WarpFault{{.kind = FaultKind::misaligned,
                       .address = at,
                       .place = {.kind = AddressKind::parameters},
                       .alignment = BYTES},
                      lane};
    }
    if (at > w.block->parameter_bytes || BYTES > w.block->parameter_bytes - at)
      fail_at_parameters(w, address, lane);
    value.take(static_cast<size_t>(lane), w.block->parameters + at);
  });
  set_active(w, reading);
  const Slot* slots = slots_of<COUNT>(op, op.d);
  for (size_t i = 0; i < COUNT; ++i)
    write_loaded<Element, WIDE>(w, slots[i], bits_as<Lanes<Element>>(value.part[i]));
  set_active(w, lanes);
  return reading;
}

template <typename Observer, Space SPACE, typename Element, int COUNT, bool WIDE>
void load(Warp& w, const Op& op) {
  const Slot* slots = slots_of<COUNT>(op, op.d);
  if constexpr (SPACE == Space::generic) {
    const uint32_t done = load_from_parameters<Element, COUNT, WIDE>(w, op);
    if (done != 0) [[unlikely]] {
      const uint32_t lanes = w.active;
      if (done == lanes) return;
      set_active(w, lanes & ~done);
      load<Observer, SPACE, Element, COUNT, WIDE>(w, op);
      return set_active(w, lanes);
    }
  }
  if constexpr (SPACE == Space::shared) ++w.shared_loads;
  use_memory<Observer, SPACE, sizeof(Element) * COUNT>(w, op, [&](const Located& located) {
    Parts<Element, COUNT> value;
    gather(value, w, located);
    if (Observer::looks_for_hazards(w)) [[unlikely]]
      Observer::touch(w, located.site, located.pattern, located.first, nullptr);
    for (size_t i = 0; i < COUNT; ++i)
      write_loaded<Element, WIDE>(w, slots[i], bits_as<Lanes<Element>>(value.part[i]));
  });
}

template <typename Observer, typename Element, int COUNT>
[[gnu::noinline]] void touch_values(const Warp& w, const Located& located,
                                    const Parts<Element, COUNT>& value) {
  std::array<std::byte, WARP * sizeof(Element) * COUNT> bytes;
  for (size_t lane = 0; lane < WARP; ++lane)
    value.put(lane, bytes.data() + lane * sizeof(Element) * COUNT);
  Observer::touch(w, located.site, located.pattern, located.first, bytes.data());
}

template <typename Observer, Space SPACE, typename Element, int COUNT, bool WIDE>
void store(Warp& w, const Op& op) {
  const Slot* slots = slots_of<COUNT>(op, op.d);
  ++w.changes;
  use_memory<Observer, SPACE, sizeof(Element) * COUNT>(w, op, [&](const Located& located) {
    Parts<Element, COUNT> value;
    for (size_t i = 0; i < COUNT; ++i) {
      value.part[i] = bits_as<std::array<Element, WARP>>(read_stored<Element, WIDE>(w, slots[i]));
    }
    if (Observer::looks_for_hazards(w)) [[unlikely]]
      touch_values<Observer>(w, located, value);
    if (located.base != nullptr && located.pattern.shape == Pattern::Shape::contiguous) {
      for (size_t lane = 0; lane < WARP; ++lane)
        value.put(lane, located.base + lane * sizeof(Element) * COUNT);
    } else {
      for_each_lane(w.active,
                    [&](int lane) { value.put(static_cast<size_t>(lane), located[lane]); });
    }
  });
}

// --- atomics --------------------------------------------------------------------------------------

template <typename T, auto F>
T apply_atomically(Warp& w, std::byte* where, T b, T c) {
  std::atomic_ref<T> target(*reinterpret_cast<T*>(where));
  T old = target.load();
  T next = F(old, b, c);
  while (!target.compare_exchange_weak(old, next)) next = F(old, b, c);
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
  w.changes += bits_as<Bits>(old) != bits_as<Bits>(next) ? 1 : 0;
  return old;
}

/// Lets the lanes hear what was told before their atomic took place. Another block may have told it after they were touched.
[[gnu::noinline]] inline void listen_again(const Warp& w, const Located& located) {
  for_each_lane(w.active, [&](int lane) {
    const auto distance = located.pattern.distance[static_cast<size_t>(lane)];
    w.block->hazards->order.listen(w.number * WARP + static_cast<uint32_t>(lane),
                                   located.first + static_cast<uint64_t>(distance), false);
  });
}

/// F: the operation, a lambda. IN_SHARED: the operation in shared memory, if it differs there.
template <typename Observer, Space SPACE, typename T, auto F, auto IN_SHARED = F>
void atomic(Warp& w, const Op& op) {
  constexpr bool WIDE = sizeof(T) == 8;
  const Lanes<T> b = read_stored<T, WIDE>(w, op.b);
  const Lanes<T> c = read_stored<T, WIDE>(w, op.c);
  use_memory<Observer, SPACE, sizeof(T)>(w, op, [&](const Located& located) {
    if (Observer::looks_for_hazards(w)) [[unlikely]]
      Observer::touch(w, located.site, located.pattern, located.first, nullptr);
    Lanes<T> old = b;
    const auto apply = [&]<auto OPERATION>() {
      for_each_lane(w.active, [&](int lane) {
        old[lane] = apply_atomically<T, OPERATION>(w, located[lane], b[lane], c[lane]);
      });
    };
    constexpr bool DIFFERS = !std::is_same_v<decltype(F), decltype(IN_SHARED)>;
    const bool is_shared = SPACE == Space::shared ||
                           (SPACE == Space::generic && located.site == op.site(Site::shared));
    if (DIFFERS && is_shared) {
      apply.template operator()<IN_SHARED>();
    } else {
      apply.template operator()<F>();
    }
    if (SPACE != Space::shared && Observer::looks_for_hazards(w)) [[unlikely]]
      listen_again(w, located);
    if ((op.extra & HAS_RESULT) != 0) write_loaded<T, WIDE>(w, op.d, old);
  });
}

// --- cp.async -------------------------------------------------------------------------------------

/// cp.async [a], [b], BYTES, source size in c: reads and checks now. The bytes land at the wait that covers them.
template <typename Observer, uint32_t BYTES>
void async_copy(Warp& w, const Op& op) {
  AddressStorage to_storage, from_storage;
  Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses from = addresses_of_b(w, op, from_storage);
  if (to.of(std::countr_zero(w.active)) - SHARED_WINDOW < WINDOW_BYTES) to.offset -= SHARED_WINDOW;
  const Located target = locate_shared<Observer, BYTES>(w, op.site(Site::shared), to);
  if (Observer::looks_for_hazards(w)) [[unlikely]]
    Observer::stay_within(w, target.site, target.pattern, target.first);
  // Lanes that copy nothing (they fill with zeros) read nothing: their address need not be valid.
  Lanes<uint32_t> size = BYTES;
  const Lanes<uint32_t> most = BYTES;
  if ((op.extra & HAS_SOURCE_SIZE) != 0) {
    size = read<uint32_t>(w, op.c);
    size = size < most ? size : most;
  }
  if ((op.extra & HAS_IGNORE_SOURCE) != 0) {
    size = most & ~bits_as<Lanes<uint32_t>>(expand_mask(w.predicates[op.c]));
  }
  const Lanes<uint32_t> none = 0;
  const uint32_t all = w.active;
  const uint32_t reading = all & to_bits(size != none);
  const bool whole = (to_bits(size == most) & reading) == reading;
  PendingCopy& copy = begin_copy(w);
  copy.bytes = BYTES;
  copy.instruction = op.instruction;
  *reinterpret_cast<StoredLanes<uint32_t>*>(copy.offset.data()) = __builtin_convertvector(
      static_cast<Lanes<uint64_t>>(to.vector() + to.offset), Lanes<uint32_t>);
  if (!whole || reading != all) copy.data = {};
  if (reading != 0) {
    if (reading != all) set_active(w, reading);
    const uint32_t site = op.site(Site::global);
    const Located source = whole ? locate_global<Observer, BYTES>(w, site, from)
                                 : locate_parts<Observer, BYTES>(w, site, from, size);
    std::byte* const data = copy.data.data();
    if (source.base != nullptr && source.pattern.shape == Pattern::Shape::contiguous) {
      std::memcpy(data, source.base, size_t{WARP} * BYTES);
    } else {
      for_each_lane(reading, [&](int lane) {
        std::byte* const one = data + static_cast<size_t>(lane) * BYTES;
        if (whole) {
          std::memcpy(one, source[lane], BYTES);
        } else {
          std::memcpy(one, source[lane], size[lane]);
        }
      });
    }
    if (reading != all) set_active(w, all);
  }
  copy.lanes = all;
  if (Observer::looks_for_hazards(w)) [[unlikely]] {
    for_each_lane(all, [&](int lane) {
      Observer::copy_begins(w, op.instruction, lane, copy.offset[static_cast<size_t>(lane)], BYTES,
                            from.of(lane), size[lane]);
    });
  }
}

// --- parameters -----------------------------------------------------------------------------------

/// Reads the launch's parameters in every lane. A lane beyond their end reads zero.
template <typename Element, bool WIDE>
void load_parameter(Warp& w, const Op& op) {
  AddressStorage storage;
  const Addresses address = addresses_of_a(w, op, storage);
  const auto one_of = [&](int lane, size_t part) {
    const uint64_t at = address.of(lane) + part * sizeof(Element);
    Element one{};
    if (at + sizeof(Element) <= w.block->parameter_bytes)
      std::memcpy(&one, w.block->parameters + at, sizeof one);
    return one;
  };
  // An offset in the program, or, nearly always, a register with the same offset in all lanes.
  const Lanes<uint64_t> first = address.base[std::countr_zero(w.active)];
  const bool same_for_all = op.a < 0 || (to_bits(address.vector() != first) & w.active) == 0;
  for (size_t part = 0; part < op.lists->d.size(); ++part) {
    Lanes<Element> value = one_of(std::countr_zero(w.active), part);
    if (!same_for_all) for_each_lane(w.active, [&](int lane) { value[lane] = one_of(lane, part); });
    write_loaded<Element, WIDE>(w, op.lists->d[part], value);
  }
}

END_LEVEL

#include "simulator/memory_access.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

namespace simulator {
namespace {

constexpr uint32_t ALL_LANES = 0xffffffffu;
constexpr uint64_t SECTOR_BYTES = 32;
constexpr size_t REMEMBERED_PATTERNS =
    4096;  // a gather may never repeat itself: memory must not grow with it

bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic || access == Access::async_copy_shared;
}

bool is_local(Access access) {
  return access == Access::local_load || access == Access::local_store;
}

/// Where in its sector the first lane's address stands. Banks repeat every 128 bytes and a shift rotates
/// them, so in shared memory, and likewise in local, it makes no difference.
uint32_t phase_of(Access access, uint64_t first) {
  return is_shared(access) || is_local(access) ? 0 : static_cast<uint32_t>(first % SECTOR_BYTES);
}

/// .local memory of a warp is interleaved by the word, so that lanes at one offset are neighbours.
WarpAddresses interleave_local(const WarpAddresses& addresses, uint32_t word) {
  WarpAddresses interleaved = addresses;
  for (uint64_t lane = 0; lane < WARP; ++lane) {
    interleaved.lane[lane] = (addresses.lane[lane] / 4 + word) * (4 * WARP) + 4 * lane;
  }
  return interleaved;
}

void price_pattern(Pattern& p, const WarpAddresses& addresses) {
  if (is_shared(p.access)) {
    const auto kind = p.access == Access::shared_load ? SharedAccess::load : SharedAccess::store;
    const SharedCost cost = shared_cost(addresses, p.bytes, kind);
    p.wavefronts = cost.wavefronts;
    p.bank_conflicts = cost.bank_conflicts();
    p.bytes_used = count_distinct_bytes(addresses, p.bytes);
  } else if (is_local(p.access)) {
    for (uint32_t word = 0; word < std::max(1u, p.bytes / 4); ++word) {
      p.sectors += count_sectors(interleave_local(addresses, word), std::min(4u, p.bytes));
    }
    p.bytes_used = p.lanes * p.bytes;
  } else {
    p.sectors = count_sectors(addresses, p.bytes);
    p.bytes_used = count_distinct_bytes(addresses, p.bytes);
  }
}

Pattern::Shape shape_of(const Lanes<int64_t>& distance, uint32_t active, int64_t bytes) {
  const Lanes<int64_t> lane = __builtin_convertvector(LANE_NUMBERS, Lanes<int64_t>);
  const Lanes<int64_t> consecutive = lane * bytes;
  const Lanes<int64_t> none = 0;
  if (active == ALL_LANES && to_bits(distance == consecutive) == ALL_LANES)
    return Pattern::Shape::contiguous;
  if ((to_bits(distance == none) & active) == active) return Pattern::Shape::uniform;
  return Pattern::Shape::scattered;
}

uint64_t hash_pattern(const Lanes<int64_t>& distance, uint32_t active, uint32_t phase,
                      const SiteInfo& site) {
  uint64_t hash = active * 0x9e3779b97f4a7c15u + phase * 131u + site.bytes * 31u +
                  static_cast<uint32_t>(site.access);
  for (int lane = 0; lane < WARP; ++lane) {
    hash = (hash ^ static_cast<uint64_t>(distance[lane])) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same_pattern(const Pattern& p, const Lanes<int64_t>& distance, uint32_t active,
                  uint32_t phase) {
  return p.active == active && p.phase == phase &&
         (to_bits(p.distance == distance) & active) == active;
}

/// A fault, unless a lane's bytes lie in one allocation.
void check_inside(int lane, uint64_t address, uint64_t bytes) {
  const DeviceMemory& memory = DeviceMemory::instance();
  const Allocation* around = memory.find(address);
  if (around != nullptr && around->contains(address, address + bytes)) return;
  const uint64_t outside = around == nullptr ? address : around->base + around->bytes;
  throw WarpFault{memory.was_freed(address) ? FaultKind::use_after_free : FaultKind::out_of_bounds,
                  lane, address, memory.describe(outside), 0};
}

}  // namespace

void SiteCounts::add(const Pattern& pattern) {
  requests += 1;
  lanes += pattern.lanes;
  bytes_used += pattern.bytes_used;
  sectors += pattern.sectors;
  wavefronts += pattern.wavefronts;
  bank_conflicts += pattern.bank_conflicts;
}

void SiteCounts::add(const SiteCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes_used += other.bytes_used;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  bank_conflicts += other.bank_conflicts;
}

Worker::Worker(const Program& p)
    : program(p),
      block_warps(p.blocks.size()),
      block_lanes(p.blocks.size()),
      guarded_lanes(p.sources.size()),
      sites_(p.sites.size()) {}

const Pattern& Worker::recognise(uint32_t site, const Lanes<uint64_t>& address, uint32_t active) {
  const uint64_t first = address[__builtin_ctz(active)];
  const Lanes<int64_t> distance = std::bit_cast<Lanes<int64_t>>(address - first);
  const Access access = program.sites[site].access;
  const uint32_t phase = phase_of(access, first);
  const Pattern*& last = sites_[site].patterns[phase / 4];
  if (last != nullptr && same_pattern(*last, distance, active, phase)) return *last;
  const Pattern& pattern = price(site, distance, first, active);
  last = &pattern == &scratch_ ? nullptr : &pattern;
  return pattern;
}

const Pattern& Worker::price(uint32_t site, const Lanes<int64_t>& all_distances, uint64_t first,
                             uint32_t active) {
  const SiteInfo& info = program.sites[site];
  const uint32_t phase = phase_of(info.access, first);
  const Lanes<int64_t> none = 0;
  const Lanes<int64_t> distance =
      __builtin_convertvector(expand_mask(active), Lanes<int64_t>) ? all_distances : none;
  const uint64_t hash = hash_pattern(distance, active, phase, info);
  const auto [begin, end] = patterns_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const Pattern& p = *known->second;
    if (p.access == info.access && p.bytes == info.bytes &&
        same_pattern(p, distance, active, phase))
      return p;
  }

  Pattern p;
  p.distance = distance;
  p.active = active;
  p.phase = phase;
  p.bytes = info.bytes;
  p.access = info.access;
  p.first_lane = __builtin_ctz(active);
  p.lanes = static_cast<uint32_t>(std::popcount(active));
  p.shape = shape_of(distance, active, info.bytes);
  p.highest = info.bytes;
  p.aligned = true;
  WarpAddresses addresses{{}, active};
  for_each_lane(active, [&](int lane) {
    p.lowest = std::min<int64_t>(p.lowest, distance[lane]);
    p.highest = std::max<int64_t>(p.highest, distance[lane] + info.bytes);
    p.aligned &= distance[lane] % static_cast<int64_t>(info.bytes) == 0;
    addresses.lane[static_cast<size_t>(lane)] = first + static_cast<uint64_t>(distance[lane]);
  });
  const bool priced = p.aligned && first % info.bytes == 0;  // otherwise the access is a fault
  if (priced) price_pattern(p, addresses);
  if (!priced || patterns_.size() >= REMEMBERED_PATTERNS) return scratch_ = p;
  return *patterns_.emplace(hash, std::make_unique<Pattern>(p))->second;
}

std::byte* Worker::locate(uint32_t site, const Pattern& pattern, const Lanes<uint64_t>& address) {
  const uint64_t first = address[pattern.first_lane];
  const uint64_t from = first + static_cast<uint64_t>(pattern.lowest);
  const uint64_t to = first + static_cast<uint64_t>(pattern.highest);
  const Allocation* allocation = sites_[site].allocation;
  if (allocation != nullptr && allocation->contains(from, to))
    return allocation->host + (first - allocation->base);

  for_each_lane(pattern.active,
                [&](int lane) { check_inside(lane, address[lane], pattern.bytes); });
  allocation = DeviceMemory::instance().find(first);
  change_allocation(site, allocation);
  if (!allocation->contains(from, to)) return nullptr;
  return allocation->host + (first - allocation->base);
}

void Worker::locate_parts(uint32_t site, const Pattern& pattern, const Lanes<uint64_t>& address,
                          const Lanes<uint32_t>& bytes) {
  const DeviceMemory& memory = DeviceMemory::instance();
  for_each_lane(pattern.active, [&](int lane) {
    check_inside(lane, address[lane], bytes[lane]);
    lane_pointers[static_cast<size_t>(lane)] = memory.host_pointer(address[lane], bytes[lane]);
  });
  const Allocation* allocation = memory.find(address[pattern.first_lane]);
  if (allocation != sites_[site].allocation) change_allocation(site, allocation);
}

void Worker::change_allocation(uint32_t site, const Allocation* allocation) {
  Site& s = sites_[site];
  if (s.counts.requests != 0) {
    buffer_counts[{site, s.allocation == nullptr ? 0 : s.allocation->id}].add(s.counts);
    s.counts = {};
  }
  s.allocation = allocation;
}

void Worker::flush() {
  for (uint32_t site = 0; site < sites_.size(); ++site) change_allocation(site, nullptr);
}

// --- handlers -------------------------------------------------------------------------------------

namespace {

Lanes<uint64_t> addresses_of(const Warp& w, Slot slot, bool in_32_bits, int64_t offset) {
  const Lanes<uint64_t> base =
      in_32_bits ? __builtin_convertvector(w.read<uint32_t>(slot), Lanes<uint64_t>)
                 : w.read<uint64_t>(slot);
  return base + static_cast<uint64_t>(offset);
}

[[noreturn]] void fail_misaligned(const Lanes<uint64_t>& address, uint32_t active, uint32_t bytes) {
  int lane = __builtin_ctz(active);
  for_each_lane(active, [&](int l) {
    if (address[l] % bytes != 0 && address[lane] % bytes == 0) lane = l;
  });
  throw WarpFault{FaultKind::misaligned, lane, address[lane],
                  "an access of " + std::to_string(bytes) +
                      " bytes needs an address that is a multiple of " + std::to_string(bytes) +
                      "; this one leaves a remainder of " + std::to_string(address[lane] % bytes),
                  0};
}

/// Where the bytes of each active lane lie on the host: base + distance, or lane by lane.
struct Located {
  const Pattern& pattern;
  std::byte* base;  // of the first active lane; nullptr: use `each`
  const std::array<std::byte*, WARP>* each = nullptr;

  std::byte* operator[](int lane) const {
    return base != nullptr ? base + pattern.distance[lane] : (*each)[static_cast<size_t>(lane)];
  }
};

const Pattern& checked_pattern(Warp& w, uint32_t site, const Lanes<uint64_t>& address,
                               uint32_t bytes) {
  const Pattern& pattern = w.block->worker->recognise(site, address, w.active);
  if (!pattern.aligned || address[pattern.first_lane] % bytes != 0)
    fail_misaligned(address, w.active, bytes);
  return pattern;
}

/// `address` is relative to the memory of `what`, `limit` bytes large.
void check_limit(const Pattern& pattern, const Lanes<uint64_t>& address, uint64_t limit,
                 const char* what) {
  const uint64_t first = address[pattern.first_lane];
  const uint64_t from = first + static_cast<uint64_t>(pattern.lowest);
  const uint64_t to = first + static_cast<uint64_t>(pattern.highest);
  if (from <= to && to <= limit) return;
  int lane = pattern.first_lane;
  for_each_lane(pattern.active, [&](int l) {
    const bool inside = address[l] <= limit && address[l] + pattern.bytes <= limit;
    const bool found = !(address[lane] <= limit && address[lane] + pattern.bytes <= limit);
    if (!inside && !found) lane = l;
  });
  throw WarpFault{FaultKind::out_of_bounds, lane, address[lane],
                  "the address is byte " + std::to_string(static_cast<int64_t>(address[lane])) +
                      " of " + what + ", which has " + std::to_string(limit) + " bytes",
                  0};
}

template <Space SPACE>
Located locate(Warp& w, uint32_t site, Lanes<uint64_t> address, uint32_t bytes) {
  if constexpr (SPACE == Space::shared) {
    const Pattern& pattern = checked_pattern(w, site, address, bytes);
    check_limit(pattern, address, w.block->shared_bytes, "the block's shared memory");
    w.block->worker->count(site, pattern);
    return {pattern, w.block->shared + address[pattern.first_lane]};
  } else if constexpr (SPACE == Space::local) {
    const Pattern& pattern = checked_pattern(w, site, address, bytes);
    check_limit(pattern, address, w.block->local_bytes, "the thread's local memory");
    w.block->worker->count(site, pattern);
    auto& each = w.block->worker->lane_pointers;
    for_each_lane(w.active, [&](int lane) {
      each[static_cast<size_t>(lane)] =
          w.local + static_cast<size_t>(lane) * w.block->local_bytes + address[lane];
    });
    return {pattern, nullptr, &each};
  } else {
    const Pattern& pattern = checked_pattern(w, site, address, bytes);
    Worker& worker = *w.block->worker;
    std::byte* const base = worker.locate(site, pattern, address);
    if (base == nullptr) {  // the lanes touch several allocations
      for_each_lane(w.active, [&](int lane) {
        worker.lane_pointers[static_cast<size_t>(lane)] =
            DeviceMemory::instance().host_pointer(address[lane], bytes);
      });
    }
    worker.count(site, pattern);
    return {pattern, base, &worker.lane_pointers};
  }
}

/// An access to global memory of which a lane may need fewer bytes than it is wide: only those must be
/// inside an allocation.
Located locate_parts(Warp& w, uint32_t site, const Lanes<uint64_t>& address,
                     const Lanes<uint32_t>& bytes, uint32_t width) {
  const Pattern& pattern = checked_pattern(w, site, address, width);
  Worker& worker = *w.block->worker;
  worker.locate_parts(site, pattern, address, bytes);
  worker.count(site, pattern);
  return {pattern, nullptr, &worker.lane_pointers};
}

/// A generic address tells its space by its value. The three kinds of row lie at site, site + 1, site + 2.
template <class Use>
void use_generic(Warp& w, const Op& op, const Lanes<uint64_t>& address, uint32_t bytes, Use&& use) {
  const uint64_t first = address[__builtin_ctz(w.active)];
  if (first - SHARED_WINDOW < WINDOW_BYTES) {
    use(locate<Space::shared>(w, op.site + 1, address - SHARED_WINDOW, bytes));
  } else if (first - LOCAL_WINDOW < WINDOW_BYTES) {
    use(locate<Space::local>(w, op.site + 2, address - LOCAL_WINDOW, bytes));
  } else {
    use(locate<Space::global>(w, op.site, address, bytes));
  }
}

template <Space SPACE, class Use>
void use_memory(Warp& w, const Op& op, uint32_t bytes, Use&& use) {
  const Lanes<uint64_t> address = addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset);
  if constexpr (SPACE == Space::generic) {
    use_generic(w, op, address, bytes, use);
  } else {
    use(locate<SPACE>(w, op.site, address, bytes));
  }
}

template <class Element, bool WIDE>
void write_loaded(Warp& w, Slot slot, const Lanes<Element>& value) {
  if constexpr (WIDE && sizeof(Element) == 8) {
    w.write<uint64_t>(slot, __builtin_bit_cast(Lanes<uint64_t>, value));
  } else if constexpr (WIDE) {
    w.write<int64_t>(
        slot, __builtin_convertvector(value, Lanes<int64_t>));  // sign or zero by Element's type
  } else if constexpr (sizeof(Element) == 4) {
    w.write<uint32_t>(slot, __builtin_bit_cast(Lanes<uint32_t>, value));
  } else {
    w.write<int32_t>(slot, __builtin_convertvector(value, Lanes<int32_t>));
  }
}

template <class Element, int COUNT>
const Slot* slots_of(const Op& op, const Slot& single) {
  return COUNT == 1 ? &single : op.slots->data();
}

template <Space SPACE, class Element, int COUNT, bool WIDE>
void load(Warp& w, const Op& op) {
  const Slot* slots = slots_of<Element, COUNT>(op, op.d);
  use_memory<SPACE>(w, op, sizeof(Element) * COUNT, [&](const Located& located) {
    // Words first, vectors afterwards: filling a vector one lane at a time would be many times slower.
    alignas(64) std::array<std::array<Element, WARP>, COUNT> value;
    const auto take = [&](size_t lane, const std::byte* from) {
      std::array<Element, COUNT> one;
      std::memcpy(&one, from, sizeof one);
      for (size_t i = 0; i < COUNT; ++i) value[i][lane] = one[i];
    };
    const Pattern::Shape shape =
        located.base == nullptr ? Pattern::Shape::scattered : located.pattern.shape;
    if (shape == Pattern::Shape::uniform) {
      std::array<Element, COUNT> one;
      std::memcpy(&one, located.base, sizeof one);
      for (size_t i = 0; i < COUNT; ++i) value[i].fill(one[i]);
    } else if (COUNT == 1 && shape == Pattern::Shape::contiguous) {
      std::memcpy(&value, located.base, sizeof(Element) * WARP);
    } else if (located.base != nullptr && w.active == ALL_LANES) {
      for (int lane = 0; lane < WARP; ++lane)
        take(static_cast<size_t>(lane), located.base + located.pattern.distance[lane]);
    } else {
      value = {};
      for_each_lane(w.active, [&](int lane) { take(static_cast<size_t>(lane), located[lane]); });
    }
    for (size_t i = 0; i < COUNT; ++i) {
      write_loaded<Element, WIDE>(w, slots[i], std::bit_cast<Lanes<Element>>(value[i]));
    }
  });
}

template <class Element, bool WIDE>
Lanes<Element> read_stored(const Warp& w, Slot slot) {
  if constexpr (WIDE && sizeof(Element) == 8) {
    return __builtin_bit_cast(Lanes<Element>, w.read<uint64_t>(slot));
  } else if constexpr (WIDE) {
    return __builtin_convertvector(w.read<uint64_t>(slot), Lanes<Element>);
  } else if constexpr (sizeof(Element) == 4) {
    return __builtin_bit_cast(Lanes<Element>, w.read<uint32_t>(slot));
  } else {
    return __builtin_convertvector(w.read<uint32_t>(slot), Lanes<Element>);
  }
}

template <Space SPACE, class Element, int COUNT, bool WIDE>
void store(Warp& w, const Op& op) {
  const Slot* slots = slots_of<Element, COUNT>(op, op.d);
  use_memory<SPACE>(w, op, sizeof(Element) * COUNT, [&](const Located& located) {
    alignas(64) std::array<std::array<Element, WARP>, COUNT> value;
    for (size_t i = 0; i < COUNT; ++i) {
      value[i] = std::bit_cast<std::array<Element, WARP>>(read_stored<Element, WIDE>(w, slots[i]));
    }
    if (COUNT == 1 && located.base != nullptr &&
        located.pattern.shape == Pattern::Shape::contiguous) {
      std::memcpy(located.base, &value, sizeof(Element) * WARP);
      return;
    }
    for_each_lane(w.active, [&](int lane) {
      std::array<Element, COUNT> one;
      for (size_t i = 0; i < COUNT; ++i) one[i] = value[i][static_cast<size_t>(lane)];
      std::memcpy(located[lane], &one, sizeof one);
    });
  });
}

// --- atomics --------------------------------------------------------------------------------------

template <class T, auto F>
T apply_atomically(std::byte* where, T b, T c) {
  std::atomic_ref<T> target(*reinterpret_cast<T*>(where));
  T old = target.load();
  while (!target.compare_exchange_weak(old, F(old, b, c))) {
  }
  return old;
}

template <Space SPACE, class T, auto F>
void atomic(Warp& w, const Op& op) {
  constexpr bool WIDE = sizeof(T) == 8;
  use_memory<SPACE>(w, op, sizeof(T), [&](const Located& located) {
    const Lanes<T> b = read_stored<T, WIDE>(w, op.b);
    const Lanes<T> c = read_stored<T, WIDE>(w, op.c);
    Lanes<T> old = b;
    for_each_lane(w.active, [&](int lane) {
      old[lane] = apply_atomically<T, F>(located[lane], b[lane], c[lane]);
    });
    if ((op.extra & HAS_RESULT) != 0) write_loaded<T, WIDE>(w, op.d, old);
  });
}

template <Space SPACE, class T>
Execute find_atomic_of(const std::string& operation) {
  if (operation == "add")
    return atomic<SPACE, T, [](T old, T b, T) { return static_cast<T>(old + b); }>;
  if (operation == "exch") return atomic<SPACE, T, [](T, T b, T) { return b; }>;
  if (operation == "min") return atomic<SPACE, T, [](T old, T b, T) { return std::min(old, b); }>;
  if (operation == "max") return atomic<SPACE, T, [](T old, T b, T) { return std::max(old, b); }>;
  if constexpr (std::is_integral_v<T>) {
    if (operation == "cas")
      return atomic<SPACE, T, [](T old, T b, T c) { return old == b ? c : old; }>;
    if (operation == "and")
      return atomic<SPACE, T, [](T old, T b, T) { return static_cast<T>(old & b); }>;
    if (operation == "or")
      return atomic<SPACE, T, [](T old, T b, T) { return static_cast<T>(old | b); }>;
    if (operation == "xor")
      return atomic<SPACE, T, [](T old, T b, T) { return static_cast<T>(old ^ b); }>;
    if (operation == "inc")
      return atomic<SPACE, T,
                    [](T old, T b, T) { return old >= b ? T{0} : static_cast<T>(old + 1); }>;
    if (operation == "dec")
      return atomic<SPACE, T, [](T old, T b, T) {
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
      }>;
  }
  return nullptr;
}

template <Space SPACE>
Execute find_atomic_in(const std::string& operation, const std::string& type) {
  if (type == "u32" || type == "b32") return find_atomic_of<SPACE, uint32_t>(operation);
  if (type == "s32") return find_atomic_of<SPACE, int32_t>(operation);
  if (type == "u64" || type == "b64") return find_atomic_of<SPACE, uint64_t>(operation);
  if (type == "s64") return find_atomic_of<SPACE, int64_t>(operation);
  if (type == "f32") return find_atomic_of<SPACE, float>(operation);
  if (type == "f64") return find_atomic_of<SPACE, double>(operation);
  return nullptr;
}

// --- cp.async -------------------------------------------------------------------------------------

/// cp.async [a], [b], BYTES, source size in c: copies at once. A device may take until the wait that
/// follows; a kernel that reads its data only after that wait cannot tell.
template <uint32_t BYTES>
void async_copy(Warp& w, const Op& op) {
  const Lanes<uint64_t> to = addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset);
  const Lanes<uint64_t> from =
      addresses_of(w, op.b, (op.extra & ADDRESS_B_IN_32) != 0, op.offset_b);
  const bool in_window = to[__builtin_ctz(w.active)] - SHARED_WINDOW < WINDOW_BYTES;
  const Located target =
      locate<Space::shared>(w, op.site + 1, in_window ? to - SHARED_WINDOW : to, BYTES);
  // Lanes that copy nothing (they fill with zeros) read nothing: their address need not be one.
  Lanes<uint32_t> size = BYTES;
  const Lanes<uint32_t> most = BYTES;
  if ((op.extra & HAS_SOURCE_SIZE) != 0) {
    size = w.read<uint32_t>(op.c);
    size = size < most ? size : most;
  }
  const Lanes<uint32_t> none = 0;
  const uint32_t all = w.active;
  const uint32_t reading = all & to_bits(size != none);
  std::array<std::array<std::byte, BYTES>, WARP> data{};
  if (reading != 0) {
    w.set_active(reading);
    const bool whole = (to_bits(size == most) & reading) == reading;
    const Located source = whole ? locate<Space::global>(w, op.site, from, BYTES)
                                 : locate_parts(w, op.site, from, size, BYTES);
    for_each_lane(reading, [&](int lane) {
      std::memcpy(&data[static_cast<size_t>(lane)], source[lane], size[lane]);
    });
    w.set_active(all);
  }
  for_each_lane(
      all, [&](int lane) { std::memcpy(target[lane], &data[static_cast<size_t>(lane)], BYTES); });
}

// --- parameters -----------------------------------------------------------------------------------

/// Every lane reads the launch's parameters; a lane beyond their end reads zero.
template <class Element, bool WIDE>
void load_parameter(Warp& w, const Op& op) {
  const Lanes<uint64_t> address = addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset);
  for (size_t part = 0; part < op.slots->size(); ++part) {
    Lanes<Element> value = 0;
    for_each_lane(w.active, [&](int lane) {
      const uint64_t at = address[lane] + part * sizeof(Element);
      Element one{};
      if (at + sizeof(Element) <= w.block->parameter_bytes)
        std::memcpy(&one, w.block->parameters + at, sizeof one);
      value[lane] = one;
    });
    write_loaded<Element, WIDE>(w, (*op.slots)[part], value);
  }
}

// --- choosing -------------------------------------------------------------------------------------

enum class Direction { load, store };

template <Direction DIRECTION, Space SPACE, class Element, int COUNT, bool WIDE>
constexpr Execute handler() {
  if constexpr (DIRECTION == Direction::load) {
    return load<SPACE, Element, COUNT, WIDE>;
  } else {
    return store<SPACE, Element, COUNT, WIDE>;
  }
}

template <Direction DIRECTION, Space SPACE, class Element, bool WIDE>
Execute find_count(size_t count) {
  if (count == 1) return handler<DIRECTION, SPACE, Element, 1, WIDE>();
  if (count == 2) return handler<DIRECTION, SPACE, Element, 2, WIDE>();
  if (count == 4) return handler<DIRECTION, SPACE, Element, 4, WIDE>();
  if (count == 8) return handler<DIRECTION, SPACE, Element, 8, WIDE>();
  return nullptr;
}

template <Direction DIRECTION, Space SPACE, class Element>
Execute find_width(size_t count, bool wide) {
  if constexpr (sizeof(Element) == 8) {
    return wide ? find_count<DIRECTION, SPACE, Element, true>(count) : nullptr;
  } else {
    // Only single values are loaded into registers wider than themselves.
    if (wide) return count == 1 ? handler<DIRECTION, SPACE, Element, 1, true>() : nullptr;
    return find_count<DIRECTION, SPACE, Element, false>(count);
  }
}

template <Direction DIRECTION, Space SPACE>
Execute find_element(const std::string& type, size_t count, bool wide) {
  if (type == "u8" || type == "b8") return find_width<DIRECTION, SPACE, uint8_t>(count, wide);
  if (type == "s8") return find_width<DIRECTION, SPACE, int8_t>(count, wide);
  if (type == "u16" || type == "b16") return find_width<DIRECTION, SPACE, uint16_t>(count, wide);
  if (type == "s16") return find_width<DIRECTION, SPACE, int16_t>(count, wide);
  if (type == "u32" || type == "b32" || type == "f32")
    return find_width<DIRECTION, SPACE, uint32_t>(count, wide);
  if (type == "s32") return find_width<DIRECTION, SPACE, int32_t>(count, wide);
  if (type == "u64" || type == "b64" || type == "s64" || type == "f64") {
    return find_width<DIRECTION, SPACE, uint64_t>(count, wide);
  }
  return nullptr;
}

template <Direction DIRECTION>
Execute find_space(Space space, const std::string& type, size_t count, bool wide) {
  switch (space) {
    case Space::generic:
      return find_element<DIRECTION, Space::generic>(type, count, wide);
    case Space::shared:
      return find_element<DIRECTION, Space::shared>(type, count, wide);
    case Space::local:
      return find_element<DIRECTION, Space::local>(type, count, wide);
    case Space::global:
    case Space::constant:
      return find_element<DIRECTION, Space::global>(type, count, wide);
  }
  return nullptr;
}

Access access_of(Space space, Access global, Access shared, Access local) {
  if (space == Space::shared) return shared;
  if (space == Space::local) return local;
  if (space == Space::constant) return Access::constant_load;
  return global;
}

}  // namespace

MemoryInstruction find_load(Space space, const std::string& element, size_t count, bool wide) {
  return {find_space<Direction::load>(space, element, count, wide),
          access_of(space, Access::global_load, Access::shared_load, Access::local_load),
          ptx::type_bytes(element) * static_cast<uint32_t>(count)};
}

MemoryInstruction find_store(Space space, const std::string& element, size_t count, bool wide) {
  return {find_space<Direction::store>(space, element, count, wide),
          access_of(space, Access::global_store, Access::shared_store, Access::local_store),
          ptx::type_bytes(element) * static_cast<uint32_t>(count)};
}

MemoryInstruction find_atomic(Space space, const std::string& operation, const std::string& type) {
  Execute execute = nullptr;
  if (space == Space::global) execute = find_atomic_in<Space::global>(operation, type);
  if (space == Space::shared) execute = find_atomic_in<Space::shared>(operation, type);
  if (space == Space::generic) execute = find_atomic_in<Space::generic>(operation, type);
  return {execute,
          access_of(space, Access::global_atomic, Access::shared_atomic, Access::local_store),
          ptx::type_bytes(type)};
}

MemoryInstruction find_async_copy(uint32_t bytes) {
  Execute execute = nullptr;
  if (bytes == 4) execute = async_copy<4>;
  if (bytes == 8) execute = async_copy<8>;
  if (bytes == 16) execute = async_copy<16>;
  return {execute, Access::async_copy, bytes};
}

Execute find_parameter_load(const std::string& type, bool wide) {
  if (type == "u8" || type == "b8")
    return wide ? load_parameter<uint8_t, true> : load_parameter<uint8_t, false>;
  if (type == "s8") return wide ? load_parameter<int8_t, true> : load_parameter<int8_t, false>;
  if (type == "u16" || type == "b16")
    return wide ? load_parameter<uint16_t, true> : load_parameter<uint16_t, false>;
  if (type == "s16") return wide ? load_parameter<int16_t, true> : load_parameter<int16_t, false>;
  if (type == "u32" || type == "b32" || type == "f32") {
    return wide ? load_parameter<uint32_t, true> : load_parameter<uint32_t, false>;
  }
  if (type == "s32") return wide ? load_parameter<int32_t, true> : load_parameter<int32_t, false>;
  if (ptx::type_bytes(type) == 8) return wide ? load_parameter<uint64_t, true> : nullptr;
  return nullptr;
}

}  // namespace simulator

// The host addresses of a warp's access, in any memory. Misaligned and out-of-bounds addresses are faults. Part
// of a level: see level.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/level/lanes.hpp"
#include "simulator/execute/state/worker.hpp"

BEGIN_LEVEL

/// The addresses of one instruction: the values of its register, and an offset that all lanes add. They are added
/// lane by lane only if the sum is needed.
struct Addresses {
  const uint64_t* base;  // one for each lane
  uint64_t offset;

  uint64_t of(int lane) const { return base[lane] + offset; }
  const StoredLanes<uint64_t>& vector() const {
    return *reinterpret_cast<const StoredLanes<uint64_t>*>(base);
  }
  std::array<uint64_t, WARP> sum() const {
    return bits_as<std::array<uint64_t, WARP>>(static_cast<Lanes<uint64_t>>(vector() + offset));
  }
};

/// Storage for addresses that are not in a 64-bit register.
using AddressStorage = Lanes<uint64_t>;

inline Addresses addresses_of(const Warp& w, Slot slot, bool in_32_bits, int64_t offset,
                              AddressStorage& storage) {
  if (in_32_bits) {  // the sum wraps there too
    storage = __builtin_convertvector(read<uint32_t>(w, slot) + static_cast<uint32_t>(offset),
                                      Lanes<uint64_t>);
    return {reinterpret_cast<const uint64_t*>(&storage), 0};
  }
  return {reinterpret_cast<const uint64_t*>(&read<uint64_t>(w, slot)),
          static_cast<uint64_t>(offset)};
}

/// The addresses of an operand that the decoder has read: Op says in which registers they are, and what is added.
inline Addresses addresses_of_a(const Warp& w, const Op& op, AddressStorage& storage) {
  return addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset, storage);
}
inline Addresses addresses_of_b(const Warp& w, const Op& op, AddressStorage& storage) {
  return addresses_of(w, op.b, (op.extra & ADDRESS_B_IN_32) != 0, op.offset_b, storage);
}
inline Addresses addresses_of_e(const Warp& w, const Op& op, AddressStorage& storage) {
  return addresses_of(w, op.e, (op.extra & ADDRESS_E_IN_32) != 0, op.lists->offset_e, storage);
}

/// The host address of each active lane's bytes: base + distance, or lane by lane.
struct Located {
  const Pattern& pattern;
  std::byte* base;  // of the first active lane; nullptr: use `each`
  const std::array<std::byte*, WARP>* each = nullptr;
  uint32_t site;   // of the access
  uint64_t first;  // the first active lane's address in its memory

  std::byte* operator[](int lane) const {
    const auto l = static_cast<size_t>(lane);
    return base != nullptr ? base + pattern.distance[l] : (*each)[l];
  }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_misaligned(const Worker& worker,
                                                                   const Addresses& address,
                                                                   uint32_t active, uint32_t bytes,
                                                                   Access access) {
  int lane = std::countr_zero(active);
  for_each_lane(active, [&](int l) {
    if (address.of(l) % bytes != 0 && address.of(lane) % bytes == 0) lane = l;
  });
  const AddressPlace place = is_shared(access)  ? AddressPlace{.kind = AddressKind::shared}
                             : is_local(access) ? AddressPlace{.kind = AddressKind::local}
                                                : worker.device().memory.place_of(address.of(lane));
  throw WarpFault{{.kind = FaultKind::misaligned,
                   .address = address.of(lane),
                   .place = place,
                   .alignment = bytes},
                  lane};
}

/// Returns the pattern of the warp's access. Checks the alignment of its lanes.
template <uint32_t BYTES>
const Pattern& recognise(const Warp& w, uint32_t site, const Addresses& address, uint64_t first,
                         uint32_t phase) {
  Worker& worker = *w.block->worker;
  const Lanes<int64_t> distance = bits_as<Lanes<int64_t>>(
      static_cast<Lanes<uint64_t>>(address.vector() - (first - address.offset)));
  const Pattern* pattern = worker.sites[site].patterns[phase / 4];
  const bool same = pattern != nullptr && pattern->active == w.active && pattern->phase == phase &&
                    (to_bits(*reinterpret_cast<const StoredLanes<int64_t>*>(
                                 pattern->distance.data()) == distance) &
                     w.active) == w.active;
  if (!same) [[unlikely]] {
    pattern = &worker.price(site, bits_as<std::array<int64_t, WARP>>(distance), first, w.active);
  }
  if (!pattern->aligned || first % BYTES != 0) [[unlikely]]
    fail_misaligned(worker, address, w.active, BYTES, worker.program.sites[site].access);
  return *pattern;
}

/// Throws WarpFault unless all lanes' bytes lie within the `limit` bytes of the memory of this kind.
inline void check_limit(const Pattern& pattern, const Addresses& address, uint64_t first,
                        uint64_t limit, AddressKind kind) {
  const uint64_t from = first + static_cast<uint64_t>(pattern.lowest);
  const uint64_t to = first + static_cast<uint64_t>(pattern.highest);
  if (from <= to && to <= limit) [[likely]]
    return;
  const auto inside = [&](int lane) {
    return address.of(lane) <= limit && address.of(lane) + pattern.bytes <= limit;
  };
  int lane = pattern.first_lane;
  for_each_lane(pattern.active, [&](int l) {
    if (inside(lane) && !inside(l)) lane = l;
  });
  // An address in shared memory has 32 bits, so an address before shared memory wraps.
  const bool is_before = kind == AddressKind::shared && address.of(lane) >= uint64_t{1} << 31;
  throw WarpFault{
      {.kind = FaultKind::out_of_bounds,
       .address = address.of(lane),
       .place = {.kind = is_before ? AddressKind::before_shared : kind, .bytes = limit}},
      lane};
}

/// Returns the place of a lane's bytes in the shared memory of a block of the cluster. Throws WarpFault if they are in none.
inline SharedPlace place_in_cluster(const Warp& w, uint64_t address, int lane, uint64_t bytes,
                                    uint64_t alignment) {
  const ClusterContext& cluster = *w.block->cluster;
  if (address - SHARED_WINDOW < WINDOW_BYTES) address -= SHARED_WINDOW;
  const uint64_t rank_plus_one = address >> CLUSTER_RANK_SHIFT;
  const uint64_t limit = w.block->shared_bytes;  // of all blocks
  // Without clusters, an address far beyond shared memory is most likely just that.
  const bool may_have_rank =
      cluster.is_explicit || rank_plus_one == 1 || (address & CLUSTER_OFFSET_MASK) < limit;
  const bool has_rank = rank_plus_one != 0 && rank_plus_one < MOST_RANKS && may_have_rank;
  const SharedPlace place{w.block, has_rank ? address & CLUSTER_OFFSET_MASK : address};
  if (place.offset % alignment != 0) {
    throw WarpFault{{.kind = FaultKind::misaligned,
                     .address = place.offset,
                     .place = {.kind = AddressKind::shared, .bytes = limit},
                     .alignment = static_cast<uint32_t>(alignment)},
                    lane};
  }
  if (has_rank && rank_plus_one > cluster.size()) {
    throw WarpFault{{.kind = FaultKind::out_of_bounds,
                     .address = place.offset,
                     .place = {.kind = AddressKind::cluster,
                               .distance = rank_plus_one - 1,
                               .bytes = cluster.size()}},
                    lane};
  }
  if (place.offset > limit || bytes > limit - place.offset) {
    // An address in shared memory has 32 bits, so an address before shared memory wraps.
    const bool is_before = place.offset >= uint64_t{1} << 31;
    throw WarpFault{{.kind = FaultKind::out_of_bounds,
                     .address = is_before ? place.offset : std::max(place.offset, limit),
                     .place = {.kind = is_before ? AddressKind::before_shared : AddressKind::shared,
                               .bytes = limit}},
                    lane};
  }
  return {has_rank ? cluster.blocks[rank_plus_one - 1] : w.block, place.offset};
}

/// Locates an access to shared memory of which lanes name other blocks of the cluster, or their own by its rank.
[[gnu::noinline]] inline void locate_in_cluster(const Warp& w, const Pattern& pattern,
                                                const Addresses& address) {
  auto& each = w.block->worker->lane_pointers;
  for_each_lane(w.active, [&](int lane) {
    each[static_cast<size_t>(lane)] =
        place_in_cluster(w, address.of(lane), lane, pattern.bytes, 1).host();
  });
}

/// Locates an access to the block's own shared memory.
template <typename Observer, uint32_t BYTES>
Located locate_shared(const Warp& w, uint32_t site, const Addresses& address) {
  const uint64_t first = address.of(std::countr_zero(w.active));
  const Pattern& pattern = recognise<BYTES>(w, site, address, first, 0);
  check_limit(pattern, address, first, w.block->shared_bytes, AddressKind::shared);
  Observer::access(*w.block->worker, site, pattern);
  return {pattern, w.block->shared + first, nullptr, site, first};
}

/// Locates an access to the shared memory of blocks of the cluster.
template <typename Observer, uint32_t BYTES>
Located locate_cluster_shared(const Warp& w, uint32_t site, const Addresses& address) {
  const uint64_t first = address.of(std::countr_zero(w.active));
  const Pattern& pattern = recognise<BYTES>(w, site, address, first, 0);
  const uint64_t from = first + static_cast<uint64_t>(pattern.lowest);
  const uint64_t to = first + static_cast<uint64_t>(pattern.highest);
  const bool is_own = from <= to && to <= w.block->shared_bytes;
  const bool has_ranks = !is_own && (from | to) >> CLUSTER_RANK_SHIFT != 0;
  if (has_ranks) [[unlikely]] {
    locate_in_cluster(w, pattern, address);
  } else if (!is_own) [[unlikely]] {
    check_limit(pattern, address, first, w.block->shared_bytes, AddressKind::shared);
  }
  Observer::access(*w.block->worker, site, pattern);
  return {pattern, has_ranks ? nullptr : w.block->shared + first, &w.block->worker->lane_pointers,
          site, first};
}

template <typename Observer, uint32_t BYTES>
Located locate_local(const Warp& w, uint32_t site, const Addresses& address) {
  const uint64_t first = address.of(std::countr_zero(w.active));
  const Pattern& pattern = recognise<BYTES>(w, site, address, first, 0);
  check_limit(pattern, address, first, w.block->local_bytes, AddressKind::local);
  Observer::access(*w.block->worker, site, pattern);
  auto& each = w.block->worker->lane_pointers;
  for_each_lane(w.active, [&](int lane) {
    each[static_cast<size_t>(lane)] =
        w.local + static_cast<size_t>(lane) * w.block->local_bytes + address.of(lane);
  });
  return {pattern, nullptr, &each, site, first};
}

template <typename Observer, uint32_t BYTES>
Located locate_global(const Warp& w, uint32_t site, const Addresses& address) {
  Worker& worker = *w.block->worker;
  const uint64_t first = address.of(std::countr_zero(w.active));
  const Pattern& pattern =
      recognise<BYTES>(w, site, address, first, phase_of(Access::global_load, first));
  const Allocation* const allocation = worker.sites[site].allocation;
  // A kernel may have freed the allocation meanwhile, if it comes from malloc.
  const bool same = allocation != nullptr && allocation->live &&
                    allocation->contains(first + static_cast<uint64_t>(pattern.lowest),
                                         first + static_cast<uint64_t>(pattern.highest));
  std::byte* const base = same ? allocation->host + (first - allocation->base)
                               : worker.locate(site, pattern, address.sum());
  Observer::access(worker, site, pattern);
  return {pattern, base, &worker.lane_pointers, site, first};
}

/// Locates an access to global memory in which a lane may need fewer bytes than the width. Only the needed bytes
/// must be inside an allocation.
template <typename Observer, uint32_t BYTES>
Located locate_parts(const Warp& w, uint32_t site, const Addresses& address,
                     const Lanes<uint32_t>& bytes) {
  Worker& worker = *w.block->worker;
  const uint64_t first = address.of(std::countr_zero(w.active));
  const Pattern& pattern =
      recognise<BYTES>(w, site, address, first, phase_of(Access::async_copy, first));
  worker.locate_parts(site, pattern, address.sum(), bits_as<std::array<uint32_t, WARP>>(bytes));
  Observer::access(worker, site, pattern);
  return {pattern, nullptr, &worker.lane_pointers, site, first};
}

/// Throws WarpFault: a lane writes to the kernel's parameters, or reads beyond them.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_at_parameters(const Warp& w,
                                                                      const Addresses& address,
                                                                      int lane) {
  throw WarpFault{{.kind = FaultKind::out_of_bounds,
                   .address = address.of(lane) - PARAMETER_WINDOW,
                   .place = {.kind = AddressKind::parameters, .bytes = w.block->parameter_bytes}},
                  lane};
}

/// Calls use(located) for each space in turn, with only its lanes active. A generic address tells its space by
/// its value, lane by lane.
template <typename Observer, uint32_t BYTES, typename Use>
void use_generic(Warp& w, const Op& op, const Addresses& address, Use&& use) {
  const Lanes<uint64_t> all = address.vector() + address.offset;
  const uint32_t lanes = w.active;
  const uint32_t shared = lanes & to_bits(all - SHARED_WINDOW < WINDOW_BYTES);
  const uint32_t local = lanes & to_bits(all - LOCAL_WINDOW < WINDOW_BYTES);
  const uint32_t global = lanes & ~shared & ~local;
  // Loads of parameters were done earlier (memory_handlers.hpp).
  const uint32_t parameters = lanes & to_bits(all - PARAMETER_WINDOW < WINDOW_BYTES);
  if (parameters != 0) [[unlikely]]
    fail_at_parameters(w, address, std::countr_zero(parameters));
  const auto in = [&](uint32_t some, auto&& locate) {
    if (some == 0) return;
    if (some != lanes) set_active(w, some);
    use(locate());
    if (some != lanes) set_active(w, lanes);
  };
  in(global, [&] { return locate_global<Observer, BYTES>(w, op.site(Site::global), address); });
  in(shared, [&] {
    return locate_cluster_shared<Observer, BYTES>(w, op.site(Site::shared),
                                                  {address.base, address.offset - SHARED_WINDOW});
  });
  in(local, [&] {
    return locate_local<Observer, BYTES>(w, op.site(Site::local),
                                         {address.base, address.offset - LOCAL_WINDOW});
  });
}

/// Calls use(located) for the access of `op`, BYTES a lane.
template <typename Observer, Space SPACE, uint32_t BYTES, typename Use>
void use_memory(Warp& w, const Op& op, Use&& use) {
  AddressStorage storage;
  const Addresses address = addresses_of_a(w, op, storage);
  if constexpr (SPACE == Space::generic) {
    use_generic<Observer, BYTES>(w, op, address, use);
  } else if constexpr (SPACE == Space::shared) {
    use(locate_cluster_shared<Observer, BYTES>(w, op.site(Site::shared), address));
  } else if constexpr (SPACE == Space::local) {
    use(locate_local<Observer, BYTES>(w, op.site(Site::local), address));
  } else {
    use(locate_global<Observer, BYTES>(w, op.site(Site::global), address));
  }
}

END_LEVEL

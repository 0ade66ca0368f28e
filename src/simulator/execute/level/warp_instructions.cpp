#include "simulator/execute/level/warp_instructions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "simulator/decode/opcodes.hpp"
#include "simulator/execute/watch/lane_hazards.hpp"
#include "simulator/execute/watch/observer.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/progress.hpp"

BEGIN_LEVEL
namespace {

// --- shuffles and votes -----------------------------------------------------------------------------

enum class Shuffle { up, down, butterfly, index };

// shfl.sync d|p, a, b, c: lane l reads a of the lane that b names, within the segment that c sets. By the PTX
// manual, c holds the segment's clamp in bits 0-4 and its mask in bits 8-12.
template <Shuffle MODE>
void shuffle(Warp& w, const Op& op) {
  const Lanes<uint32_t> a = read<uint32_t>(w, op.a);
  const Lanes<int32_t> delta = read<int32_t>(w, op.b) & 31;
  const Lanes<int32_t> c = read<int32_t>(w, op.c);
  const Lanes<int32_t> clamp = c & 31, segment = c >> 8 & 31;
  const Lanes<int32_t> lowest = LANE_NUMBERS & segment, highest = lowest | (clamp & ~segment);
  Lanes<int32_t> from{}, valid{};
  switch (MODE) {
    case Shuffle::up:
      from = LANE_NUMBERS - delta;
      valid = from >= highest;
      break;
    case Shuffle::down:
      from = LANE_NUMBERS + delta;
      valid = from <= highest;
      break;
    case Shuffle::butterfly:
      from = LANE_NUMBERS ^ delta;
      valid = from <= highest;
      break;
    case Shuffle::index:
      from = lowest | (delta & ~segment);
      valid = from <= highest;
      break;
  }
  from = (valid ? from : LANE_NUMBERS) & 31;
  Lanes<uint32_t> result;
  for (int lane = 0; lane < WARP; ++lane) result[lane] = a[from[lane]];
  for_each_lane(w.active, [&](int lane) { w.sources[static_cast<size_t>(lane)] = from[lane]; });
  const uint32_t in_range = to_bits(valid);
  write<uint32_t>(w, op.d, result);
  if (op.lists != nullptr) write_predicate(w, op.lists->d[1], in_range);
}

// Returns for each lane the lanes that it votes with: the lanes of its member mask that execute the vote. Lanes
// with different masks, such as the tiles of a warp, vote separately.
Lanes<uint32_t> voters(const Warp& w, const Op& op) { return read<uint32_t>(w, op.b) & w.active; }

// Returns the voters whose predicate holds.
Lanes<uint32_t> votes(const Warp& w, const Op& op) { return voters(w, op) & w.predicates[op.a]; }

void ballot(Warp& w, const Op& op) { write<uint32_t>(w, op.d, votes(w, op)); }
void vote_any(Warp& w, const Op& op) { write_predicate(w, op.d, to_bits(votes(w, op) != 0)); }
void vote_all(Warp& w, const Op& op) {
  write_predicate(w, op.d, to_bits(votes(w, op) == voters(w, op)));
}
void vote_uniform(Warp& w, const Op& op) {
  const Lanes<uint32_t> yes = votes(w, op);
  write_predicate(w, op.d, to_bits((yes == 0) | (yes == voters(w, op))));
}

void active_mask(Warp& w, const Op& op) {
  const Lanes<uint32_t> all = w.active;
  write<uint32_t>(w, op.d, all);
}

// redux.sync: over the lanes of each lane's member mask, as a vote.
template <typename T, auto F>
void reduce(Warp& w, const Op& op) {
  const Lanes<T> a = read<T>(w, op.a);
  const Lanes<uint32_t> members = voters(w, op);
  Lanes<T> result = a;
  for_each_lane(w.active, [&](int lane) {
    T sum = a[lane];
    for_each_lane(members[lane] & ~(1u << lane), [&](int other) { sum = F(sum, a[other]); });
    result[lane] = sum;
  });
  write<T>(w, op.d, result);
}

// match.any.sync: the lanes of the member mask that hold the same value.
template <typename T>
void match_any(Warp& w, const Op& op) {
  const Lanes<T> a = read<T>(w, op.a);
  const Lanes<uint32_t> members = voters(w, op);
  Lanes<uint32_t> result = 0;
  for_each_lane(w.active, [&](int lane) {
    for_each_lane(members[lane], [&](int other) {
      if (a[lane] == a[other]) result[lane] |= 1u << other;
    });
  });
  write<uint32_t>(w, op.d, result);
}

// match.all.sync d|p: all lanes of the member mask if they hold one value, else none.
template <typename T>
void match_all(Warp& w, const Op& op) {
  const Lanes<T> a = read<T>(w, op.a);
  const Lanes<uint32_t> members = voters(w, op);
  Lanes<uint32_t> result = 0;
  uint32_t same = 0;
  for_each_lane(w.active, [&](int lane) {
    bool all = true;
    for_each_lane(members[lane], [&](int other) { all &= a[lane] == a[other]; });
    if (!all) return;
    result[lane] = members[lane];
    same |= 1u << lane;
  });
  write<uint32_t>(w, op.d, result);
  if (op.lists != nullptr) write_predicate(w, op.lists->d[1], same);
}

// elect.sync d|p: the first lane of the member mask is the leader. d is its number, and p is true in it alone.
void elect(Warp& w, const Op& op) {
  const Lanes<uint32_t> members = read<uint32_t>(w, op.a) & w.active;
  Lanes<uint32_t> leader = 0;
  uint32_t is_leader = 0;
  for_each_lane(w.active, [&](int lane) {
    leader[lane] = static_cast<uint32_t>(std::countr_zero(members[lane]));
    if (leader[lane] == static_cast<uint32_t>(lane)) is_leader |= 1u << lane;
  });
  if ((op.extra & HAS_RESULT) != 0) write<uint32_t>(w, op.d, leader);
  write_predicate(w, op.lists->d[1], is_leader);
}

// isspacep: true if a generic address is in shared, local or global memory.
template <uint64_t WINDOW>
void is_in_window(Warp& w, const Op& op) {
  write_predicate(w, op.d, to_bits(read<uint64_t>(w, op.a) - WINDOW < WINDOW_BYTES));
}
// True if the address is in the thread's own block, without a rank or with that block's.
void is_in_own_block(Warp& w, const Op& op) {
  const Lanes<uint64_t> address = read<uint64_t>(w, op.a) - SHARED_WINDOW;
  const Lanes<uint64_t> rank = address >> static_cast<uint64_t>(CLUSTER_RANK_SHIFT);
  write_predicate(w, op.d, to_bits((rank == 0) | (rank == uint64_t{w.block->rank} + 1)));
}
void is_global(Warp& w, const Op& op) {
  const Lanes<uint64_t> a = read<uint64_t>(w, op.a);
  write_predicate(w, op.d,
                  to_bits((a - SHARED_WINDOW >= WINDOW_BYTES) & (a - LOCAL_WINDOW >= WINDOW_BYTES) &
                          (a - PARAMETER_WINDOW >= WINDOW_BYTES)));
}

// __syncwarp. The lanes have already reconverged: BasicBlock::gathers.
void meet(Warp& w, const Op& op) {
  if (Watch::looks_for_hazards(w)) Watch::meet(w, lanes_of<uint32_t>(w, op.d));
}

// --- the grid's barrier -------------------------------------------------------------------------------

void is_grid_valid(Warp& w, const Op& op) {
  const Lanes<uint32_t> valid = w.block->worker->launch.grid.is_valid() ? 1 : 0;
  write<uint32_t>(w, op.d, valid);
}

// One thread arrives for its block. The result is the phase to wait for.
void arrive_at_grid(Warp& w, const Op& op) {
  BlockContext& block = *w.block;
  GridBarrier& grid = block.worker->launch.grid;
  if (!grid.is_valid())
    throw WarpFault{{.kind = FaultKind::no_cooperative_launch}, std::countr_zero(w.active)};
  Lanes<uint32_t> phase = 0;
  for_each_lane(w.active, [&](int lane) {
    phase[lane] = block.grid_arrivals++;
    if (block.hazards != nullptr) block.hazards->order.arrive_at_grid(phase[lane]);
    if (grid.arrive()) ++w.changes;  // others may go on
  });
  write<uint32_t>(w, op.d, phase);
}

[[noreturn]] void trap(Warp& w, const Op&) {
  throw WarpFault{{.kind = FaultKind::trap}, __builtin_ctz(w.active)};
}

// --- clusters ---------------------------------------------------------------------------------------

// mapa d, a, b: the address of the same place in the block with rank b. WINDOW: of generic addresses, else 0.
template <typename T, uint64_t WINDOW>
void map_to_block(Warp& w, const Op& op) {
  const Lanes<T> offset =
      (read<T>(w, op.a) - static_cast<T>(WINDOW)) & static_cast<T>(CLUSTER_OFFSET_MASK);
  // A device reads 8 bits. The last rank has no place of its own here: rank + 1 must fit into 8 bits.
  Lanes<T> rank =
      __builtin_convertvector(read<uint32_t>(w, op.b), Lanes<T>) & static_cast<T>(MOST_RANKS - 1);
  rank -= (rank + 1) / static_cast<T>(MOST_RANKS);
  write<T>(w, op.d,
           static_cast<T>(WINDOW) + ((rank + 1) << static_cast<T>(CLUSTER_RANK_SHIFT) | offset));
}

// getctarank d, a: the rank of the block in whose shared memory the address lies.
template <typename T, uint64_t WINDOW>
void rank_of_address(Warp& w, const Op& op) {
  const Lanes<T> rank =
      (read<T>(w, op.a) - static_cast<T>(WINDOW)) >> static_cast<T>(CLUSTER_RANK_SHIFT);
  const Lanes<uint32_t> plus_one = __builtin_convertvector(rank, Lanes<uint32_t>);
  const Lanes<uint32_t> own = w.block->rank + 1;
  write<uint32_t>(w, op.d, (plus_one == 0 ? own : plus_one) - 1);
}

// barrier.cluster.arrive. A relaxed arrival orders no memory accesses.
template <bool RELAXED>
void arrive_at_cluster(Warp& w, const Op& op) {
  BlockContext& block = *w.block;
  if (Watch::looks_for_hazards(w)) {
    check_cluster_arrival(w, op.instruction, block.unwaited[w.number] & w.active);
    for_each_lane(w.active, [&](int lane) {
      block.hazards->order.arrive_at_cluster(w.first_thread + static_cast<uint32_t>(lane), RELAXED);
    });
  }
  block.unwaited[w.number] |= w.active;
  block.cluster->arrive(block, w.number, w.active);
}

void is_explicit_cluster(Warp& w, const Op& op) {
  write_predicate(w, op.d, w.block->cluster->is_explicit ? ~0u : 0);
}

// --- special registers ------------------------------------------------------------------------------

enum class Special {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  clock,
  clock_high,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  dynamic_smem_size,
  total_smem_size,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
};

uint64_t nanoseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

uint64_t special_value(const Warp& w, Special which, uint32_t lane) {
  const BlockContext& b = *w.block;
  const uint32_t thread = w.first_thread + lane;
  const uint32_t bit = 1u << lane;
  switch (which) {
    case Special::tid_x:
      return thread % b.block_size.x;
    case Special::tid_y:
      return thread / b.block_size.x % b.block_size.y;
    case Special::tid_z:
      return thread / b.block_size.x / b.block_size.y;
    case Special::ntid_x:
      return b.block_size.x;
    case Special::ntid_y:
      return b.block_size.y;
    case Special::ntid_z:
      return b.block_size.z;
    case Special::ctaid_x:
      return b.block.x;
    case Special::ctaid_y:
      return b.block.y;
    case Special::ctaid_z:
      return b.block.z;
    case Special::nctaid_x:
      return b.grid.x;
    case Special::nctaid_y:
      return b.grid.y;
    case Special::nctaid_z:
      return b.grid.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return w.number;
    case Special::nwarpid:
      return (b.block_size.count() + WARP - 1) / WARP;
    // Blocks have no multiprocessor here. Their number stands for one, so that results repeat.
    case Special::smid:
      return (b.block.x + uint64_t{b.grid.x} * b.block.y) %
             static_cast<uint64_t>(device_limits().multiprocessors);
    case Special::nsmid:
      return static_cast<uint64_t>(device_limits().multiprocessors);
    case Special::gridid:
      return 1;
    case Special::clock:
      return nanoseconds_now();
    case Special::clock_high:
      return nanoseconds_now() >> 32;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_gt:
      return ~(bit | (bit - 1));
    case Special::lanemask_ge:
      return ~(bit - 1);
    case Special::dynamic_smem_size:
      return b.dynamic_shared;
    case Special::total_smem_size:
      return b.shared_bytes;
    case Special::clusterid_x:
      return b.cluster->number.x;
    case Special::clusterid_y:
      return b.cluster->number.y;
    case Special::clusterid_z:
      return b.cluster->number.z;
    case Special::nclusterid_x:
      return b.grid.x / b.cluster->shape.x;
    case Special::nclusterid_y:
      return b.grid.y / b.cluster->shape.y;
    case Special::nclusterid_z:
      return b.grid.z / b.cluster->shape.z;
    case Special::cluster_ctaid_x:
      return b.block.x % b.cluster->shape.x;
    case Special::cluster_ctaid_y:
      return b.block.y % b.cluster->shape.y;
    case Special::cluster_ctaid_z:
      return b.block.z % b.cluster->shape.z;
    case Special::cluster_nctaid_x:
      return b.cluster->shape.x;
    case Special::cluster_nctaid_y:
      return b.cluster->shape.y;
    case Special::cluster_nctaid_z:
      return b.cluster->shape.z;
    case Special::cluster_ctarank:
      return b.rank;
    case Special::cluster_nctarank:
      return b.cluster->size();
  }
  return 0;
}

// True if the lanes of a warp have different values. `is_one_row`: they have one threadIdx.y and one threadIdx.z.
bool differs_by_lane(Special which, bool is_one_row) {
  switch (which) {
    case Special::tid_x:
    case Special::laneid:
    case Special::lanemask_eq:
    case Special::lanemask_lt:
    case Special::lanemask_le:
    case Special::lanemask_gt:
    case Special::lanemask_ge:
      return true;
    case Special::tid_y:
    case Special::tid_z:
      return !is_one_row;
    default:
      return false;
  }
}

template <typename T>
void read_special(Warp& w, const Op& op) {
  const auto which = static_cast<Special>(op.extra);
  const uint32_t row = w.block->block_size.x, first = w.first_thread % row;
  const bool is_one_row = row - first >= WARP;
  Lanes<T> value;
  if (which == Special::tid_x && is_one_row) {
    for (uint32_t lane = 0; lane < WARP; ++lane) value[lane] = static_cast<T>(first + lane);
  } else if (differs_by_lane(which, is_one_row)) {
    for (uint32_t lane = 0; lane < WARP; ++lane)
      value[lane] = static_cast<T>(special_value(w, which, lane));
  } else {
    value = static_cast<T>(special_value(w, which, 0));
  }
  write<T>(w, op.d, value);
}

// --- packing ----------------------------------------------------------------------------------------

// mov.b64 d, {lo, hi} and similar. PART_BITS: bits of one part.
template <typename Whole, int PARTS>
void pack(Warp& w, const Op& op) {
  constexpr int PART_BITS = 8 * static_cast<int>(sizeof(Whole)) / PARTS;
  Lanes<Whole> whole = 0;
  for (int i = 0; i < PARTS; ++i) {
    const Lanes<Whole> part = __builtin_convertvector(
        read<uint32_t>(w, op.lists->d[static_cast<size_t>(i)]), Lanes<Whole>);
    whole |= part << static_cast<Whole>(i * PART_BITS);
  }
  write<Whole>(w, op.d, whole);
}

template <typename Whole, int PARTS>
void unpack(Warp& w, const Op& op) {
  constexpr int PART_BITS = 8 * static_cast<int>(sizeof(Whole)) / PARTS;
  constexpr Whole MASK = (Whole{1} << PART_BITS) - 1;
  const Lanes<Whole> whole = read<Whole>(w, op.a);
  for (int i = 0; i < PARTS; ++i) {
    const Slot to = op.lists->d[static_cast<size_t>(i)];
    if (to == DROPPED) continue;
    const Lanes<Whole> part = whole >> static_cast<Whole>(i * PART_BITS) & MASK;
    write<uint32_t>(w, to, __builtin_convertvector(part, Lanes<uint32_t>));
  }
}

// --- printf -----------------------------------------------------------------------------------------

// Returns the host's bytes at a generic address of one lane, up to the end of the same memory; empty if there are
// none.
std::string_view bytes_at(const Warp& w, uint64_t address, int lane) {
  const BlockContext& b = *w.block;
  if (address - LOCAL_WINDOW < b.local_bytes) {
    const std::byte* mine = w.local + static_cast<size_t>(lane) * b.local_bytes;
    return {reinterpret_cast<const char*>(mine) + (address - LOCAL_WINDOW),
            b.local_bytes - (address - LOCAL_WINDOW)};
  }
  if (address - SHARED_WINDOW < b.shared_bytes) {
    return {reinterpret_cast<const char*>(b.shared) + (address - SHARED_WINDOW),
            b.shared_bytes - (address - SHARED_WINDOW)};
  }
  const Allocation* allocation = b.worker->device().memory.find(address);
  if (allocation == nullptr) return {};
  return {reinterpret_cast<const char*>(allocation->host) + (address - allocation->base),
          allocation->bytes - (address - allocation->base)};
}

std::string_view string_at(const Warp& w, uint64_t address, int lane) {
  const std::string_view bytes = bytes_at(w, address, lane);
  return bytes.substr(0, bytes.find('\0'));
}

template <typename T>
T take_argument(std::string_view arguments, size_t& at) {
  at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  T value{};
  if (at + sizeof(T) <= arguments.size()) std::memcpy(&value, arguments.data() + at, sizeof value);
  at += sizeof(T);
  return value;
}

template <typename T>
std::string format_one(const std::string& conversion, T value) {
  std::array<char, 512> text;
  const int length = std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  return std::string(text.data(),
                     static_cast<size_t>(std::clamp(length, 0, static_cast<int>(text.size()) - 1)));
}

// Formats one lane's printf. The host's snprintf gets each conversion with its type. Sets `count` to the number
// of arguments used.
std::string format_lane(const Warp& w, std::string_view format, std::string_view arguments,
                        int lane, uint32_t& count) {
  std::string text;
  size_t next = 0;
  count = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (format.substr(i, 2) == "%%") {
      text += '%';
      ++i;
      continue;
    }
    const size_t end = format.find_first_of("diouxXcsfFeEgGaAp", i + 1);
    if (end == std::string_view::npos) break;
    std::string conversion;
    bool is_long = false;
    ++count;
    for (const char c : format.substr(i, end + 1 - i)) {
      is_long |= c == 'l' || c == 'z' || c == 'j' || c == 't';
      if (c == '*') {
        ++count;
        conversion += std::to_string(take_argument<int32_t>(arguments, next));
      } else if (std::strchr("lhzjt", c) == nullptr) {
        conversion += c;
      }
    }
    const char kind = conversion.back();
    if (std::strchr("fFeEgGaA", kind) != nullptr) {
      text += format_one(conversion, take_argument<double>(arguments, next));
    } else if (kind == 's') {
      text += format_one(
          conversion,
          std::string(string_at(w, take_argument<uint64_t>(arguments, next), lane)).c_str());
    } else if (kind == 'p') {
      text +=
          format_one(conversion, reinterpret_cast<void*>(take_argument<uint64_t>(arguments, next)));
    } else if (is_long) {
      conversion.insert(conversion.size() - 1, "ll");
      text += format_one(conversion, take_argument<long long>(arguments, next));
    } else {
      text += format_one(conversion, take_argument<int32_t>(arguments, next));
    }
    i = end;
  }
  return text;
}

// vprintf: a holds the format's address, b the address of the packed arguments.
void execute_vprintf(Warp& w, const Op& op) {
  const Lanes<uint64_t> format = read<uint64_t>(w, op.a);
  const Lanes<uint64_t> arguments = read<uint64_t>(w, op.b);
  std::string text;
  Lanes<uint32_t> result = 0;
  for_each_lane(w.active, [&](int lane) {
    uint32_t count = 0;
    text += format_lane(w, string_at(w, format[lane], lane), bytes_at(w, arguments[lane], lane),
                        lane, count);
    result[lane] = count;
  });
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const HiddenProgress hidden;
  std::fwrite(text.data(), 1, text.size(), stdout);
  write<uint32_t>(w, op.d, result);
}

// --- the heap ---------------------------------------------------------------------------------------

void execute_malloc(Warp& w, const Op& op) {
  Device& device = w.block->worker->device();
  const Lanes<uint64_t> bytes = read<uint64_t>(w, op.a);
  Lanes<uint64_t> result = 0;
  for_each_lane(w.active, [&](int lane) {
    result[lane] = device.memory.allocate_from_heap(bytes[lane]);
    if (result[lane] != 0 && Watch::looks_for_hazards(w))
      device.shadow.allocated(result[lane], bytes[lane], false);
  });
  ++w.changes;
  write<uint64_t>(w, op.d, result);
}

void execute_free(Warp& w, const Op& op) {
  Device& device = w.block->worker->device();
  DeviceMemory& memory = device.memory;
  const Lanes<uint64_t> address = read<uint64_t>(w, op.d);
  ++w.changes;
  for_each_lane(w.active, [&](int lane) {
    if (address[lane] == 0) return;
    if (memory.release_from_heap(address[lane])) return device.shadow.released(address[lane]);
    const bool was_freed = memory.was_freed(address[lane]);
    throw WarpFault{{.kind = was_freed ? FaultKind::use_after_free : FaultKind::out_of_bounds,
                     .address = address[lane],
                     .place = memory.place_of(address[lane])},
                    lane};
  });
}

// A failed assert(): d, a, b, c hold message, file, line and function, as in the C library.
[[noreturn]] void fail_assert(Warp& w, const Op& op) {
  const int lane = __builtin_ctz(w.active);
  const auto text = [&](Slot slot) {
    return std::string(string_at(w, read<uint64_t>(w, slot)[lane], lane));
  };
  throw WarpFault{
      {.kind = FaultKind::failed_assert,
       .assertion = {text(op.d), text(op.a), text(op.c), read<uint32_t>(w, op.b)[lane]}},
      lane};
}

}  // namespace

WarpInstruction find_warp_instruction(const std::vector<std::string>& opcode) {
  static const std::map<std::string, WarpInstruction, std::less<>> table = {
      {"shfl.sync.up.b32",
       {shuffle<Shuffle::up>, InstructionKind::warp, {"b32", "b32", "u32", "u32", "u32"}}},
      {"shfl.sync.down.b32",
       {shuffle<Shuffle::down>, InstructionKind::warp, {"b32", "b32", "u32", "u32", "u32"}}},
      {"shfl.sync.bfly.b32",
       {shuffle<Shuffle::butterfly>, InstructionKind::warp, {"b32", "b32", "u32", "u32", "u32"}}},
      {"shfl.sync.idx.b32",
       {shuffle<Shuffle::index>, InstructionKind::warp, {"b32", "b32", "u32", "u32", "u32"}}},
      {"vote.sync.ballot.b32", {ballot, InstructionKind::warp, {"b32", "pred", "u32"}}},
      {"vote.sync.any.pred", {vote_any, InstructionKind::warp, {"pred", "pred", "u32"}}},
      {"vote.sync.all.pred", {vote_all, InstructionKind::warp, {"pred", "pred", "u32"}}},
      {"vote.sync.uni.pred", {vote_uniform, InstructionKind::warp, {"pred", "pred", "u32"}}},
      {"activemask.b32", {active_mask, InstructionKind::warp, {"b32"}}},
      {"match.any.sync.b32", {match_any<uint32_t>, InstructionKind::warp, {"b32", "b32", "u32"}}},
      {"match.any.sync.b64", {match_any<uint64_t>, InstructionKind::warp, {"b32", "b64", "u32"}}},
      {"match.all.sync.b32", {match_all<uint32_t>, InstructionKind::warp, {"b32", "b32", "u32"}}},
      {"match.all.sync.b64", {match_all<uint64_t>, InstructionKind::warp, {"b32", "b64", "u32"}}},
      {"elect.sync", {elect, InstructionKind::warp, {"b32", "u32"}}},
      {"isspacep.shared", {is_in_own_block, InstructionKind::warp, {"pred", "u64"}}},
      {"isspacep.shared::cta", {is_in_own_block, InstructionKind::warp, {"pred", "u64"}}},
      {"isspacep.shared::cluster",
       {is_in_window<SHARED_WINDOW>, InstructionKind::warp, {"pred", "u64"}}},
      {"mapa.u64",
       {map_to_block<uint64_t, SHARED_WINDOW>, InstructionKind::integer, {"u64", "u64", "u32"}}},
      {"mapa.shared::cluster.u32",
       {map_to_block<uint32_t, 0>, InstructionKind::integer, {"u32", "u32", "u32"}}},
      {"mapa.shared::cluster.u64",
       {map_to_block<uint64_t, 0>, InstructionKind::integer, {"u64", "u64", "u32"}}},
      {"getctarank.u64",
       {rank_of_address<uint64_t, SHARED_WINDOW>, InstructionKind::integer, {"u32", "u64"}}},
      {"getctarank.shared::cluster.u32",
       {rank_of_address<uint32_t, 0>, InstructionKind::integer, {"u32", "u32"}}},
      {"getctarank.shared::cluster.u64",
       {rank_of_address<uint64_t, 0>, InstructionKind::integer, {"u32", "u64"}}},
      {"%is_explicit_cluster", {is_explicit_cluster, InstructionKind::move, {"pred"}}},
      {"isspacep.local", {is_in_window<LOCAL_WINDOW>, InstructionKind::warp, {"pred", "u64"}}},
      {"isspacep.param", {is_in_window<PARAMETER_WINDOW>, InstructionKind::warp, {"pred", "u64"}}},
      {"isspacep.global", {is_global, InstructionKind::warp, {"pred", "u64"}}},
      {"redux.sync.add.u32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return a + b; }>,
        InstructionKind::warp,
        {"u32", "u32", "u32"}}},
      {"redux.sync.add.s32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return a + b; }>,
        InstructionKind::warp,
        {"s32", "s32", "u32"}}},
      {"redux.sync.min.u32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return std::min(a, b); }>,
        InstructionKind::warp,
        {"u32", "u32", "u32"}}},
      {"redux.sync.max.u32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return std::max(a, b); }>,
        InstructionKind::warp,
        {"u32", "u32", "u32"}}},
      {"redux.sync.min.s32",
       {reduce<int32_t, [](int32_t a, int32_t b) { return std::min(a, b); }>,
        InstructionKind::warp,
        {"s32", "s32", "u32"}}},
      {"redux.sync.max.s32",
       {reduce<int32_t, [](int32_t a, int32_t b) { return std::max(a, b); }>,
        InstructionKind::warp,
        {"s32", "s32", "u32"}}},
      {"redux.sync.and.b32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return a & b; }>,
        InstructionKind::warp,
        {"b32", "b32", "u32"}}},
      {"redux.sync.or.b32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return a | b; }>,
        InstructionKind::warp,
        {"b32", "b32", "u32"}}},
      {"redux.sync.xor.b32",
       {reduce<uint32_t, [](uint32_t a, uint32_t b) { return a ^ b; }>,
        InstructionKind::warp,
        {"b32", "b32", "u32"}}},
      {"bar.warp.sync", {meet, InstructionKind::control, {"u32"}}},
      {"trap", {trap, InstructionKind::control, {}}},
      {"nanosleep.u32", {do_nothing, InstructionKind::control, {"u32"}}},
      {"vprintf", {execute_vprintf, InstructionKind::control, {"b32", "b64", "b64"}}},
      {"__simulator_malloc", {execute_malloc, InstructionKind::control, {"b64", "b64"}}},
      {"__simulator_free", {execute_free, InstructionKind::control, {"b64"}}},
      {"__simulator_grid_is_valid", {is_grid_valid, InstructionKind::control, {"b32"}}},
      {"__simulator_grid_arrive", {arrive_at_grid, InstructionKind::control, {"b32"}}},
      {"__assertfail", {fail_assert, InstructionKind::control, {"b64", "b64", "b32", "b64"}}},
  };
  if (opcode[0] == "barrier") {  // barrier.cluster.arrive{.release, .relaxed}{.aligned}
    const bool is_relaxed = std::ranges::find(opcode, "relaxed") != opcode.end();
    return {is_relaxed ? arrive_at_cluster<true> : arrive_at_cluster<false>,
            InstructionKind::control,
            {}};
  }
  const auto found = table.find(spelled(opcode));
  return found == table.end() ? WarpInstruction{} : found->second;
}

Execute find_special_register(const std::string& name, bool wide, int32_t& extra) {
  static const std::map<std::string, Special, std::less<>> names = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%clock", Special::clock},
      {"%clock64", Special::clock},
      {"%clock_hi", Special::clock_high},
      {"%globaltimer", Special::clock},
      {"%globaltimer_lo", Special::clock},
      {"%globaltimer_hi", Special::clock_high},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%total_smem_size", Special::total_smem_size},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
      {"%cluster_nctarank", Special::cluster_nctarank}};
  const auto found = names.find(name);
  if (found == names.end()) return nullptr;
  extra = static_cast<int32_t>(found->second);
  return wide ? read_special<uint64_t> : read_special<uint32_t>;
}

Execute find_pack(bool is_unpack, bool wide, size_t parts) {
  if (wide && parts == 2) return is_unpack ? unpack<uint64_t, 2> : pack<uint64_t, 2>;
  if (wide && parts == 4) return is_unpack ? unpack<uint64_t, 4> : pack<uint64_t, 4>;
  if (!wide && parts == 2) return is_unpack ? unpack<uint32_t, 2> : pack<uint32_t, 2>;
  return nullptr;
}

void do_nothing(Warp&, const Op&) {}

void execute_fence(Warp& w, const Op& op) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Watch::looks_for_hazards(w)) Watch::fence(w, op.instruction);
}

void execute_unknown(Warp& w, const Op&) {
  throw WarpFault{{.kind = FaultKind::unknown_instruction}, std::countr_zero(w.active)};
}

void execute_guarded(Warp& w, const Op& op) {
  const uint32_t all = w.active;
  const uint32_t guard = op.guard_negated ? ~w.predicates[op.guard] : w.predicates[op.guard];
  Watch::skip(*w.block->worker, op.instruction, all & ~guard);
  if ((all & guard) == 0) return;
  if ((all & guard) != all) set_active(w, all & guard);
  op.guarded(w, op);
  if ((all & guard) != all) set_active(w, all);
}

void execute_polling(Warp& w, const Op& op) {
  ++w.polls;
  op.inner(w, op);
}

END_LEVEL

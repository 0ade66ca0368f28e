#include "simulator/memory/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace simulator {
namespace {

// Bits 52 and up lie outside every user address of x86-64 and arm64, so a dereference faults.
constexpr uint64_t DEVICE_RANGE = uint64_t{1} << 52;
constexpr uint64_t RANGE_OF_DEVICE = uint64_t{1} << 49;

constexpr uint64_t ALIGNMENT = 256;  // cudaMalloc's

// The least bytes between two allocations that belong to none. They cost only addresses. They are wide enough
// that one matrix row too many lands in them, and not in the next matrix.
constexpr uint64_t RED_ZONE = uint64_t{1} << 20;

// The fill of new memory. As a float it is -4.3e8, as an int -842150451.
constexpr int UNDEFINED = 0xCD;

// The fill's limit. Further pages come zeroed from the operating system on first touch: filling them would make
// every byte resident, used or not.
constexpr uint64_t FILLED = uint64_t{1} << 20;

// The bytes of host addresses reserved at a time for pinned and managed memory. A large reservation costs nothing
// on Linux itself, but costs real memory in an emulator that records every page.
constexpr uint64_t VISIBLE_CHUNK = uint64_t{1} << 30;

// From this size on, allocations are laid out for huge pages, which spares the host's TLB.
constexpr uint64_t HUGE_PAGE = uint64_t{2} << 20;

// Beyond this size they are not: the program may touch such an allocation only here and there, and one touched
// byte should not cost 2 MiB.
constexpr uint64_t SPARSE = uint64_t{256} << 20;

// The default heap size for malloc in kernels, as on a device.
constexpr uint64_t DEFAULT_HEAP = uint64_t{8} << 20;
constexpr uint64_t HEAP_GRAIN = 16;  // an allocation takes a multiple of this

// The memory of an H200, as cudaMemGetInfo reports it. The simulated device has no more unless offer_free()
// enlarges it.
constexpr uint64_t LARGEST_DEVICE = uint64_t{143'771} << 20;

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Returns the first number in a file of the operating system's kernel, or the largest number if there is none
// ("max").
uint64_t number_in(const char* path) {
  uint64_t value = 0;
  return std::ifstream(path) >> value ? value : std::numeric_limits<uint64_t>::max();
}

// Parses a number of bytes: "512M", "8G", "100000". Returns nothing if it is invalid. The letters are powers of
// 1024.
std::optional<uint64_t> parse_bytes(const char* text) {
  uint64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || value == 0) return std::nullopt;
  if (rest == end) return value;
  constexpr std::string_view LETTERS = "KMGT";
  const size_t power = LETTERS.find(static_cast<char>(std::toupper(*rest)));
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  const bool is_unit = unit.size() == 1 || unit.substr(1) == "B" || unit.substr(1) == "iB";
  if (power == LETTERS.npos || !is_unit) return std::nullopt;
  const size_t shift = 10 * (power + 1);
  if (value > std::numeric_limits<uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

// Returns the memory that this process may use: the machine's memory, or its control group's memory if that is less.
uint64_t usable_bytes() {
  const uint64_t physical =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min({physical, number_in("/sys/fs/cgroup/memory.max"),
                   number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

// Returns the bytes that SIMULATOR_MEMORY asks for, at most an H200's; by default three quarters of the usable
// memory. It may ask for more than there is, because untouched memory costs nothing. A warning is printed then:
// touching too much of it ends the process without a message.
uint64_t device_bytes() {
  const uint64_t usable = usable_bytes();
  const char* const asked = std::getenv("SIMULATOR_MEMORY");
  if (asked == nullptr || *asked == '\0') return std::min(usable / 4 * 3, LARGEST_DEVICE);
  const std::optional<uint64_t> bytes = parse_bytes(asked);
  if (!bytes) {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_MEMORY is '%s'; it must be a number of bytes such as 8G "
                 "or 512M, and is ignored\n",
                 asked);
    return std::min(usable / 4 * 3, LARGEST_DEVICE);
  }
  const auto mebibytes = [](uint64_t count) {
    return static_cast<unsigned long long>(count >> 20);
  };
  if (*bytes > LARGEST_DEVICE) {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_MEMORY is '%s'; the device has %lluM, as an H200\n",
                 asked, mebibytes(LARGEST_DEVICE));
  }
  if (*bytes > usable) {
    std::fprintf(
        stderr,
        "simulated GPU: SIMULATOR_MEMORY is '%s'; this machine has %lluM, so not all of it "
        "can be touched\n",
        asked, mebibytes(usable));
  }
  return std::min(*bytes, LARGEST_DEVICE);
}

// Returns host memory for an allocation that the host does not see; nullptr if there is none. The operating
// system does not promise that all of a large one can be touched.
std::byte* take_bytes(uint64_t bytes) {
  if (bytes < HUGE_PAGE) {
    return static_cast<std::byte*>(std::aligned_alloc(ALIGNMENT, round_up(bytes, ALIGNMENT)));
  }
  const uint64_t rounded = round_up(bytes, HUGE_PAGE);
  void* const reserved = mmap(nullptr, rounded + HUGE_PAGE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  std::byte* const first = static_cast<std::byte*>(reserved);
  const uint64_t before = -reinterpret_cast<uint64_t>(first) % HUGE_PAGE;
  if (before > 0) munmap(first, before);
  munmap(first + before + rounded, HUGE_PAGE - before);
  if (bytes <= SPARSE) madvise(first + before, rounded, MADV_HUGEPAGE);
  return first + before;
}

void give_back(std::byte* first, uint64_t bytes) {
  if (bytes < HUGE_PAGE) {
    std::free(first);
  } else {
    munmap(first, round_up(bytes, HUGE_PAGE));
  }
}

void make_undefined(const Allocation& allocation) {
  std::memset(allocation.host, UNDEFINED, std::min(allocation.bytes, FILLED));
}

// Records in the order of their addresses, which is the order of allocation: appended under a lock, read without
// one. They lie in chunks that double in size and never move.
class Records {
 public:
  ~Records() {
    for (auto& chunk : chunks_) delete[] chunk.load();
  }

  size_t size() const { return size_.load(std::memory_order_acquire); }

  Allocation& at(size_t index) const {
    const auto [chunk, place] = locate(index);
    return chunks_[chunk].load(std::memory_order_acquire)[place];
  }

  void append(const Allocation& allocation) {
    const size_t index = size_.load(std::memory_order_relaxed);
    const auto [chunk, place] = locate(index);
    if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
      chunks_[chunk].store(new Allocation[FIRST_CHUNK << chunk], std::memory_order_release);
    }
    chunks_[chunk].load(std::memory_order_relaxed)[place] = allocation;
    size_.store(index + 1, std::memory_order_release);
  }

  // Returns the number of records, live or freed, that start at or before `address`.
  size_t count_before(uint64_t address) const {
    size_t low = 0;
    size_t high = size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (at(middle).base <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  static constexpr size_t FIRST_CHUNK = 256;

  static std::pair<size_t, size_t> locate(size_t index) {
    const size_t chunk_size = std::bit_floor(index / FIRST_CHUNK + 1);  // in units of FIRST_CHUNK
    return {static_cast<size_t>(std::countr_zero(chunk_size)),
            index - FIRST_CHUNK * (chunk_size - 1)};
  }

  std::array<std::atomic<Allocation*>, 40> chunks_{};
  std::atomic<size_t> size_{0};
};

// A range of addresses, each handed out once, from low to high.
struct AddressRange {
  uint64_t first = 0;
  uint64_t past_end = 0;
  uint64_t next = 0;
  Records records;

  bool contains(uint64_t address) const { return address >= first && address < past_end; }
  // Returns the start of `bytes` fresh addresses, or 0 if they are used up.
  uint64_t take(uint64_t bytes, uint64_t alignment) {
    const uint64_t base = round_up(next, alignment);
    if (bytes > past_end - base || past_end - base - bytes < RED_ZONE) return 0;
    next = base + bytes + RED_ZONE;
    return base;
  }
};

// The neighbours of an address that is in no allocation.
struct Neighbours {
  const Allocation* before = nullptr;  // live or freed
  const Allocation* after = nullptr;
  uint64_t past = std::numeric_limits<uint64_t>::max();   // distance from the end of `before`
  uint64_t ahead = std::numeric_limits<uint64_t>::max();  // distance to the start of `after`
};

}  // namespace

// The state that all devices share.
struct DeviceMemory::Common {
  // Host addresses, reserved but inaccessible until they are handed out. Read without the lock.
  std::array<AddressRange, 4096> visible;
  std::atomic<size_t> visible_ranges{0};
  // Host memory that the device may use. A place is reused when its memory has been given up. The records stay,
  // because a launch may still hold one. Read without the lock.
  std::array<std::atomic<Allocation*>, 1024> adopted{};
  std::atomic<size_t> adopted_places{0};
  std::atomic<uint64_t> changes{1};
  std::array<std::atomic<State*>, MOST_DEVICES> devices{};
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

  // Guards all members below, `next` of the ranges, appending to them, and the devices' state.
  mutable std::mutex mutex;
  uint32_t allocations = 0;
  std::unordered_map<uint32_t, std::string> names;
  std::vector<std::unique_ptr<Allocation>> adoptions;  // all adoptions ever made

  ~Common() {
    for (size_t i = 0; i < visible_ranges; ++i) {
      const AddressRange& range = visible[i];
      munmap(reinterpret_cast<void*>(range.first), range.past_end - range.first);
    }
  }

  // Returns the range around `address` that the host sees too, or nullptr.
  const AddressRange* visible_range_of(uint64_t address) const {
    const size_t ranges = visible_ranges.load(std::memory_order_acquire);
    for (size_t i = 0; i < ranges; ++i) {
      if (visible[i].contains(address)) return &visible[i];
    }
    return nullptr;
  }

  // Takes `bytes` of host addresses. Returns their range and sets `base` to their start; nullptr if there are
  // none. Reserves a new range if the last one is used up.
  AddressRange* take_visible(uint64_t bytes, uint64_t& base) {
    const size_t ranges = visible_ranges.load(std::memory_order_relaxed);
    if (ranges > 0) {
      base = visible[ranges - 1].take(bytes, page);
      if (base != 0) return &visible[ranges - 1];
    }
    if (ranges == visible.size()) return nullptr;
    const uint64_t reserved = std::max(VISIBLE_CHUNK, round_up(bytes, RED_ZONE) + 3 * RED_ZONE);
    void* const start =
        mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    AddressRange& range = visible[ranges];
    range.first = reinterpret_cast<uint64_t>(start);
    range.next = range.first + RED_ZONE;
    range.past_end = range.first + reserved;
    visible_ranges.store(ranges + 1, std::memory_order_release);
    base = range.take(bytes, page);
    return &range;
  }

  // Returns the adopted memory that shares a byte with [first, past_end), or nullptr.
  Allocation* adopted_within(uint64_t first, uint64_t past_end) const {
    const size_t places = adopted_places.load(std::memory_order_acquire);
    for (size_t i = 0; i < places; ++i) {
      Allocation* const allocation = adopted[i].load(std::memory_order_acquire);
      if (allocation != nullptr && allocation->base < past_end &&
          first < allocation->base + allocation->bytes)
        return allocation;
    }
    return nullptr;
  }
};

struct DeviceMemory::State {
  std::shared_ptr<Common> common;
  uint32_t number = 0;
  AddressRange device;
  std::atomic<uint64_t> reached{0};  // a bit for each other device
  std::once_flag total_is_known;     // the first query may print a warning on stderr
  std::atomic<uint64_t> total_bytes = 0;
  std::atomic<uint64_t> used{0};
  std::atomic<uint64_t> heap_limit{DEFAULT_HEAP};
  // Guarded by the lock of `common`:
  uint32_t heap_id = 0;  // id of the heap's allocations; 0: none yet
  uint64_t heap_used = 0;
  std::unordered_set<uint64_t> heap;  // the starts of its live allocations

  State(std::shared_ptr<Common> shared, uint32_t device_number)
      : common(std::move(shared)), number(device_number) {
    // There is a red zone before the first allocation too.
    device.first = DEVICE_RANGE + number * RANGE_OF_DEVICE;
    device.next = device.first + RED_ZONE;
    device.past_end = device.first + RANGE_OF_DEVICE;
    common->devices[number] = this;
  }

  uint64_t total() {
    std::call_once(total_is_known, [this] {
      State* const first = common->devices[0];
      total_bytes = number == 0 || first == nullptr ? device_bytes() : first->total();
    });
    return total_bytes;
  }

  // Returns the range around `address`, or the device's own for an address in none.
  const AddressRange& range_of(uint64_t address) const {
    if (device.contains(address)) return device;
    if (const std::optional<uint32_t> other = device_of(address)) {
      const State* const owner = common->devices[*other];
      return owner == nullptr ? device : owner->device;
    }
    const AddressRange* const visible = common->visible_range_of(address);
    return visible == nullptr ? device : *visible;
  }

  Neighbours neighbours(uint64_t address) const {
    const Records& records = range_of(address).records;
    const size_t count = records.count_before(address);
    Neighbours around;
    if (count > 0) {
      around.before = &records.at(count - 1);
      around.past = address - (around.before->base + around.before->bytes);
    }
    if (count < records.size()) {
      around.after = &records.at(count);
      around.ahead = around.after->base - address;
    }
    return around;
  }

  // Returns the allocation, live or freed, that holds `address`.
  Allocation* holding(uint64_t address) const {
    if (!device.contains(address)) {
      if (Allocation* const found = common->adopted_within(address, address + 1)) return found;
    }
    const Records& records = range_of(address).records;
    const size_t before = records.count_before(address);
    if (before == 0) return nullptr;
    Allocation& last = records.at(before - 1);
    return address - last.base < last.bytes ? &last : nullptr;
  }
};

DeviceMemory::DeviceMemory() : state_(std::make_unique<State>(std::make_shared<Common>(), 0)) {}

DeviceMemory::DeviceMemory(DeviceMemory& first, uint32_t number)
    : state_(std::make_unique<State>(first.state_->common, number)) {}

DeviceMemory::~DeviceMemory() {
  const Records& records = state_->device.records;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records.at(i).live) give_back(records.at(i).host, records.at(i).bytes);
  }
  state_->common->devices[state_->number] = nullptr;
}

bool DeviceMemory::reach(uint32_t device, bool on) {
  const uint64_t bit = uint64_t{1} << device;
  const uint64_t before = on ? state_->reached.fetch_or(bit) : state_->reached.fetch_and(~bit);
  return ((before & bit) != 0) != on;
}

bool DeviceMemory::reaches(uint32_t device) const {
  return device == state_->number || (state_->reached.load() >> device & 1) != 0;
}

std::optional<uint32_t> DeviceMemory::device_of(uint64_t address) {
  if (address < DEVICE_RANGE || address >= DEVICE_RANGE + MOST_DEVICES * RANGE_OF_DEVICE)
    return std::nullopt;
  return static_cast<uint32_t>((address - DEVICE_RANGE) / RANGE_OF_DEVICE);
}

uint64_t DeviceMemory::total_bytes() const { return state_->total(); }

void DeviceMemory::offer_free(uint64_t bytes) {
  const std::lock_guard lock(state_->common->mutex);
  state_->total_bytes = std::max(state_->total(), state_->used.load() + bytes);
}

uint64_t DeviceMemory::free_bytes() const { return state_->total() - state_->used.load(); }

uint64_t DeviceMemory::allocate(uint64_t bytes, HostAccess access) {
  State& s = *state_;
  Common& common = *s.common;
  const std::lock_guard lock(common.mutex);
  if (bytes == 0 || bytes > s.total() - s.used.load()) return 0;

  Allocation allocation;
  AddressRange* range = &s.device;
  allocation.bytes = bytes;
  allocation.host_visible = access == HostAccess::host_visible;
  if (allocation.host_visible) {
    const uint64_t mapped = round_up(bytes, common.page);
    range = common.take_visible(mapped, allocation.base);
    if (range == nullptr) return 0;
    allocation.host = reinterpret_cast<std::byte*>(allocation.base);
    if (mprotect(allocation.host, mapped, PROT_READ | PROT_WRITE) != 0) return 0;
  } else {
    allocation.host = take_bytes(bytes);
    if (allocation.host == nullptr) return 0;
    allocation.base = s.device.take(bytes, ALIGNMENT);
    if (allocation.base == 0) {
      give_back(allocation.host, bytes);
      return 0;
    }
  }
  make_undefined(allocation);

  allocation.id = ++common.allocations;
  allocation.device = s.number;
  range->records.append(allocation);
  s.used += bytes;
  return allocation.base;
}

bool DeviceMemory::revive(uint64_t base) {
  State& s = *state_;
  const std::lock_guard lock(s.common->mutex);
  Allocation* const allocation = s.holding(base);
  if (allocation == nullptr || allocation->base != base || allocation->live ||
      allocation->host_visible || allocation->bytes > s.total() - s.used.load())
    return false;
  allocation->host = take_bytes(allocation->bytes);
  if (allocation->host == nullptr) return false;
  make_undefined(*allocation);
  note_change();
  ++allocation->revivals;
  allocation->live = true;
  s.used += allocation->bytes;
  return true;
}

bool DeviceMemory::adopt(void* host, uint64_t bytes) {
  Common& s = *state_->common;
  const std::lock_guard lock(s.mutex);
  const auto base = reinterpret_cast<uint64_t>(host);
  if (bytes == 0 || base + bytes < base || owns(base) || owns(base + bytes - 1) ||
      s.adopted_within(base, base + bytes) != nullptr)
    return false;
  const size_t places = s.adopted_places.load();
  size_t place = 0;
  while (place < places && s.adopted[place].load() != nullptr) ++place;
  if (place == s.adopted.size()) return false;
  Allocation& allocation = *s.adoptions.emplace_back(std::make_unique<Allocation>());
  allocation.base = base;
  allocation.bytes = bytes;
  allocation.host = static_cast<std::byte*>(host);
  allocation.id = ++s.allocations;
  allocation.host_visible = allocation.adopted = true;
  s.adopted[place].store(&allocation, std::memory_order_release);
  if (place == places) s.adopted_places.store(places + 1, std::memory_order_release);
  return true;
}

bool DeviceMemory::forget(void* host) {
  Common& s = *state_->common;
  const std::lock_guard lock(s.mutex);
  for (auto& place : s.adopted) {
    Allocation* const allocation = place.load();
    if (allocation == nullptr || allocation->host != host) continue;
    allocation->live = false;
    place.store(nullptr, std::memory_order_release);
    return true;
  }
  return false;
}

uint64_t DeviceMemory::allocate_from_heap(uint64_t bytes) {
  State& s = *state_;
  const uint64_t taken = round_up(bytes, HEAP_GRAIN);
  {
    const std::lock_guard lock(s.common->mutex);
    if (bytes == 0 || taken < bytes || taken > s.heap_limit || s.heap_used > s.heap_limit - taken)
      return 0;
    s.heap_used += taken;
  }
  const uint64_t base = allocate(bytes);
  const std::lock_guard lock(s.common->mutex);
  if (base == 0) {
    s.heap_used -= taken;
    return 0;
  }
  Allocation& allocation = *s.holding(base);
  if (s.heap_id == 0) {
    s.heap_id = allocation.id;
    s.common->names[s.heap_id] = "heap";
  }
  allocation.id = s.heap_id;
  s.heap.insert(base);
  return base;
}

bool DeviceMemory::release_from_heap(uint64_t base) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.common->mutex);
    if (s.heap.erase(base) == 0) return false;
    s.heap_used -= round_up(s.holding(base)->bytes, HEAP_GRAIN);
  }
  return release(base);
}

void DeviceMemory::release_heap() {
  std::unordered_set<uint64_t> all;
  {
    const std::lock_guard lock(state_->common->mutex);
    all = state_->heap;
  }
  for (const uint64_t base : all) release_from_heap(base);
}

void DeviceMemory::set_heap_limit(uint64_t bytes) { state_->heap_limit = bytes; }

uint64_t DeviceMemory::heap_limit() const { return state_->heap_limit; }

bool DeviceMemory::release(uint64_t base) {
  State& s = *state_;
  const std::lock_guard lock(s.common->mutex);
  Allocation* const allocation = s.holding(base);
  if (allocation == nullptr || allocation->base != base || !allocation->live || allocation->adopted)
    return false;
  allocation->live = false;
  if (allocation->host_visible) {
    // Replaces the pages with inaccessible ones: the memory is returned, the addresses are not.
    const uint64_t mapped = round_up(allocation->bytes, s.common->page);
    void* const fresh = mmap(allocation->host, mapped, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (fresh == MAP_FAILED) mprotect(allocation->host, mapped, PROT_NONE);
  } else {
    give_back(allocation->host, allocation->bytes);
  }
  allocation->host = nullptr;
  State* const owner = s.common->devices[allocation->device];
  if (owner != nullptr) owner->used -= allocation->bytes;
  return true;
}

bool DeviceMemory::set_name(uint64_t address, std::string name) {
  State& s = *state_;
  const std::lock_guard lock(s.common->mutex);
  const Allocation* const allocation = s.holding(address);
  if (allocation == nullptr || !allocation->live) return false;
  s.common->names[allocation->id] = std::move(name);
  return true;
}

std::string DeviceMemory::name_of(uint32_t allocation_id) const {
  const Common& common = *state_->common;
  const std::lock_guard lock(common.mutex);
  const auto named = common.names.find(allocation_id);
  return named != common.names.end() ? named->second : "buffer " + std::to_string(allocation_id);
}

const Allocation* DeviceMemory::find(uint64_t address) const {
  const Allocation* const allocation = state_->holding(address);
  if (allocation == nullptr || !allocation->live) return nullptr;
  return allocation->host_visible || reaches(allocation->device) ? allocation : nullptr;
}

uint64_t DeviceMemory::changes() const { return state_->common->changes; }
void DeviceMemory::note_change() const { ++state_->common->changes; }

std::byte* DeviceMemory::host_pointer(uint64_t address, uint64_t bytes) const {
  note_change();
  const Allocation* const allocation = find(address);
  if (allocation == nullptr || bytes > allocation->bytes - (address - allocation->base)) {
    return nullptr;
  }
  return allocation->host + (address - allocation->base);
}

bool DeviceMemory::owns(uint64_t address) const {
  return state_->range_of(address).contains(address) ||
         state_->common->adopted_within(address, address + 1) != nullptr;
}

bool DeviceMemory::was_freed(uint64_t address) const {
  const Allocation* const allocation = state_->holding(address);
  return allocation != nullptr && !allocation->live;
}

AddressPlace DeviceMemory::place_of(uint64_t address) const {
  AddressPlace place;
  const auto beside = [&](const Allocation& allocation, uint64_t distance) {
    place.distance = distance;
    place.base = allocation.base;
    place.bytes = allocation.bytes;
    place.freed = !allocation.live;
    place.allocation = name_of(allocation.id);
    place.device = allocation.host_visible ? state_->number : allocation.device;
    place.seen_from = state_->number;
  };
  const Allocation* const around = state_->holding(address);
  place.inside = around != nullptr;
  if (place.inside) {
    beside(*around, address - around->base);
  } else if (!owns(address)) {
    place.kind = address < state_->common->page ? AddressKind::null : AddressKind::host;
  } else if (const auto [before, after, past, ahead] = state_->neighbours(address); ahead < past) {
    place.kind = AddressKind::before;
    beside(*after, ahead);
  } else if (before != nullptr) {
    beside(*before, past);
  }
  return place;
}

}  // namespace simulator

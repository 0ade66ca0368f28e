// Allocation, copies and fills of memory.
#include "simulator/runtime/api/memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/graph_memory.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::runtime {
namespace {

constexpr size_t PITCH_ALIGNMENT = 512;  // an H200's

// The program's live allocations by their first byte, without variables of modules.
struct Allocations {
  std::mutex mutex;
  std::unordered_map<uint64_t, Made> made;
  std::unordered_map<uint64_t, std::weak_ptr<GraphMemory>> of_graphs;
  std::set<uint64_t> reset;  // freed by cudaDeviceReset: a destructor may free it again
};

Allocations& allocations() {
  static Allocations* const instance = new Allocations;  // static destructors may still make calls
  return *instance;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::string bytes_text(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Returns the refusal "cudaMemcpy WHAT".
Refusal refusal(const std::string& what, const std::string& advice) {
  return {std::string(Call::current()) + " " + what, advice, ""};
}

const char* maker_of(Origin origin) {
  switch (origin) {
    case Origin::device:
      return "cudaMalloc";
    case Origin::pinned:
      return "cudaMallocHost";
    case Origin::managed:
      return "cudaMallocManaged";
  }
  return "";
}

// Tells those who watch memory of a new allocation.
void announce(SimulatedDevice& device, uint64_t base, uint64_t bytes, bool host_visible) {
  if (looks_for_hazards()) device.shadow.allocated(base, bytes, host_visible);
  publish(&Watcher::allocated,
          Watcher::NewMemory{base, bytes, device.memory.find(base)->id, host_visible});
}

cudaError_t allocate(void** pointer, size_t bytes, Origin origin,
                     std::shared_ptr<Pool> pool = nullptr) {
  if (pointer == nullptr) {
    return refuse(cudaErrorInvalidValue, [] {
      return refusal(
          "has no place to put the new pointer",
          std::string("the address of a pointer: ") + Call::current() + "(&pointer, bytes)");
    });
  }
  *pointer = nullptr;
  if (const cudaError_t error = check_captures(); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  SimulatedDevice& device = pool == nullptr ? current_device() : *devices()[pool->device];
  if (pool != nullptr && !pool->take(bytes)) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(allocations().mutex);
  const uint64_t base = device.memory.allocate(
      bytes, origin == Origin::device ? HostAccess::device_only : HostAccess::host_visible);
  if (base == 0) {
    if (pool != nullptr) pool->give_back(bytes);
    return cudaErrorMemoryAllocation;
  }
  announce(device, base, bytes, origin != Origin::device);
  allocations().made.emplace(base, Made{origin, bytes, &device, std::move(pool)});
  *pointer = reinterpret_cast<void*>(base);
  return cudaSuccess;
}

// Returns the refusal to free a pointer that starts no live allocation.
Refusal not_to_free(const void* pointer, bool pinned) {
  const DeviceMemory& memory = device_at(pointer).memory;
  const uint64_t address = address_of(pointer);
  const std::string maker = pinned ? "cudaMallocHost" : "cudaMalloc";
  if (memory.was_freed(address)) {
    return refusal("was given memory that was freed before: " + memory.place_of(address).text(),
                   std::string(Call::current()) + " once for each " + maker +
                       "; set the pointer to nullptr after it, and freeing it again does no harm");
  }
  const Allocation* const around = memory.find(address);
  if (around != nullptr && around->adopted) {
    return refusal("was given memory of the host's own: " + memory.place_of(address).text(),
                   "cudaHostUnregister ends what cudaHostRegister began");
  }
  if (around != nullptr) {
    return refusal(
        "was given a pointer that " + maker + " did not give: " + memory.place_of(address).text(),
        "the very pointer that " + maker + " gave, not one that was moved on from it");
  }
  return refusal(
      "was given a pointer that " + maker + " did not give: " + memory.place_of(address).text(),
      "free() or delete for memory of the host's own; was the pointer ever set?");
}

void give_back(uint64_t base, uint64_t bytes) {
  publish(&Watcher::about_to_free, base, bytes);
  SimulatedDevice& owner = device_at(reinterpret_cast<void*>(base));
  owner.memory.release(base);
  owner.shadow.released(base);
}

// Gives memory back. With the lock held.
void give_back(std::unordered_map<uint64_t, Made>::iterator allocation) {
  const auto& [base, made] = *allocation;
  give_back(base, made.bytes);
  if (made.pool != nullptr) made.pool->give_back(made.bytes);
  allocations().made.erase(allocation);
}

// Frees memory that a launch of a graph has left to the program.
cudaError_t release(const std::shared_ptr<GraphMemory>& memory, bool at_once) {
  {
    const std::lock_guard lock(allocations().mutex);
    if (!memory->is_left()) {
      return refuse(cudaErrorInvalidValue, [] {
        return refusal("was given memory of a graph that no launch has left to the program",
                       "free what a launch allocates and its own nodes do not free");
      });
    }
    memory->left = nullptr;
  }
  if (at_once) end(*memory);
  return cudaSuccess;
}

// Frees memory now, or marks it as ending.
cudaError_t release(void* pointer, bool pinned, bool at_once = true) {
  if (pointer == nullptr) return cudaSuccess;
  if (const auto memory = find_graph_memory(pointer); memory != nullptr && !pinned)
    return release(memory, at_once);
  const std::lock_guard lock(allocations().mutex);
  const auto found = allocations().made.find(address_of(pointer));
  if (found == allocations().made.end() || found->second.is_ending) {
    if (allocations().reset.contains(address_of(pointer))) return cudaErrorInvalidValue;
    return refuse(cudaErrorInvalidValue, [&] { return not_to_free(pointer, pinned); });
  }
  const Origin origin = found->second.origin;
  if ((origin == Origin::pinned) != pinned) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("was given memory of " + std::string(maker_of(origin)) + ": " +
                         device_at(pointer).memory.place_of(found->first).text(),
                     origin == Origin::pinned
                         ? "cudaFreeHost for memory from cudaMallocHost or cudaHostAlloc"
                         : "cudaFree for memory from cudaMalloc or cudaMallocManaged");
    });
  }
  if (at_once) {
    give_back(found);
  } else {
    found->second.is_ending = true;
  }
  return cudaSuccess;
}

// Checks the range of advice about managed memory: all of it must be managed.
cudaError_t check_managed(const void* pointer, size_t bytes, int device) {
  if (!is_device(device) && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
  const DeviceMemory& memory = device_at(pointer).memory;
  const Allocation* const found = memory.find(address_of(pointer));
  if (found == nullptr || !is_managed(*found)) return cudaErrorInvalidValue;
  const bool inside = memory.host_pointer(address_of(pointer), bytes) != nullptr;
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check_managed(const void* pointer, size_t bytes, cudaMemLocation location) {
  if (location.type == cudaMemLocationTypeInvalid) return cudaErrorInvalidValue;
  const bool is_of_device = location.type == cudaMemLocationTypeDevice;
  return check_managed(pointer, bytes, is_of_device ? location.id : cudaCpuDeviceId);
}

enum class Side { device, any };

// Returns the host address of one side of a copy, or nullptr if the memory does not fit the copy's kind. The
// device's side must be memory that the device knows. The other side may also be host memory. As with unified
// addressing, the address decides, not the direction: a copy "to the host" may end in device memory.
std::byte* locate(const void* pointer, size_t bytes, Side side) {
  const uint64_t address = address_of(pointer);
  if (pointer == nullptr) return nullptr;
  const DeviceMemory& memory = device_at(pointer).memory;
  if (memory.owns(address)) return memory.host_pointer(address, bytes);
  if (side == Side::device) return nullptr;
  return const_cast<std::byte*>(static_cast<const std::byte*>(pointer));
}

// One unusable side of a copy or fill.
struct Unusable {
  const char* role;  // "destination"
  const void* pointer;
  size_t bytes;
  bool must_be_device;
  bool is_copy = true;  // else a fill
};

// Refuses more bytes than the allocation has. A size in elements is the usual mistake.
Refusal too_many_bytes(const Unusable& side, const Allocation& around) {
  const uint64_t address = address_of(side.pointer);
  const uint64_t left = around.base + around.bytes - address;
  const std::string name = device_at(side.pointer).memory.name_of(around.id);
  const bool is_element_count =
      side.bytes / left * left == side.bytes && (side.bytes / left == 4 || side.bytes / left == 8);
  const std::string from_here =
      left == around.bytes ? "" : " of " + std::to_string(around.bytes) + " from there on";
  return refusal("is asked for " + bytes_text(side.bytes) + ", but its " + side.role + ", " + name +
                     ", has " + bytes_text(left) + from_here,
                 is_element_count
                     ? "cudaMalloc takes bytes, not elements: n * sizeof(float)?"
                     : "sizes are in bytes, not elements: n * sizeof(float)? Or allocate more");
}

// Refuses the name of a __device__ or __constant__ variable. In host code it means a host variable, by which the
// API finds the device's variable.
Refusal is_variable(const Unusable& side, const std::string& name) {
  const std::string address = "cudaGetSymbolAddress(&pointer, " + name + ") for a pointer to it";
  const std::string copy = side.role == std::string_view("source")
                               ? "cudaMemcpyFromSymbol(to, " + name + ", bytes)"
                               : "cudaMemcpyToSymbol(" + name + ", from, bytes)";
  return refusal(std::string("was given as its ") + side.role + " " + name +
                     ", a variable of the device: its name is no pointer in host code",
                 side.is_copy ? copy + "; or " + address : address);
}

Refusal not_usable(const Unusable& side) {
  const DeviceMemory& memory = device_at(side.pointer).memory;
  const uint64_t address = address_of(side.pointer);
  const std::string given = std::string("was given as its ") + side.role + " ";
  if (side.pointer == nullptr) {
    return refusal(given + "a null pointer",
                   side.must_be_device
                       ? "pass a pointer from cudaMalloc; check cudaMalloc's return code"
                       : "pass a pointer to allocated memory: did an allocation fail?");
  }
  if (const Allocation* const around = memory.find(address)) return too_many_bytes(side, *around);
  if (memory.was_freed(address)) {
    return refusal(given + "memory that was freed before: " + memory.place_of(address).text(),
                   "free it after the last use, or pass the pointer of the new allocation");
  }
  if (memory.owns(address)) {
    return refusal(given + "memory of nobody: " + memory.place_of(address).text(),
                   "a pointer within an allocation; offsets of a pointer are in elements");
  }
  if (const std::string name = variable_around(side.pointer); !name.empty())
    return is_variable(side, name);
  return refusal(
      given + "a pointer to host memory, where memory of the device must be",
      "destination first, then source: cudaMemcpy(to, from, bytes, kind); cudaMemset takes "
      "device memory");
}

// Refuses a copy whose sides are in the opposite memories of its kind.
Refusal wrong_direction(cudaMemcpyKind kind, bool both_swapped) {
  const bool to_device = kind == cudaMemcpyHostToDevice;
  const std::string said = to_device ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost";
  const std::string other = to_device ? "cudaMemcpyDeviceToHost" : "cudaMemcpyHostToDevice";
  if (!both_swapped) {
    return refusal(
        "says " + said + ", but no side of it is memory of the device",
        "memory from cudaMalloc on the device's side; std::memcpy between host and host");
  }
  return refusal("says " + said + ", but its destination is " +
                     (to_device ? "host memory and its source the device's"
                                : "the device's memory and its source the host's"),
                 other + ", or the first two arguments the other way round: destination first");
}

Refusal too_large() {
  return refusal("is asked for more bytes than there are addresses",
                 "pass sizes of 0 or more: a negative number becomes a very large one");
}

Refusal too_wide(size_t width, size_t pitch) {
  return refusal("has rows of " + bytes_text(width) + ", but a pitch of " + bytes_text(pitch),
                 "width and pitch are both in bytes, and a pitch is never below the width");
}

using AnyStream = std::shared_ptr<KnownStream>;

template <typename Kind>
cudaError_t start_in(const AnyStream& stream, const Kind& work) {
  if (work.box.is_empty()) return cudaSuccess;
  const cudaError_t refused = check(work);
  return refused != cudaSuccess ? refused : hand_over(stream, work);
}

// A copy with the memory of other devices than the current one begins when all their work is done.
void wait_for_other_devices(const CopyWork& work) {
  for (const Region& side : {work.to, work.from}) {
    SimulatedDevice& other = device_at(side.pointer);
    if (&other != &current_device()) host_waited(run_all(other));
  }
}
void wait_for_other_devices(const FillWork& work) {
  SimulatedDevice& other = device_at(work.to.pointer);
  if (&other != &current_device()) host_waited(run_all(other));
}

template <typename Kind>
cudaError_t finish_now(const Kind& work) {
  if (work.box.is_empty()) return cudaSuccess;
  cudaError_t refused = check(work);
  if (refused == cudaSuccess) refused = check_legacy(current_device());
  if (refused == cudaSuccess) refused = check_captures();
  if (refused != cudaSuccess) return refused;
  wait_for_other_devices(work);
  const std::shared_ptr<KnownStream> stream = find_stream(nullptr);
  const Issue issue = submit(stream, work);
  run_to({stream->queue, issue.position});
  return has_waited(issue.clock);
}

CopyWork line(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return {.to = {to, bytes},
          .from = {const_cast<void*>(from), bytes},
          .box = {.width = bytes},
          .kind = kind};
}

CopyWork rectangle(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t height, cudaMemcpyKind kind) {
  return {.to = {to, to_pitch},
          .from = {const_cast<void*>(from), from_pitch},
          .box = {.width = width, .height = height},
          .kind = kind};
}

// Returns the error of a rectangle that is wider than its rows.
cudaError_t check_pitches(const CopyWork& work) {
  if (work.box.is_empty() || work.box.width <= std::min(work.to.pitch, work.from.pitch))
    return cudaSuccess;
  return refuse(cudaErrorInvalidPitchValue,
                [&] { return too_wide(work.box.width, std::min(work.to.pitch, work.from.pitch)); });
}

FillWork fill_line(void* pointer, int value, size_t bytes) {
  return {
      .to = {pointer, bytes}, .value = static_cast<unsigned char>(value), .box = {.width = bytes}};
}

FillWork fill_rectangle(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return {.to = {pointer, pitch},
          .value = static_cast<unsigned char>(value),
          .box = {.width = width, .height = height}};
}

// Runs `work` with the stream, in a call that needs a working device.
template <typename Then>
cudaError_t in_stream(cudaStream_t stream, Then then, const char* name = __builtin_FUNCTION()) {
  return synchronous([&] { return with_stream(stream, then); }, name);
}

// Allocates in a stream's order: from a pool, or as a node of the graph that the stream is captured for.
cudaError_t allocate_in(KnownStream& stream, void** pointer, size_t bytes,
                        std::shared_ptr<Pool> pool) {
  if (stream.recorder == nullptr || pointer == nullptr || bytes == 0)
    return allocate(pointer, bytes, Origin::device, std::move(pool));
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location = {cudaMemLocationTypeDevice, static_cast<int>(pool->device)};
  wanted.bytesize = bytes;
  const auto memory = make_graph_memory(wanted);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  *pointer = memory->pointer();
  return stream.recorder->record(AllocateWork{memory});
}

cudaError_t refuse_symbol() {
  return refuse(cudaErrorInvalidSymbol, [] {
    return refusal(
        "was given a symbol that is no __device__ or __constant__ variable of this program",
        std::string("the variable itself, not its address, nor its name in quotes: ") +
            Call::current() + "(variable, ...)");
  });
}

cudaError_t refuse_symbol_direction(const char* needed) {
  return refuse(cudaErrorInvalidMemcpyDirection, [&] {
    return refusal("was given a direction that it cannot have",
                   std::string("leave out the last argument, or ") + needed);
  });
}

// Sets *address to the part of a variable that starts at `offset`. `bytes` must fit.
cudaError_t part_of_symbol(const void* symbol, size_t offset, size_t bytes, void** address) {
  const Variable variable = find_variable(symbol);
  if (variable.address == 0) return refuse_symbol();
  if (offset > variable.bytes || bytes > variable.bytes - offset) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("is asked for " + bytes_text(bytes) + " from byte " + std::to_string(offset) +
                         " on of a variable of " + bytes_text(variable.bytes),
                     "sizes and offsets are in bytes, at most sizeof(variable) in all");
    });
  }
  *address = reinterpret_cast<void*>(variable.address + offset);
  return cudaSuccess;
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, CopyWork& work) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
    return refuse_symbol_direction("cudaMemcpyHostToDevice");
  void* to = nullptr;
  const cudaError_t error = part_of_symbol(symbol, offset, bytes, &to);
  work = line(to, from, bytes, kind);
  return error;
}

cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                             cudaMemcpyKind kind, CopyWork& work) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
    return refuse_symbol_direction("cudaMemcpyDeviceToHost");
  void* from = nullptr;
  const cudaError_t error = part_of_symbol(symbol, offset, bytes, &from);
  work = line(to, from, bytes, kind);
  return error;
}

}  // namespace

bool is_managed(const Allocation& allocation) {
  if (allocation.adopted) return is_managed_variable(allocation.host);
  const std::lock_guard lock(allocations().mutex);
  const auto known = allocations().made.find(allocation.base);
  return known != allocations().made.end() && known->second.origin == Origin::managed;
}

cudaError_t check(const CopyWork& work) {
  const auto& [to, from, box, kind] = work;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return refuse(cudaErrorInvalidMemcpyDirection, [&] {
      return refusal("was given an unknown kind of copy: " + std::to_string(static_cast<int>(kind)),
                     "cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost or cudaMemcpyDeviceToDevice");
    });
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  size_t to_bytes = 0;
  size_t from_bytes = 0;
  if (!box.span(to, &to_bytes) || !box.span(from, &from_bytes)) {
    return refuse(cudaErrorInvalidValue, too_large);
  }
  const bool has_target =
      locate(to.pointer, to_bytes, to_device ? Side::device : Side::any) != nullptr;
  const bool has_source =
      locate(from.pointer, from_bytes, from_device ? Side::device : Side::any) != nullptr;
  if (has_target && has_source) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, [&] {
    const auto is_owned = [](const void* pointer) {
      return device_at(pointer).memory.owns(address_of(pointer));
    };
    const void* const device_side = to_device ? to.pointer : from.pointer;
    const void* const host_side = to_device ? from.pointer : to.pointer;
    const bool one_side = to_device != from_device;
    const bool is_host = device_side != nullptr && !is_owned(device_side);
    const std::string variable = variable_around(device_side);
    if ((to_device || from_device) && !variable.empty()) {
      return to_device ? is_variable({"destination", to.pointer, to_bytes, true}, variable)
                       : is_variable({"source", from.pointer, from_bytes, true}, variable);
    }
    if (one_side && is_host) return wrong_direction(kind, is_owned(host_side));
    if (!has_target) return not_usable({"destination", to.pointer, to_bytes, to_device});
    return not_usable({"source", from.pointer, from_bytes, from_device});
  });
}

cudaError_t check(const FillWork& work) {
  const auto& [to, value, element, box] = work;
  if (box.height > 1 && box.width > to.pitch) {
    return refuse(cudaErrorInvalidValue, [&] { return too_wide(box.width, to.pitch); });
  }
  size_t bytes = 0;
  if (!box.span(to, &bytes)) return refuse(cudaErrorInvalidValue, too_large);
  if (locate(to.pointer, bytes, Side::device) != nullptr) return cudaSuccess;
  return refuse(cudaErrorInvalidValue,
                [&] { return not_usable({"destination", to.pointer, bytes, true, false}); });
}

cudaError_t start(const AnyStream& stream, const CopyWork& work) { return start_in(stream, work); }
cudaError_t start(const AnyStream& stream, const FillWork& work) { return start_in(stream, work); }
cudaError_t finish(const CopyWork& work) { return finish_now(work); }
cudaError_t finish(const FillWork& work) { return finish_now(work); }

void end_allocation(void* pointer) {
  const std::lock_guard lock(allocations().mutex);
  const auto found = allocations().made.find(address_of(pointer));
  if (found != allocations().made.end()) give_back(found);
}

GraphMemory::~GraphMemory() {
  end(*this);
  const std::lock_guard lock(allocations().mutex);
  allocations().of_graphs.erase(address_of(pointer()));
}

std::shared_ptr<GraphMemory> make_graph_memory(const cudaMemAllocNodeParams& wanted) {
  SimulatedDevice& device = *devices()[static_cast<size_t>(wanted.poolProps.location.id)];
  const uint64_t base = device.memory.allocate(wanted.bytesize);
  if (base == 0) return nullptr;
  announce(device, base, wanted.bytesize, false);
  auto memory = std::make_shared<GraphMemory>();
  memory->asked = wanted;
  memory->asked.dptr = reinterpret_cast<void*>(base);
  memory->device = &device;
  const std::lock_guard lock(allocations().mutex);
  allocations().of_graphs[base] = memory;
  return memory;
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
  const std::lock_guard lock(allocations().mutex);
  const auto found = allocations().of_graphs.find(address_of(pointer));
  return found == allocations().of_graphs.end() ? nullptr : found->second.lock();
}

cudaError_t plan_launch(const std::vector<MemoryStep>& steps, bool frees_by_itself,
                        std::vector<std::shared_ptr<GraphMemory>>& freed_first) {
  const std::lock_guard lock(allocations().mutex);
  std::unordered_map<std::shared_ptr<GraphMemory>, bool> is_there;
  for (const auto& [memory, frees] : steps) {
    const auto [state, is_first] = is_there.try_emplace(memory, memory->is_left());
    if (!frees && state->second) {
      if (!frees_by_itself || !is_first) {
        return refuse(cudaErrorInvalidValue, [] {
          return refusal("was given a graph that allocates memory which an earlier launch has left",
                         "free the memory before, or cudaGraphInstantiateFlagAutoFreeOnLaunch");
        });
      }
      freed_first.push_back(memory);
    }
    if (frees && !state->second) return cudaErrorInvalidValue;
    state->second = !frees;
  }
  for (const auto& [memory, is_left] : is_there) memory->left = is_left ? memory : nullptr;
  return cudaSuccess;
}

bool begin(GraphMemory& memory) {
  const uint64_t base = address_of(memory.pointer());
  if (!std::exchange(memory.has_begun, true)) return true;  // it was there from the node on
  if (memory.device->memory.find(base) != nullptr) return true;
  if (!memory.device->memory.revive(base)) return false;
  announce(*memory.device, base, memory.asked.bytesize, false);
  return true;
}

void end(GraphMemory& memory) {
  const uint64_t base = address_of(memory.pointer());
  if (memory.device->memory.find(base) != nullptr) give_back(base, memory.asked.bytesize);
}

void free_everything() {
  std::vector<std::shared_ptr<GraphMemory>> of_graphs;  // they end after the lock
  const std::lock_guard lock(allocations().mutex);
  for (const auto& [base, memory] : allocations().of_graphs) {
    auto kept = memory.lock();
    if (kept == nullptr || kept->device != &current_device()) continue;
    kept->left = nullptr;
    end(*kept);
    of_graphs.push_back(std::move(kept));
  }
  for (auto it = allocations().made.begin(); it != allocations().made.end();) {
    const auto next = std::next(it);
    if (it->second.device == &current_device()) {
      allocations().reset.insert(it->first);
      give_back(it);
    }
    it = next;
  }
  current_device().memory.release_heap();
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return synchronous([&] { return allocate(pointer, bytes, Origin::device); });
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    return allocate_in(*in, pointer, bytes, current_pool());
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t handle,
                                    cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    const std::shared_ptr<Pool> pool = find_pool(handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    return allocate_in(*in, pointer, bytes, pool);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return synchronous([&] {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    if (width > std::numeric_limits<size_t>::max() - PITCH_ALIGNMENT) return cudaErrorInvalidValue;
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size_t bytes = 0;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return cudaErrorMemoryAllocation;
    return allocate(pointer, bytes, Origin::device);
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(pointer, bytes, Origin::managed);
  });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    constexpr unsigned int KNOWN =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    return allocate(pointer, bytes, Origin::pinned);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return synchronous([&] {
    const Allocation* const found = device_at(host).memory.find(address_of(host));
    if (device == nullptr || flags != 0 || found == nullptr || !found->host_visible) {
      return cudaErrorInvalidValue;
    }
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    constexpr unsigned int KNOWN =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (pointer == nullptr || bytes == 0 || (flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    const bool adopted = current_device().memory.adopt(pointer, bytes);
    return adopted ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return synchronous([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t fault = wait_for_device(); fault != cudaSuccess) return fault;
    const bool known = !is_managed_variable(pointer) && current_device().memory.forget(pointer);
    return known ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaFree(void* pointer) {
  return synchronous([&] {
    note_wait();
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = check_captures(); error != cudaSuccess) return error;
    if (SimulatedDevice& owner = device_at(pointer); &owner != &current_device())
      host_waited(run_all(owner));
    const cudaError_t fault = wait_for_device();
    return fault != cudaSuccess ? fault : release(pointer, false);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    if (pointer == nullptr) return cudaSuccess;
    FreeWork work{pointer, find_graph_memory(pointer)};
    if (in->recorder != nullptr) {
      if (work.memory != nullptr) return in->recorder->record(work);
      return in->recorder->invalidate(cudaErrorStreamCaptureUnsupported);
    }
    const cudaError_t refused = release(pointer, false, false);
    return refused != cudaSuccess ? refused : hand_over(in, work);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return synchronous([&] {
    note_wait();
    const cudaError_t fault = wait_for_device();
    return fault != cudaSuccess ? fault : release(pointer, true);
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return synchronous([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = current_device().memory.free_bytes();
    *total = current_device().memory.total_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return synchronous([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    constexpr int NO_DEVICE = -2;
    void* const same = const_cast<void*>(pointer);
    const Allocation* const found = device_at(pointer).memory.find(address_of(pointer));
    if (found == nullptr) {
      *attributes = {cudaMemoryTypeUnregistered, NO_DEVICE, nullptr, same};
      return cudaSuccess;
    }
    const int owner = static_cast<int>(found->device);
    if (!found->host_visible) {
      *attributes = {cudaMemoryTypeDevice, owner, same, nullptr};
      return cudaSuccess;
    }
    *attributes = {is_managed(*found) ? cudaMemoryTypeManaged : cudaMemoryTypeHost, owner, same,
                   same};
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    return finish(line(to, from, bytes, kind));
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream(stream,
                   [&](const AnyStream& in) { return start(in, line(to, from, bytes, kind)); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  return synchronous([&] {
    note_wait();
    if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
    return finish(line(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
    return start(in, line(to, from, bytes, cudaMemcpyDeviceToDevice));
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    const CopyWork work = rectangle(to, to_pitch, from, from_pitch, width, height, kind);
    const cudaError_t refused = check_pitches(work);
    return refused != cudaSuccess ? refused : finish(work);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    const CopyWork work = rectangle(to, to_pitch, from, from_pitch, width, height, kind);
    const cudaError_t refused = check_pitches(work);
    return refused != cudaSuccess ? refused : start(in, work);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    CopyWork work;
    const cudaError_t error = copy_to_symbol(symbol, from, bytes, offset, kind, work);
    return error != cudaSuccess ? error : finish(work);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    CopyWork work;
    const cudaError_t error = copy_from_symbol(to, symbol, bytes, offset, kind, work);
    return error != cudaSuccess ? error : finish(work);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    CopyWork work;
    const cudaError_t error = copy_to_symbol(symbol, from, bytes, offset, kind, work);
    return error != cudaSuccess ? error : start_in(in, work);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    CopyWork work;
    const cudaError_t error = copy_from_symbol(to, symbol, bytes, offset, kind, work);
    return error != cudaSuccess ? error : start_in(in, work);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                 cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream&) { return check_managed(pointer, bytes, device); });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise /*advice*/,
                          int device) {
  return synchronous([&] { return check_managed(pointer, bytes, device); });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return synchronous([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return part_of_symbol(symbol, 0, 0, pointer);
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return synchronous([&] {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    const Variable variable = find_variable(symbol);
    if (variable.address == 0) return refuse_symbol();
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return synchronous([&] { return finish(fill_line(pointer, value, bytes)); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return in_stream(
      stream, [&](const AnyStream& in) { return start(in, fill_line(pointer, value, bytes)); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return synchronous([&] { return finish(fill_rectangle(pointer, pitch, value, width, height)); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream& in) {
    return start(in, fill_rectangle(pointer, pitch, value, width, height));
  });
}

}  // extern "C"

// The forms of CUDA 13 are C++.
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  return in_stream(stream, [&](const AnyStream&) {
    return flags == 0 ? check_managed(pointer, bytes, location) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise /*advice*/,
                          cudaMemLocation location) {
  return synchronous([&] { return check_managed(pointer, bytes, location); });
}

#include "simulator/runtime/api/work.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/host_limits.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::runtime {
namespace {

// Each argument lies at a multiple of the largest alignment that a parameter can have.
constexpr size_t ARGUMENT_ALIGNMENT = 16;

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Returns the host address of a region; nullptr if it is no longer within an allocation.
std::byte* bytes_of(const Region& region, const Box& box) {
  size_t bytes = 0;
  if (!box.span(region, &bytes)) return nullptr;
  const DeviceMemory& memory = device_at(region.pointer).memory;
  if (memory.owns(address_of(region.pointer)))
    return memory.host_pointer(address_of(region.pointer), bytes);
  return static_cast<std::byte*>(region.pointer);
}

StreamWork stream_work(const char* name, bool is_kernel, const Issue& issue) {
  return {.name = name,
          .is_kernel = is_kernel,
          .operation = issue.number,
          .stream = issue.stream,
          .position = issue.position,
          .has_others = has_several_streams(),
          .before = issue.clock};
}

void publish_conflicts(SimulatedDevice& device) {
  for (const StreamConflict& conflict : device.shadow.streams.take_conflicts())
    publish(&Watcher::streams_conflict, conflict);
}

// Notes the bytes of a copy or fill that some stream's work may use too.
void note_bytes(const Region& region, const Box& box, bool writes,
                std::vector<TouchedBytes>& bytes) {
  if (!device_at(region.pointer).memory.owns(address_of(region.pointer))) return;
  bytes.push_back({.first = address_of(region.pointer),
                   .width = box.width,
                   .pitch = region.pitch,
                   .height = box.height,
                   .slice = region.slice,
                   .depth = box.depth,
                   .writes = writes});
}

void compare_with_streams(const std::vector<TouchedBytes>& bytes, const Issue& issue) {
  if (!looks_for_hazards() || bytes.empty()) return;
  issue.device->shadow.copied(stream_work(issue.call, false, issue), bytes);
  publish_conflicts(*issue.device);
}

void do_work(const EmptyWork&, const Issue&) {}

void do_work(const KernelWork& work, const Issue& issue) {
  std::optional<Fault> fault;
  try {
    const DeviceAtWork at_work;
    const StreamWork begun = stream_work(work.kernel->demangled().c_str(), true, issue);
    const StreamOrder::Beginning beginning(begun);
    fault = work.kernel->run(work.shape, work.arguments.pointers().data());
  } catch (const std::bad_alloc&) {
    fault = Fault{
        .kind = FaultKind::host_memory, .kernel = work.kernel->demangled(), .host = host_memory()};
  }
  if (fault) {
    kernel_failed(*issue.device, std::move(*fault));
  } else {
    publish(&Watcher::launched, work.kernel->demangled(), issue);
    publish_conflicts(*issue.device);
  }
}

// Reports a copy of unwritten memory to the host.
void check_written(const CopyWork& work, const Issue& issue) {
  size_t bytes = 0;
  const SimulatedDevice& device = device_at(work.from.pointer);
  if (!work.box.span(work.from, &bytes) || device.memory.owns(address_of(work.to.pointer)) ||
      !device.shadow.is_untouched(address_of(work.from.pointer), bytes))
    return;
  tell_of_call(HazardKind::unwritten_read, [&] {
    const std::string count = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    return Refusal{std::string(issue.call) + " copies " + count +
                       " to the host that nobody wrote: " +
                       device.memory.place_of(address_of(work.from.pointer)).text(),
                   "check cudaGetLastError() after the launch that should have written them: did "
                   "it run, and is "
                   "this its buffer?",
                   ""};
  });
}

// Calls write(plane, row, offset of the row) for each row of a box, and marks the row as written.
template <typename Write>
void write_rows(const Region& to, const Box& box, Write write) {
  const DeviceAtWork at_work;
  DeviceShadow& shadow = device_at(to.pointer).shadow;
  for (size_t plane = 0; plane < box.depth; ++plane) {
    for (size_t row = 0; row < box.height; ++row) {
      const size_t at = plane * to.slice + row * to.pitch;
      write(plane, row, at);
      shadow.written(address_of(to.pointer) + at, box.width);
    }
  }
}

void do_work(const CopyWork& work, const Issue& issue) {
  std::byte* const to = bytes_of(work.to, work.box);
  const std::byte* const from = bytes_of(work.from, work.box);
  if (to == nullptr || from == nullptr) return;
  check_written(work, issue);
  std::vector<TouchedBytes> bytes;
  note_bytes(work.to, work.box, true, bytes);
  note_bytes(work.from, work.box, false, bytes);
  compare_with_streams(bytes, issue);
  write_rows(work.to, work.box, [&](size_t plane, size_t row, size_t at) {
    std::memmove(to + at, from + plane * work.from.slice + row * work.from.pitch, work.box.width);
  });
}

void do_work(const FillWork& work, const Issue& issue) {
  std::byte* const to = bytes_of(work.to, work.box);
  if (to == nullptr) return;
  std::vector<TouchedBytes> bytes;
  note_bytes(work.to, work.box, true, bytes);
  compare_with_streams(bytes, issue);
  write_rows(work.to, work.box, [&](size_t /*plane*/, size_t /*row*/, size_t at) {
    if (work.element == 1) {
      std::memset(to + at, static_cast<int>(work.value), work.box.width);
    } else {
      for (size_t i = 0; i + work.element <= work.box.width; i += work.element)
        std::memcpy(to + at + i, &work.value, work.element);
    }
  });
}

void do_work(const HostWork& work, const Issue& issue) {
  run_host_function([&] { work.function(work.data); }, issue);
}

void do_work(const AllocateWork& work, const Issue& issue) {
  if (begin(*work.memory)) return;
  kernel_failed(*issue.device, {.kind = FaultKind::host_memory,
                                .kernel = "an allocation of a graph",
                                .block_bytes = work.memory->asked.bytesize,
                                .host = host_memory()});
}

void do_work(const FreeWork& work, const Issue&) {
  if (work.memory != nullptr) {
    end(*work.memory);
  } else {
    end_allocation(work.pointer);
  }
}

void do_work(const LibraryWork& work, const Issue& issue) {
  const auto is_there = [](const LibraryWork::Range& range) {
    const uint64_t address = address_of(range.pointer);
    return device_at(range.pointer).memory.host_pointer(address, range.bytes) != nullptr;
  };
  if (!std::ranges::all_of(work.ranges, is_there)) return;  // freed since the call
  std::vector<TouchedBytes> bytes;
  for (const LibraryWork::Range& range : work.ranges) {
    const Region region{.pointer = range.pointer, .pitch = range.bytes, .slice = range.bytes};
    note_bytes(region, Box{.width = range.bytes}, range.is_written, bytes);
  }
  compare_with_streams(bytes, issue);
  const DeviceAtWork at_work;
  try {
    work.compute();
  } catch (const std::bad_alloc&) {
    kernel_failed(*issue.device,
                  {.kind = FaultKind::host_memory, .kernel = work.name, .host = host_memory()});
  } catch (const OutsideMemory& outside) {
    kernel_failed(*issue.device,
                  {.kind = FaultKind::out_of_bounds,
                   .kernel = work.name,
                   .address = address_of(outside.pointer),
                   .place = issue.device->memory.place_of(address_of(outside.pointer))});
  }
  for (const LibraryWork::Range& range : work.ranges) {
    if (range.is_written)
      device_at(range.pointer).shadow.written(address_of(range.pointer), range.bytes);
  }
}

}  // namespace

Arguments::Arguments(const Kernel& kernel, void* const* from) {
  const std::vector<size_t> sizes = kernel.parameter_bytes();
  size_t bytes = 0;
  for (const size_t size : sizes) {
    offsets_.push_back(bytes);
    bytes += (size + ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT * ARGUMENT_ALIGNMENT;
  }
  bytes_.resize(bytes);
  for (size_t i = 0; i < sizes.size(); ++i)
    std::memcpy(bytes_.data() + offsets_[i], from[i], sizes[i]);
}

std::vector<void*> Arguments::pointers() const {
  std::vector<void*> all;
  for (const size_t offset : offsets_)
    all.push_back(const_cast<std::byte*>(bytes_.data()) + offset);
  return all;
}

std::vector<uint64_t> Arguments::shared_with_host() const {
  std::vector<uint64_t> bases;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes_.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + at, sizeof word);
    const Allocation* const around = current_device().memory.find(word);
    if (around != nullptr && around->host_visible &&
        std::find(bases.begin(), bases.end(), around->base) == bases.end())
      bases.push_back(around->base);
  }
  return bases;
}

bool Box::span(const Region& region, size_t* bytes) const {
  size_t planes = 0;
  size_t rows = 0;
  return !__builtin_mul_overflow(depth - 1, region.slice, &planes) &&
         !__builtin_mul_overflow(height - 1, region.pitch, &rows) &&
         !__builtin_add_overflow(planes, rows, bytes) &&
         !__builtin_add_overflow(*bytes, width, bytes);
}

void run_host_function(const std::function<void()>& function, const Issue& issue) {
  {
    const DeviceAtWork at_work;  // its memory is not watched: it runs after the earlier work
    function();
  }
  host_waited(issue.clock);  // it may have told other host code
  publish(&Watcher::waited);
}

void perform(const Work& work, const Issue& issue) {
  if (device_failed(*issue.device)) return;
  std::visit([&](const auto& one) { do_work(one, issue); }, work);
}

}  // namespace simulator::runtime

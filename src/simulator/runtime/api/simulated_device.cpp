#include "simulator/runtime/api/simulated_device.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"

namespace simulator {

namespace {

// Returns the number that SIMULATOR_DEVICES asks for.
uint32_t device_count() {
  const char* const text = std::getenv("SIMULATOR_DEVICES");
  if (text == nullptr || *text == '\0') return 1;
  uint32_t count = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, count);
  if (error == std::errc{} && rest == end && count >= 1 && count <= DeviceMemory::MOST_DEVICES)
    return count;
  std::fprintf(stderr,
               "simulated GPU: SIMULATOR_DEVICES is '%s'; it must be a number from 1 to %u, and is "
               "ignored\n",
               text, DeviceMemory::MOST_DEVICES);
  return 1;
}

thread_local SimulatedDevice* current = nullptr;  // nullptr: the first

}  // namespace

const std::vector<SimulatedDevice*>& devices() {
  // Never destroyed: a program's static objects may still make calls in their destructors.
  static const auto* const all = [] {
    auto* const made = new std::vector<SimulatedDevice*>{new SimulatedDevice};
    const uint32_t count = device_count();
    while (made->size() < count) {
      made->push_back(new SimulatedDevice(*made->front(), static_cast<uint32_t>(made->size())));
    }
    return made;
  }();
  return *all;
}

bool is_device(int number) { return number >= 0 && static_cast<size_t>(number) < devices().size(); }

SimulatedDevice& current_device() {
  if (current == nullptr) current = devices().front();
  return *current;
}

void set_current_device(SimulatedDevice& device) { current = &device; }

SimulatedDevice& device_at(const void* pointer) {
  const std::optional<uint32_t> number =
      DeviceMemory::device_of(reinterpret_cast<uint64_t>(pointer));
  return number && *number < devices().size() ? *devices()[*number] : current_device();
}

void reset_counters() { current_device().counters.reset(); }
Counters counters() { return current_device().counters.since_reset(); }
std::vector<KernelUse> kernels_used() { return current_device().counters.kernels_used(); }
Counters program_counters() { return current_device().counters.since_start(); }
std::vector<LaunchCounters> launch_counters() { return current_device().counters.launches(); }

void record_requests(const lens::Wanted& wanted) { current_device().requests.start(wanted); }
std::vector<lens::Request> recorded_requests() { return current_device().requests.requests(); }

void record_timelines(const std::string& kernel, uint64_t block) {
  current_device().timelines.start(TimelineStore::Wanted{kernel, block});
}
void stop_recording_timelines() { current_device().timelines.start(std::nullopt); }
std::vector<lens::Timeline> recorded_timelines() { return current_device().timelines.timelines(); }

void record_layouts(const std::string& file, int line) {
  current_device().layouts.start(LayoutStore::Wanted{file, line});
}
void stop_recording_layouts() { current_device().layouts.start(std::nullopt); }
std::vector<lens::Layout> recorded_layouts() { return current_device().layouts.layouts(); }

std::vector<lens::MatrixProduct> matrix_products(const Counters& counters) {
  std::vector<lens::MatrixProduct> products;
  constexpr int MOST_ROWS = 16;  // of a warp's product; wgmma's matrices lie in shared memory
  for (const TensorCounters& row : counters.tensor) {
    if (row.m > MOST_ROWS) continue;
    products.push_back({.kernel = row.kernel,
                        .file = row.where.file,
                        .line = row.where.line,
                        .instruction = row.instruction,
                        .format = row.format,
                        .sum = row.sum,
                        .m = static_cast<size_t>(row.m),
                        .n = static_cast<size_t>(row.n),
                        .k = static_cast<size_t>(row.k),
                        .warps = row.warps});
  }
  return products;
}

}  // namespace simulator

#include "simulator/runtime/api/simulated_device.hpp"

#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"

namespace simulator {

SimulatedDevice& current_device() {
  // Never destroyed: a program's static objects may still make calls in their destructors.
  static SimulatedDevice* const device = new SimulatedDevice;
  return *device;
}

SimulatedDevice& device_at(const void* /*pointer*/) { return current_device(); }

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
  constexpr int ROWS = 16;  // of a warp's product; wgmma's matrices lie in shared memory
  for (const TensorCounters& row : counters.tensor) {
    if (row.m != ROWS) continue;
    products.push_back({.kernel = row.kernel,
                        .file = row.where.file,
                        .line = row.where.line,
                        .instruction = row.instruction,
                        .format = row.format,
                        .m = static_cast<size_t>(row.m),
                        .n = static_cast<size_t>(row.n),
                        .k = static_cast<size_t>(row.k),
                        .warps = row.warps});
  }
  return products;
}

}  // namespace simulator

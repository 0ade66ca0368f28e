#include "simulator/runtime/api/simulated_device.hpp"

#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"

namespace simulator {

SimulatedDevice& current_device() {
  // Never destroyed: a program's static objects may still make calls in their destructors.
  static SimulatedDevice* const device = new SimulatedDevice;
  return *device;
}

void reset_counters() { current_device().counters.reset(); }
Counters counters() { return current_device().counters.since_reset(); }
std::vector<KernelUse> kernels_used() { return current_device().counters.kernels_used(); }
Counters program_counters() { return current_device().counters.since_start(); }
std::vector<LaunchCounters> launch_counters() { return current_device().counters.launches(); }

void record_requests(const lens::Wanted& wanted) { current_device().requests.start(wanted); }
std::vector<lens::Request> recorded_requests() { return current_device().requests.requests(); }

}  // namespace simulator

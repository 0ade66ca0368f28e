#include <string>

#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

const char* verb(bool writes) { return writes ? "write" : "read"; }

std::string line_number(const HostLine& line) { return "line " + std::to_string(line.where.line); }

Hazard hazard_of(const StreamConflict& conflict) {
  const auto& [before, after, before_writes, after_writes, address] = conflict;
  const HostLine first = line_of(site_of_operation(before.operation));
  const HostLine second = line_of(site_of_operation(after.operation));
  const DeviceMemory& memory = device_at(reinterpret_cast<void*>(address)).memory;
  const Allocation* const around = memory.find(address);
  const std::string name = around == nullptr ? "memory" : memory.name_of(around->id);

  Hazard hazard;
  hazard.kind = HazardKind::stream_race;
  if (after.is_kernel) hazard.kernel = after.name;
  hazard.where = second.where;
  hazard.other = first.where;
  if (!second.known()) hazard.code = std::string(before.name) + " and " + after.name;
  hazard.message.what = std::string(after.name) + " " + verb(after_writes) + "s " + name +
                        " while " + before.name + " of another stream may still " +
                        verb(before_writes) + " it: nothing orders the two";
  std::string& where = hazard.message.where;
  where = second.known() ? second.text() : "a line of host code that is not known";
  if (around != nullptr)
    where += ": byte " + std::to_string(address - around->base) + " of " + name;
  if (first.known()) where += ", after " + std::string(before.name) + " at " + first.text();
  const bool has_lines = first.known() && second.known();
  hazard.message.advice =
      has_lines ? "cudaEventRecord in the stream of " + line_number(first) +
                      " after it, and cudaStreamWaitEvent in the stream of " + line_number(second) +
                      " before it; or one stream for both"
                : "cudaEventRecord in the one stream, and cudaStreamWaitEvent in the other; or one "
                  "stream for both";
  return hazard;
}

class StreamRaces final : public Watcher {
 public:
  void streams_conflict(const StreamConflict& conflict) override {
    current_device().hazards.add(hazard_of(conflict));
  }
};

}  // namespace

Watcher& stream_races() {
  static StreamRaces watcher;
  return watcher;
}

}  // namespace simulator::runtime

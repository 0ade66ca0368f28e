// nlohmann/json costs users of the library nothing, because it is header-only, and it escapes names correctly.
// Its namespace contains its version, so a program may use another version.
#include <nlohmann/json.hpp>

#include "simulator/runtime/exit/report.hpp"

namespace simulator::runtime {
namespace {

using Json = nlohmann::ordered_json;  // in the order for a reader

constexpr int SCHEMA = 1;

Json extent(const Dim3& size) { return {size.x, size.y, size.z}; }

Json sums(const Counters& counters) {
  return {{"warp_instructions", counters.warp_instructions},
          {"lane_instructions", counters.lane_instructions},
          {"ffma", counters.ffma},
          {"flops", counters.flops},
          {"tensor_flops", counters.tensor_flops},
          {"barriers", counters.barriers},
          {"blocks", counters.blocks}};
}

Json instructions(const Counters& counters) {
  Json list = Json::array();
  for (const InstructionCount& count : counters.instructions) {
    list.push_back({{"kind", count.kind}, {"warps", count.warps}, {"lanes", count.lanes}});
  }
  return list;
}

Json accesses(const Counters& counters) {
  Json list = Json::array();
  for (const AccessCounters& a : counters.accesses) {
    list.push_back({{"file", a.where.file},
                    {"line", a.where.line},
                    {"instruction", a.instruction},
                    {"access", access_name(a.access)},
                    {"buffer", a.buffer},
                    {"bytes_per_lane", a.bytes_per_lane},
                    {"requests", a.requests},
                    {"lanes", a.lanes},
                    {"bytes_asked", a.bytes_asked},
                    {"bytes_used", a.bytes_used},
                    {"sectors", a.sectors},
                    {"lines", a.lines},
                    {"wavefronts", a.wavefronts},
                    {"bank_conflicts", a.bank_conflicts}});
  }
  return list;
}

Json tensor(const Counters& counters) {
  Json list = Json::array();
  for (const TensorCounters& row : counters.tensor) {
    list.push_back({{"file", row.where.file},
                    {"line", row.where.line},
                    {"instruction", row.instruction},
                    {"format", row.format},
                    {"sum", row.sum},
                    {"warps", row.warps},
                    {"flops", row.flops}});
  }
  return list;
}

}  // namespace

std::string json_report(const Counters& program, const std::vector<LaunchCounters>& launches,
                        const std::vector<uint32_t>& devices) {
  Json list = Json::array();
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchCounters& launch = launches[i];
    list.push_back({{"kernel", launch.kernel},
                    {"first_launch", launch.first},
                    {"times", launch.times},
                    {"grid", extent(launch.grid)},
                    {"block", extent(launch.block)},
                    {"registers_per_thread", launch.registers_per_thread},
                    {"shared_bytes", launch.shared_bytes},
                    {"blocks_per_multiprocessor", launch.blocks_per_multiprocessor},
                    {"counters", sums(launch.counters)},
                    {"instructions", instructions(launch.counters)},
                    {"tensor", tensor(launch.counters)},
                    {"accesses", accesses(launch.counters)}});
    if (!devices.empty()) list.back()["device"] = devices[i];
  }
  Json totals = {{"launches", program.launches}, {"repeats", program.repeats}};
  totals.update(sums(program));
  const Json report = {{"schema", SCHEMA},
                       {"simulator", SIMULATOR_VERSION},
                       {"launches", std::move(list)},
                       {"totals", std::move(totals)}};
  // A path may not be valid UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace simulator::runtime

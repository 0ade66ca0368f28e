#include "simulator/execute/watch/array_bounds.hpp"

#include <bit>
#include <string>

#include "simulator/execute/watch/lane_hazards.hpp"
#include "simulator/hazards/describe.hpp"

namespace simulator {
namespace {

std::string elements_text(uint64_t bytes, uint32_t bytes_of_one) {
  const uint64_t count = bytes / bytes_of_one;
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

void report_beyond_array(const Warp& w, uint32_t site, const Pattern& pattern, uint64_t first) {
  const Program& program = w.block->worker->program;
  const SiteInfo& info = program.sites[site];
  const SharedVariable& variable = program.shared_variables[static_cast<size_t>(info.variable)];
  const uint64_t end = variable.end(w.block->shared_bytes);
  for (uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t at = first + static_cast<uint64_t>(pattern.distance[static_cast<size_t>(lane)]);
    if (at >= variable.offset && at + info.bytes <= end) continue;
    report_hazard(
        w, HazardKind::beyond_array, info.instruction, info.instruction, lane, at,
        [&](Message& message) {
          const bool is_before = at < variable.offset;
          const uint64_t distance = is_before ? variable.offset - at : at - variable.offset;
          const std::string kernel = program.demangled;
          message.what = "access beyond a shared array in " + kernel + ": " + variable.name +
                         " has " + std::to_string(end - variable.offset) + " bytes, and " +
                         (is_before ? "the index reaches " + std::to_string(distance) +
                                          " bytes before its first"
                                    : "the index reaches its byte " + std::to_string(distance));
          message.where += ", " + shared_place(program, is_before || at >= end ? at : end);
          message.advice = "an index that stays within " + variable.name + " (" +
                           elements_text(end - variable.offset, info.bytes) + " of " +
                           std::to_string(info.bytes) + " bytes), or a larger array";
        });
    return;
  }
}

}  // namespace simulator

#include "simulator/hazards/launch_context.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "simulator/hazards/device_shadow.hpp"

namespace simulator {
namespace {

uint32_t narrowest(const Program& program) {
  const bool has_narrow = std::any_of(program.sites.begin(), program.sites.end(),
                                      [](const SiteInfo& site) { return site.bytes % 4 != 0; });
  return has_narrow ? 1 : 4;
}

Strength strength_of_opcode(std::string_view opcode) {
  static const std::set<std::string_view> strong = {"volatile", "relaxed", "acquire",
                                                    "release",  "acq_rel", "cv"};
  if (opcode.starts_with("atom.") || opcode.starts_with("red.")) return Strength::atomic;
  while (!opcode.empty()) {
    const size_t dot = std::min(opcode.find('.'), opcode.size());
    if (strong.contains(opcode.substr(0, dot))) return Strength::strong;
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
  }
  return Strength::weak;
}

}  // namespace

LaunchContext::LaunchContext(const Program& p, bool helpers)
    : program(p),
      has_helpers(helpers),
      number(DeviceShadow::instance().begin_launch()),
      unit(narrowest(p)) {
  std::map<std::pair<std::string_view, int>, uint32_t> numbers;
  lines_.reserve(p.sources.size());
  strengths_.reserve(p.sources.size());
  for (uint32_t i = 0; i < p.sources.size(); ++i) {
    const SourceLine& where = p.sources[i].where;
    lines_.push_back(
        where.file.empty() ? i : numbers.try_emplace({where.file, where.line}, i).first->second);
    strengths_.push_back(strength_of_opcode(p.sources[i].opcode));
  }
}

LaunchContext::~LaunchContext() { DeviceShadow::instance().end_launch(); }

}  // namespace simulator

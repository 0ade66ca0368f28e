#include "simulator/hazards/launch_hazards.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace simulator {

LaunchHazards::Seen* LaunchHazards::find(uint64_t key) {
  const auto known =
      std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.key == key; });
  return known == seen_.end() ? nullptr : &*known;
}

// Drops hazards that follow from another, so that one mistake is reported once. A read before another thread's
// write is a race, and not a read of unwritten memory. A use before a copy lands is an early use, and not a race
// with the landing copy.
void LaunchHazards::drop_consequences() {
  using Line = std::pair<std::string, int>;
  const auto line = [](const SourceLine& where) { return Line{where.file, where.line}; };
  std::set<Line> raced;
  std::set<std::pair<Line, Line>> early;
  for (const Seen& seen : seen_) {
    const Hazard& hazard = seen.hazard;
    if (hazard.where.file.empty()) continue;
    if (hazard.kind == HazardKind::race) raced.insert({line(hazard.where), line(hazard.other)});
    if (hazard.kind != HazardKind::early_use) continue;
    early.insert({line(hazard.where), line(hazard.other)});
    early.insert({line(hazard.other), line(hazard.where)});
  }
  std::erase_if(seen_, [&](const Seen& seen) {
    const Hazard& hazard = seen.hazard;
    if (hazard.kind == HazardKind::unwritten_read) return raced.contains(line(hazard.where));
    return hazard.kind == HazardKind::race &&
           early.contains({line(hazard.where), line(hazard.other)});
  });
}

std::vector<Hazard> LaunchHazards::take() {
  const std::lock_guard lock(mutex_);
  const auto order = [](const Seen& s) {
    return std::tie(s.hazard.where.file, s.hazard.where.line, s.hazard.other.file,
                    s.hazard.other.line, s.key);
  };
  std::sort(seen_.begin(), seen_.end(),
            [&](const Seen& a, const Seen& b) { return order(a) < order(b); });
  drop_consequences();
  std::vector<Hazard> hazards;
  for (Seen& seen : seen_) {
    seen.hazard.times = seen.times;
    hazards.push_back(std::move(seen.hazard));
  }
  seen_.clear();
  return hazards;
}

}  // namespace simulator

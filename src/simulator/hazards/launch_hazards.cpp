#include "simulator/hazards/launch_hazards.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "simulator/hazards/hazard_store.hpp"

namespace simulator {

LaunchHazards::Seen* LaunchHazards::find(uint64_t key) {
  const auto known =
      std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.key == key; });
  return known == seen_.end() ? nullptr : &*known;
}

// What is read before another thread has written it is a race, and no read of what nobody wrote.
void LaunchHazards::drop_consequences() {
  std::set<std::pair<std::string, int>> lines;
  for (const Seen& seen : seen_) {
    if (seen.hazard.kind != HazardKind::race) continue;
    lines.emplace(seen.hazard.where.file, seen.hazard.where.line);
    lines.emplace(seen.hazard.other.file, seen.hazard.other.line);
  }
  std::erase_if(seen_, [&](const Seen& seen) {
    const SourceLine& where = seen.hazard.where;
    return seen.hazard.kind == HazardKind::unwritten_read && !where.file.empty() &&
           lines.contains({where.file, where.line});
  });
}

void LaunchHazards::publish() {
  const std::lock_guard lock(mutex_);
  const auto order = [](const Seen& s) {
    return std::tie(s.hazard.where.file, s.hazard.where.line, s.hazard.other.file,
                    s.hazard.other.line, s.key);
  };
  std::sort(seen_.begin(), seen_.end(),
            [&](const Seen& a, const Seen& b) { return order(a) < order(b); });
  drop_consequences();
  for (Seen& seen : seen_) {
    seen.hazard.times = seen.times;
    HazardStore::instance().add(std::move(seen.hazard));
  }
  seen_.clear();
}

}  // namespace simulator

#include "simulator/hazards/launch_hazards.hpp"

#include <algorithm>
#include <tuple>

#include "simulator/hazards/hazard_store.hpp"

namespace simulator {

LaunchHazards::Seen* LaunchHazards::find(uint64_t key) {
  const auto known =
      std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.key == key; });
  return known == seen_.end() ? nullptr : &*known;
}

void LaunchHazards::publish() {
  const std::lock_guard lock(mutex_);
  const auto order = [](const Seen& s) {
    return std::tie(s.hazard.where.file, s.hazard.where.line, s.hazard.other.file,
                    s.hazard.other.line, s.key);
  };
  std::sort(seen_.begin(), seen_.end(),
            [&](const Seen& a, const Seen& b) { return order(a) < order(b); });
  for (Seen& seen : seen_) {
    seen.hazard.times = seen.times;
    HazardStore::instance().add(std::move(seen.hazard));
  }
  seen_.clear();
}

}  // namespace simulator

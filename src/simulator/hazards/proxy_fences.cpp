#include "simulator/hazards/proxy_fences.hpp"

#include <algorithm>
#include <utility>

namespace simulator {

void ProxyFences::start(uint32_t threads) {
  times_.assign(threads, {});
  recent_.assign(threads, {});
}

void ProxyFences::pass(uint32_t thread, Time time, std::vector<Time> known) {
  times_[thread].push_back(time);
  std::deque<Fence>& recent = recent_[thread];
  recent.push_back({time, std::move(known)});
  if (recent.size() > REMEMBERED) recent.pop_front();
}

bool ProxyFences::cover(const ClusterOrder& order, uint32_t writer, Time then,
                        uint32_t user) const {
  // The usual case: the writer passes a fence, and then a barrier.
  const std::vector<Time>& own = times_[writer];
  const auto first = std::lower_bound(own.begin(), own.end(), then);
  if (first != own.end() && order.is_after(user, writer, *first)) return true;
  for (uint32_t other = 0; other < recent_.size(); ++other) {
    for (const Fence& fence : recent_[other]) {
      if (then <= fence.known[writer] && order.is_after(user, other, fence.time)) return true;
    }
  }
  return false;
}

}  // namespace simulator

#include "simulator/hazards/proxy_fences.hpp"

#include <algorithm>
#include <utility>

namespace simulator {

void ProxyFences::start(uint32_t threads) {
  threads_ = threads;
  times_.clear();
  recent_.clear();
}

void ProxyFences::pass(uint32_t thread, Time time, std::vector<Time> known) {
  if (times_.empty()) {
    times_.resize(threads_);
    recent_.resize(threads_);
  }
  times_[thread].push_back(time);
  std::deque<Fence>& recent = recent_[thread];
  recent.push_back({time, std::move(known)});
  if (recent.size() > REMEMBERED) recent.pop_front();
}

bool ProxyFences::cover(const ClusterOrder& order, uint32_t writer, Time then,
                        uint32_t user) const {
  if (times_.empty()) return false;
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

// Fences between proxies: they hand the threads' accesses to shared memory over to bulk copies and wgmma.
//
// Bulk copies and wgmma reach shared memory by another way than loads and stores do (PTX manual, "Async proxy"). They see a
// thread's store only if a fence comes between: the thread, or one that knows of the store, passes the fence, and the copy or
// the product begins after it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/hazards/order.hpp"

namespace simulator {

class ProxyFences {
 public:
  void start(uint32_t threads);
  /// Records that a thread passes a fence at this time. `known`: see ClusterOrder::known_to.
  void pass(uint32_t thread, Time time, std::vector<Time> known);
  /// True if a fence comes between the writer's store at `then` and any use by `user` from now on.
  bool cover(const ClusterOrder& order, uint32_t writer, Time then, uint32_t user) const;

 private:
  struct Fence {
    Time time = 0;
    std::vector<Time> known{};  // by thread: the times up to which the fence hands over its work
  };
  static constexpr size_t REMEMBERED = 4;  // fences of a thread with their knowledge of others

  uint32_t threads_ = 0;
  // By thread; both are empty until a thread passes a fence.
  std::vector<std::vector<Time>> times_;  // of all its fences
  std::vector<std::deque<Fence>> recent_;
};

}  // namespace simulator

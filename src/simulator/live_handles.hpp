// The handles of a library that exist, so that any other pointer is refused and not followed.
#pragma once

#include <mutex>
#include <set>

namespace simulator {

/// Every function is thread-safe. An object is never destroyed (`new`, in a function): static objects of the program may still
/// make calls.
template <typename Handle>
class LiveHandles {
 public:
  void add(Handle handle) {
    const std::lock_guard lock(mutex_);
    all_.insert(handle);
  }
  /// Returns false if there was no such handle.
  bool remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }
  bool contains(Handle handle) const {
    const std::lock_guard lock(mutex_);
    return all_.contains(handle);
  }

 private:
  mutable std::mutex mutex_;
  std::set<Handle> all_;
};

}  // namespace simulator

// Where the workspaces of a launch lie, if not in the device's memory pool.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ladder {

/// While an object of this class exists, the workspaces of its thread's launches come from it. They lie one behind the other, at multiples
/// of 256 bytes, and the one that was taken last is given back first. Scopes of a thread do not nest.
class WorkspaceScope {
 public:
  static constexpr int64_t ALIGNMENT = 256;

  /// Workspaces lie in memory of the caller. `memory` is a multiple of 256 bytes, or null if `bytes` is 0.
  WorkspaceScope(void* memory, int64_t bytes)
      : WorkspaceScope(reinterpret_cast<uintptr_t>(memory), bytes, false) {}
  /// Launches do nothing but count the bytes of their workspaces.
  static WorkspaceScope counting() { return {ALIGNMENT, INT64_MAX, true}; }

  ~WorkspaceScope() { of_thread = nullptr; }
  WorkspaceScope(const WorkspaceScope&) = delete;
  WorkspaceScope& operator=(const WorkspaceScope&) = delete;

  /// Returns the scope of this thread, or nullptr.
  static WorkspaceScope* current() { return of_thread; }
  /// True if launches of this thread only count.
  static bool only_counts() { return of_thread != nullptr && of_thread->only_counts_; }

  /// Returns `bytes` of memory, or nullptr if fewer are left.
  void* take(int64_t bytes) {
    const int64_t whole = rounded(bytes);
    if (whole > bytes_ - taken_) return nullptr;
    const uintptr_t place = memory_ + static_cast<uintptr_t>(taken_);
    taken_ += whole;
    most_ = std::max(most_, taken_);
    return reinterpret_cast<void*>(place);
  }
  /// Gives back the last `bytes` that were taken.
  void give_back(int64_t bytes) { taken_ -= rounded(bytes); }

  /// Returns the largest number of bytes that were taken at one time.
  int64_t most_bytes() const { return most_; }

 private:
  WorkspaceScope(uintptr_t memory, int64_t bytes, bool only_counts)
      : memory_(memory), bytes_(bytes), only_counts_(only_counts) {
    of_thread = this;
  }
  static int64_t rounded(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

  inline static thread_local WorkspaceScope* of_thread = nullptr;

  uintptr_t memory_;
  int64_t bytes_, taken_ = 0, most_ = 0;
  bool only_counts_;
};

}  // namespace ladder

// The progress of a launch that takes long, as a line on the terminal.
//
// The line appears below the cursor if stderr is a terminal and the launch, or all launches so far, have taken ten seconds.
// SIMULATOR_PROGRESS sets another number of seconds; 0 switches the line off. A thread of its own draws it, so a launch only
// counts its blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace simulator {

/// While it lives, the launch is under way and may be shown. Then the line is taken away.
class ShownLaunch {
 public:
  /// `ended`: the number of its `blocks` that have ended. Both references must outlive the object.
  ShownLaunch(const std::string& kernel, uint64_t blocks, const std::atomic<uint64_t>& ended);
  ~ShownLaunch();
  ShownLaunch(const ShownLaunch&) = delete;
  ShownLaunch& operator=(const ShownLaunch&) = delete;
};

/// Takes the line away, and keeps it away while the object lives. For text that is written while a launch may be under way.
class HiddenProgress {
 public:
  HiddenProgress();

 private:
  std::unique_lock<std::mutex> drawing_;
};

}  // namespace simulator

// Shows the current step on one line of stderr that is overwritten. Silent without a terminal, and for steps shorter than a
// second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runner/machine/machine.hpp"

namespace runner {

class ProgressLine {
 public:
  /// Shows the line only if `wanted` and stderr is a terminal.
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Begins a step.
  void say(const std::string& text);
  /// Begins a step with a launch of another process.
  void say(const std::string& text, const std::optional<machine::LaunchProgress>& launch);

 private:
  using Clock = std::chrono::steady_clock;

  void keep_showing(const std::stop_token& stop);
  std::string line(const std::optional<machine::LaunchProgress>& launch) const;

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string text_;
  std::optional<std::optional<machine::LaunchProgress>> told_launch_{};  // of another process
  std::optional<Clock::time_point>
      launch_since_;         // when the running launch began, as far as was seen
  Clock::time_point since_;  // when the step began
  bool is_shown_ = false;
  std::jthread shows_;
};

}  // namespace runner

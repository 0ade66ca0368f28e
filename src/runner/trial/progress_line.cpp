#include "runner/trial/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <system_error>

#include "app/output.hpp"

namespace runner {
namespace {

using namespace std::chrono_literals;

constexpr auto WORTH_SHOWING = 1s;
constexpr auto EVERY = 200ms;
constexpr double WORTH_A_GUESS = 0.05;  // share done from which the rest can be estimated

std::string seconds_text(double seconds) {
  return seconds < 99.5 ? fmt::format("{:.0f} s", seconds)
                        : fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60),
                                      std::fmod(seconds, 60));
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) : since_(Clock::now()) {
  if (!wanted || isatty(STDERR_FILENO) != 1) return;
  try {
    shows_ = std::jthread([this](const std::stop_token& stop) { keep_showing(stop); });
    // NOLINTNEXTLINE(bugprone-empty-catch): no more threads are to be had
  } catch (const std::system_error&) {
  }
}

ProgressLine::~ProgressLine() {
  shows_.request_stop();
  wake_.notify_all();
  if (shows_.joinable()) shows_.join();
  if (is_shown_) write_stderr("\r\033[K");
}

void ProgressLine::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = text;
  since_ = Clock::now();
}

void ProgressLine::say(const std::string& text,
                       const std::optional<machine::LaunchProgress>& launch) {
  const std::lock_guard lock(mutex_);
  if (text != text_) since_ = Clock::now();
  text_ = text;
  told_launch_ = launch;
}

void ProgressLine::keep_showing(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  int64_t done = 0;  // finished blocks, at the last look
  while (!wake_.wait_for(lock, stop, EVERY, [&stop] { return stop.stop_requested(); })) {
    const auto launch = told_launch_ ? *told_launch_ : machine::progress();
    if (!launch) launch_since_.reset();
    if (launch && (!launch_since_ || launch->done < done)) launch_since_ = Clock::now();
    done = launch ? launch->done : 0;
    if (Clock::now() - since_ < WORTH_SHOWING) continue;
    write_stderr("\r\033[K" + line(launch));
    is_shown_ = true;
  }
}

// Returns "1024x1024x1024: 02_coalesced (3 of 13), 12 s; 410 of 1024 blocks, about 18 s left".
std::string ProgressLine::line(const std::optional<machine::LaunchProgress>& launch) const {
  const auto now = Clock::now();
  const auto seconds = [&](Clock::time_point since) {
    return std::chrono::duration<double>(now - since).count();
  };
  std::string text = fmt::format("{}, {}", text_, seconds_text(seconds(since_)));
  if (!launch) return text;
  text += fmt::format("; {} of {} blocks", launch->done, launch->blocks);
  const double share = static_cast<double>(launch->done) / static_cast<double>(launch->blocks);
  if (share > WORTH_A_GUESS && launch_since_) {
    text += fmt::format(", about {} left", seconds_text(seconds(*launch_since_) * (1 / share - 1)));
  }
  return text;
}

}  // namespace runner

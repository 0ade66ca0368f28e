#include "runner/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <system_error>

#include "runner/machine.hpp"
#include "runner/output.hpp"

namespace runner {
namespace {

using namespace std::chrono_literals;

constexpr auto WORTH_SHOWING = 1s;
constexpr auto EVERY = 200ms;
constexpr double WORTH_A_GUESS = 0.05;  // what must be done before the rest can be told from it

std::string seconds_text(double seconds) {
  return seconds < 99.5 ? fmt::format("{:.0f} s", seconds)
                        : fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60),
                                      std::fmod(seconds, 60));
}

}  // namespace

Progress::Progress(bool wanted) : since_(Clock::now()) {
  if (!wanted || isatty(STDERR_FILENO) != 1) return;
  try {
    shows_ = std::jthread([this](const std::stop_token& stop) { keep_showing(stop); });
  } catch (const std::system_error&) {  // no more threads are to be had
  }
}

Progress::~Progress() {
  shows_.request_stop();
  wake_.notify_all();
  if (shows_.joinable()) shows_.join();
  if (is_shown_) write_stderr("\r\033[K");
}

void Progress::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = text;
  since_ = Clock::now();
}

void Progress::keep_showing(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, EVERY, [&stop] { return stop.stop_requested(); })) {
    if (Clock::now() - since_ < WORTH_SHOWING) continue;
    write_stderr("\r\033[K" + line());
    is_shown_ = true;
  }
}

// "4096x4096x4096: 2 coalesced (3 of 13), 12 s, 40 %, about 18 s left"
std::string Progress::line() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  std::string text = fmt::format("{}, {}", text_, seconds_text(seconds));
  if (const auto done = machine::progress(); done && *done > WORTH_A_GUESS) {
    text += fmt::format(", {:.0f} % of the launch", 100 * *done);
  }
  return text;
}

}  // namespace runner

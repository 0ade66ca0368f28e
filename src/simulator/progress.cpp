#include "simulator/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace simulator {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Entry {
  const ShownLaunch* launch = nullptr;
  const std::string* kernel = nullptr;
  uint64_t number = 0;
  uint64_t blocks = 0;
  const std::atomic<uint64_t>* ended = nullptr;
  Clock::time_point start;
};

struct State {
  std::mutex mutex;
  std::condition_variable has_launch;
  std::vector<Entry> under_way;  // the oldest first
  uint64_t launches = 0;         // so far
  double seconds = 0;            // of the launches that have ended
  uint64_t drawings = 0;
  bool has_thread = false;
};
// Never destroyed: the thread may use it until the process ends.
State& state() {
  static State* const instance = new State;
  return *instance;
}
std::atomic<bool> is_shown{false};

// Returns the seconds after which the line appears, or 0 if it never does.
double seconds_until_shown() {
  constexpr double USUAL = 10;
  if (isatty(STDERR_FILENO) == 0) return 0;
  const char* const text = std::getenv("SIMULATOR_PROGRESS");
  if (text == nullptr || *text == '\0') return USUAL;
  double value = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error == std::errc{} && rest == end && value >= 0) return value;
  std::fprintf(stderr,
               "simulated GPU: SIMULATOR_PROGRESS is '%s'; it must be a number of seconds, 0 for "
               "no progress line, and is "
               "ignored\n",
               text);
  return USUAL;
}
double threshold() {
  static const double seconds = seconds_until_shown();
  return seconds;
}

void write_to_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Moves down and up again, so that there is a line below the cursor; saves the cursor; goes to the line's start.
constexpr std::string_view TO_LINE_BELOW = "\033D\033M\0337\r\033[B";
// Clears the rest of the line and goes back to the saved place.
constexpr std::string_view BACK = "\033[K\0338";

// The mutex is locked.
void hide() {
  if (!is_shown.exchange(false)) return;
  write_to_terminal(std::string(TO_LINE_BELOW) + std::string(BACK));
}

// Takes the line away and ends the program as if there were no handler.
extern "C" void hide_and_end(int signal) {
  if (is_shown.load()) {
    write_to_terminal(TO_LINE_BELOW);
    write_to_terminal(BACK);
  }
  std::raise(signal);
}

// Only if the program leaves the signal alone.
void handle_interrupt() {
  struct sigaction old{};
  if (sigaction(SIGINT, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 ||
      old.sa_handler != SIG_DFL)
    return;
  struct sigaction action{};
  action.sa_handler = hide_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigaction(SIGINT, &action, nullptr);
}

std::string duration(double seconds) {
  constexpr double MINUTE = 60, HOUR = 3600;
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  if (seconds < 1.5 * MINUTE) return whole(seconds) + " s";
  return seconds < 1.5 * HOUR ? whole(seconds / MINUTE) + " min" : whole(seconds / HOUR) + " h";
}

std::string describe(const Entry& entry, double elapsed) {
  const uint64_t ended = std::min(entry.ended->load(std::memory_order_relaxed), entry.blocks);
  const std::string percent = std::to_string(ended * 100 / std::max<uint64_t>(entry.blocks, 1));
  const std::string left = ended == 0
                               ? duration(elapsed) + " so far"
                               : "about " +
                                     duration(elapsed * static_cast<double>(entry.blocks - ended) /
                                              static_cast<double>(ended)) +
                                     " left";
  return *entry.kernel + ", launch " + std::to_string(entry.number) + ": " + std::to_string(ended) +
         " of " + std::to_string(entry.blocks) + " blocks, " + percent + " %, " + left;
}

size_t columns() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

// Draws the line for the oldest launch, if it takes long. The mutex is locked.
void draw(State& s) {
  const Entry& entry = s.under_way.front();
  const double elapsed = Seconds(Clock::now() - entry.start).count();
  const bool is_long = elapsed >= threshold();
  const bool are_long = s.seconds + elapsed >= threshold() && elapsed >= threshold() / 10;
  if (!is_long && !are_long) return;
  if (s.drawings == 0) handle_interrupt();
  // Now and then the hint has the line.
  constexpr uint64_t TURNS = 10, TURNS_OF_HINT = 3;
  const bool is_hint = ++s.drawings % TURNS >= TURNS - TURNS_OF_HINT;
  std::string text = "simulated GPU: ";
  text += is_hint ? "quicker with a smaller problem, or without hazards: SIMULATOR_HAZARDS=0"
                  : describe(entry, elapsed);
  text.resize(std::min(text.size(), columns() - 1));
  write_to_terminal(std::string(TO_LINE_BELOW) + text + std::string(BACK));
  is_shown = true;
}

void show_launches() {
  State& s = state();
  const Seconds turn(std::min(1.0, threshold() / 5));
  std::unique_lock lock(s.mutex);
  while (true) {
    s.has_launch.wait(lock, [&] { return !s.under_way.empty(); });
    lock.unlock();
    std::this_thread::sleep_for(turn);
    lock.lock();
    if (!s.under_way.empty()) draw(s);
  }
}

}  // namespace

ShownLaunch::ShownLaunch(const std::string& kernel, uint64_t blocks,
                         const std::atomic<uint64_t>& ended) {
  if (threshold() <= 0) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.under_way.push_back({this, &kernel, ++s.launches, blocks, &ended, Clock::now()});
  s.has_launch.notify_one();
  if (std::exchange(s.has_thread, true)) return;
  try {
    std::thread(show_launches).detach();
  } catch (const std::system_error&) {
    return;  // then there is no line
  }
}

ShownLaunch::~ShownLaunch() {
  if (threshold() <= 0) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto entry =
      std::ranges::find_if(s.under_way, [&](const Entry& e) { return e.launch == this; });
  if (entry == s.under_way.end()) return;
  s.seconds += Seconds(Clock::now() - entry->start).count();
  s.under_way.erase(entry);
  hide();
}

HiddenProgress::HiddenProgress() {
  if (threshold() <= 0) return;
  drawing_ = std::unique_lock(state().mutex);
  hide();
}

}  // namespace simulator

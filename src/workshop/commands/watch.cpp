#include "workshop/commands/watch.hpp"

#include <sys/stat.h>

#include <ctime>
#include <thread>

#include "app/interrupt.hpp"

namespace workshop {
namespace {

// The file is polled: this works on every file system and costs almost nothing.
constexpr std::chrono::milliseconds BETWEEN_LOOKS{20};
constexpr int LOOKS_UNTIL_QUIET = 3;  // without a change: no program is writing any more
constexpr int LOOKS_UNTIL_GONE = 15;  // without a file: longer than an editor takes to replace it

// The facts about a file. Any kind of save changes one of them.
struct Look {
  bool is_there = false;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const Look&) const = default;
};

Look look_at(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {};
  return {true, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

}  // namespace

Watching until_interrupted() {
  return {.is_over = runner::interrupted,
          .pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }};
}

void watch(const std::string& path, const Watching& watching, const std::function<void()>& saved,
           const std::function<void()>& gone) {
  Look known = look_at(path);  // the file as it was last reported
  saved();
  Look last = known;
  int same = 0;  // looks in a row without a change
  while (!watching.is_over()) {
    const Look now = look_at(path);
    same = now == last ? same + 1 : 0;
    last = now;
    if (now != known && same >= (now.is_there ? LOOKS_UNTIL_QUIET : LOOKS_UNTIL_GONE)) {
      known = now;
      now.is_there ? saved() : gone();
      continue;  // look again at once: the call may have taken seconds
    }
    watching.pause(BETWEEN_LOOKS);
  }
}

std::string rule(const std::string& time, const text::Page& page) {
  constexpr int NARROW = 60, LEFT = 4;
  const int width = page.width > 0 ? page.width : NARROW;
  const std::string sign = page.unicode ? "─" : "-";
  std::string line;
  for (int i = 0; i < LEFT; ++i) line += sign;
  line += " " + time + " ";
  for (int i = LEFT + 2 + text::display_width(time); i < width; ++i) line += sign;
  return line + "\n";
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

}  // namespace workshop

// Where the report goes: to stderr or into a file, as SIMULATOR_REPORT says.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "simulator/runtime/report.hpp"

namespace simulator::runtime {
namespace {

constexpr int DEFAULT_COLUMNS = 80;

int terminal_columns() {
  if (const char* const asked = std::getenv("COLUMNS")) {
    if (const int columns = std::atoi(asked); columns > 0) return columns;
  }
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return DEFAULT_COLUMNS;
}

// While it lives, a write beyond the limit on a file's size fails and does not end the process.
class FileSizeSignalIgnored {
 public:
  FileSizeSignalIgnored() { before_ = std::signal(SIGXFSZ, SIG_IGN); }
  ~FileSizeSignalIgnored() { std::signal(SIGXFSZ, before_ == SIG_ERR ? SIG_DFL : before_); }
  FileSizeSignalIgnored(const FileSizeSignalIgnored&) = delete;
  FileSizeSignalIgnored& operator=(const FileSizeSignalIgnored&) = delete;

 private:
  void (*before_)(int);
};

// No exception may leave what runs at exit.
void at_exit(void (*make_report)()) {
  const FileSizeSignalIgnored for_now;
  try {
    make_report();
    std::fflush(stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("simulated GPU: out of memory on the host: there is no report\n", stderr);
  }
}

void print_report() {
  at_exit([] {
    const std::string text = report(program_counters(), launch_counters(), terminal_columns());
    std::fputs(text.c_str(), stderr);
  });
}

// 0, or what went wrong.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// The file is whole or, if that fails, as it was: what is written lies beside it until it is complete.
// 0, or what went wrong.
int replace_file(const std::string& name, std::string_view text) {
  std::error_code not_there;
  const std::filesystem::path target = std::filesystem::canonical(name, not_there);
  const std::string path =
      not_there ? name : target.string();  // a link stays, and its file is replaced
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return errno;
  const mode_t mask = umask(0);  // the permissions that a plain open would have given
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  int error = write_all(descriptor, text);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

// Made absolute at the start: the program may change its folder. Never destroyed, for it is read at exit.
const std::string* json_path = nullptr;

void write_report() {
  at_exit([] {
    if (const int error =
            replace_file(*json_path, json_report(program_counters(), launch_counters()))) {
      std::fprintf(stderr, "simulated GPU: cannot write the report to '%s': %s\n",
                   json_path->c_str(), std::strerror(error));
    }
  });
}

void read_environment() {
  const char* const value = std::getenv("SIMULATOR_REPORT");
  if (value == nullptr || *value == '\0') return;
  const std::string_view asked = value;
  if (asked == "1") {
    std::atexit(print_report);
  } else if (asked.ends_with(".json")) {
    std::error_code no_folder;
    const std::filesystem::path path = std::filesystem::absolute(asked, no_folder);
    json_path = new std::string(no_folder ? std::string(asked) : path.string());
    std::atexit(write_report);
  } else {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_REPORT is '%s'; it must be 1, which prints a report at "
                 "the end, or the name of a file to write it to, which ends in .json\n",
                 value);
  }
}

}  // namespace

void report_at_exit() {
  static const bool once = (read_environment(), true);
  static_cast<void>(once);
}

}  // namespace simulator::runtime

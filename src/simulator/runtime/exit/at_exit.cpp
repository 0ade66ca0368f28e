#include "simulator/runtime/exit/at_exit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "text/terminal.hpp"

namespace simulator::runtime {
namespace {

constexpr int DEFAULT_COLUMNS = 80;

// During its lifetime, a write beyond the file size limit fails and does not end the process.
class FileSizeSignalIgnored {
 public:
  FileSizeSignalIgnored() { before_ = std::signal(SIGXFSZ, SIG_IGN); }
  ~FileSizeSignalIgnored() { std::signal(SIGXFSZ, before_ == SIG_ERR ? SIG_DFL : before_); }
  FileSizeSignalIgnored(const FileSizeSignalIgnored&) = delete;
  FileSizeSignalIgnored& operator=(const FileSizeSignalIgnored&) = delete;

 private:
  void (*before_)(int);
};

// Returns 0 or the errno of the failure.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

void at_exit(void (*work)()) {
  const FileSizeSignalIgnored for_now;
  try {
    work();
    std::fflush(stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("simulated GPU: out of memory on the host: there is no report\n", stderr);
  }
}

text::Page stderr_page() {
  text::Page page = text::page_of_stream(STDERR_FILENO);
  if (page.width == 0) page.width = DEFAULT_COLUMNS;
  return page;
}

std::string absolute_path(std::string_view name) {
  std::error_code no_folder;
  const std::filesystem::path path = std::filesystem::absolute(name, no_folder);
  return no_folder ? std::string(name) : path.string();
}

// Writes to a temporary file beside the target until it is complete.
int replace_file(const std::string& name, std::string_view text) {
  std::error_code not_there;
  const std::filesystem::path target = std::filesystem::canonical(name, not_there);
  const std::string path =
      not_there ? name : target.string();  // keeps a link, and replaces its target
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return errno;
  const mode_t mask = umask(0);  // the permissions that a plain open would give
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  int error = write_all(descriptor, text);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

}  // namespace simulator::runtime

#include "app/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/words.hpp"
#include "text/page.hpp"
#include "text/terminal.hpp"

namespace runner {
namespace {

constexpr int MOST_LINKS = 40;  // Linux follows as many

// Returns zero, or the errno of the write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody has made the pipe non-blocking
      pollfd full{descriptor, POLLOUT, 0};
      poll(&full, 1, -1);
      continue;
    }
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// Returns the stream of this process that a path names: 1 for /proc/self/fd/1, to which /dev/stdout leads.
std::optional<int> open_stream(const std::string& path) {
  const std::string own = fmt::format("/proc/{}/fd/", getpid());
  for (const std::string_view folder :
       {std::string_view("/proc/self/fd/"), std::string_view("/dev/fd/"), std::string_view(own)}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc{} && stop == end) return number;
  }
  return std::nullopt;
}

// Returns a paragraph for stderr. Its further lines are indented.
std::string paragraph_on_stderr(const char* before, std::string_view text, int indent) {
  const std::string paragraph = before + printable(text);
  if (paragraph.find('\n') != std::string::npos) return paragraph + "\n";
  return text::wrap(paragraph, text::page_of_stream(STDERR_FILENO).width, indent) + "\n";
}

}  // namespace

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw Error(ExitCode::failure, fmt::format("cannot write to stdout: {}", std::strerror(error)));
  }
}

void write_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }

void warn(std::string_view text) { write_stderr(paragraph_on_stderr("sgemm_runner: ", text, 2)); }

void warn(const Error& error) {
  if (error.paragraphs().size() == 1) return warn(error.what());
  std::string message;
  for (const std::string& one : error.paragraphs())
    message += paragraph_on_stderr(message.empty() ? "sgemm_runner: " : "  ", one, 4);
  write_stderr(message);
}

void require_free_or_replaced(const std::string& path, bool replace) {
  std::error_code none;
  if (replace || !std::filesystem::is_regular_file(path, none)) return;
  throw Error(ExitCode::usage,
              fmt::format("'{}' is there already: --replace writes over it", path));
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  const auto cannot = [&](int error) {
    return Error(ExitCode::usage,
                 fmt::format("cannot write to '{}': {}", path, std::strerror(error)));
  };
  if (path.empty()) throw cannot(ENOENT);
  // Follow symbolic links: replace or make the file behind them, not the link.
  std::error_code none;
  for (int links = 0;; ++links) {
    if (const auto stream = open_stream(path_)) {
      descriptor_ = dup(*stream);
      if (descriptor_ < 0) throw cannot(errno);
      return;
    }
    if (!std::filesystem::is_symlink(path_, none)) break;
    if (links == MOST_LINKS) throw cannot(ELOOP);
    const std::filesystem::path target = std::filesystem::read_symlink(path_, none);
    path_ = (std::filesystem::path(path_).parent_path() / target).string();
  }
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw cannot(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0 && errno == EINTR) stop_if_interrupted();
    if (descriptor_ < 0) throw cannot(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) throw cannot(errno);

  std::string probe;
  const int descriptor = make_temporary(probe);
  if (descriptor < 0) throw cannot(errno);
  close(descriptor);
  unlink(probe.c_str());
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

// Makes a file beside path_ with the permissions that a plain open would have given. Returns its descriptor, below 0 if
// there cannot be one.
int OutputFile::make_temporary(std::string& name) const {
  name = path_ + ".XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, exists ? status.st_mode & 07777 : 0666 & ~mask);
  return descriptor;
}

void OutputFile::commit(std::string_view contents) {
  const bool direct = descriptor_ >= 0;
  std::string temporary;
  const int descriptor = direct ? std::exchange(descriptor_, -1) : make_temporary(temporary);
  int error = descriptor < 0 ? errno : write_all(descriptor, contents);
  if (descriptor >= 0 && close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && !direct && rename(temporary.c_str(), path_.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (descriptor >= 0 && !direct) unlink(temporary.c_str());
  throw Error(ExitCode::failure,
              fmt::format("cannot write to '{}': {}", path_, std::strerror(error)));
}

}  // namespace runner

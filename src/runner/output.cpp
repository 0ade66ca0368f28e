#include "runner/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runner/error.hpp"

namespace runner {
namespace {

// Zero, or the errno of the write that failed.
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

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw Error(ExitCode::failure, fmt::format("cannot write to stdout: {}", std::strerror(error)));
  }
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  const auto cannot = [&](int error) {
    return Error(ExitCode::usage,
                 fmt::format("cannot write to '{}': {}", path, std::strerror(error)));
  };
  // Follow a symbolic link, so that the file it points to is replaced and not the link.
  std::error_code ignored;
  const auto resolved = std::filesystem::canonical(path, ignored);
  if (!ignored) path_ = resolved.string();

  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw cannot(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw cannot(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) throw cannot(errno);

  temporary_ = path_ + ".XXXXXX";
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw cannot(errno);
  // mkostemp is strict; give the file the permissions that a plain open would have given it.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor_, exists ? status.st_mode & 07777 : 0666 & ~mask);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::commit(std::string_view contents) {
  int error = write_all(descriptor_, contents);
  if (close(descriptor_) != 0 && error == 0) error = errno;
  descriptor_ = -1;
  if (error == 0 && !temporary_.empty()) {
    if (rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
    if (error == 0) temporary_.clear();
  }
  if (error != 0) {
    throw Error(ExitCode::failure,
                fmt::format("cannot write to '{}': {}", path_, std::strerror(error)));
  }
}

}  // namespace runner

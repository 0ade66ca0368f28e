// A temporary folder.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// A new folder in TMPDIR, or in /tmp. The destructor removes it with all its files.
class TemporaryFolder {
 public:
  /// The folder's use: code is loaded from it, or its files are only read.
  enum class For { code, files };

  /// Throws Error(ExitCode::failure), with the cause, if the folder cannot be made, would be nearly full, or may not hold
  /// code that is executed.
  explicit TemporaryFolder(For use = For::code);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace runner

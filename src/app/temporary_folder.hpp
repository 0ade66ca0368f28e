// A folder for what is needed for a moment.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// A new folder where temporary files lie (TMPDIR, or /tmp), gone with the object and with all that is in it.
class TemporaryFolder {
 public:
  /// What the folder is for: code that is loaded, or files that are only read.
  enum class For { code, files };

  /// Throws Error(ExitCode::failure), with the cause, where there can be none, it would be nearly full, or code in it
  /// may not be executed.
  explicit TemporaryFolder(For use = For::code);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace runner

// A folder for what is needed for a moment.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// A new folder where temporary files lie (TMPDIR), gone with the object and with all that is in it. Throws
/// Error(ExitCode::failure) where there can be none.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace runner

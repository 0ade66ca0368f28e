#include "runner/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runner/error.hpp"

namespace runner {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "sgemm_runner.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error(ExitCode::failure,
                fmt::format("cannot make a folder in {}: {}", fs::temp_directory_path().string(),
                            std::strerror(errno)));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace runner

#include "app/temporary_folder.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

// Several times the space that compiling the largest rung takes.
constexpr uint64_t LEAST_FREE_BYTES = uint64_t{32} << 20;

// Reads TMPDIR like a shell: empty means unset, and a relative path begins here. The path is made absolute, because
// some programs that get its files run in another folder.
fs::path place() {
  const char* const asked = std::getenv("TMPDIR");
  if (asked == nullptr || *asked == '\0') return "/tmp";
  std::error_code none;
  const fs::path absolute = fs::absolute(asked, none);
  return none ? fs::path(asked) : absolute;
}

Error unusable(const fs::path& place, const std::string& why) {
  return {ExitCode::failure,
          fmt::format("temporary files cannot lie in '{}': {}; name another folder with TMPDIR",
                      place.string(), why)};
}

// Refuses an unusable folder at once: a compiler without space, or a library that may not be loaded, would not name the cause.
void refuse_what_will_not_do(const fs::path& place, TemporaryFolder::For use) {
  struct statvfs facts{};
  if (statvfs(place.c_str(), &facts) != 0) return;  // then making a folder fails too
  const uint64_t free = uint64_t{facts.f_bavail} * facts.f_frsize;
  if (use == TemporaryFolder::For::code && (facts.f_flag & ST_NOEXEC) != 0)
    throw unusable(place, "no code may be executed there (it is mounted noexec)");
  // A file system without a limit, as in some containers, says that it has no blocks at all.
  if (facts.f_blocks > 0 && free < LEAST_FREE_BYTES) {
    throw unusable(place, fmt::format("it has {} KiB left, and {} are needed", free >> 10,
                                      LEAST_FREE_BYTES >> 10));
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(For use) {
  const fs::path where = place();
  refuse_what_will_not_do(where, use);
  std::string pattern = (where / "sgemm_runner.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw unusable(where, std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace runner

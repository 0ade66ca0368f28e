#include "runner/trial/provenance.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "app/project.hpp"
#include "app/subprocess.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
namespace {

std::optional<std::string> git(std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", project_folder()});
  Finished finished = run_command(words, false);
  if (finished.code != 0) return std::nullopt;
  while (finished.output.ends_with('\n')) finished.output.pop_back();
  return finished.output;
}

}  // namespace

void add_commit(results::Provenance& from) {
  if (const char* told = std::getenv("SGEMM_COMMIT"); told != nullptr && *told != '\0') {
    from.commit = told;
    return;
  }
  from.commit = git({"rev-parse", "HEAD"});
  if (!from.commit) return;
  const auto changes = git({"status", "--porcelain", "--untracked-files=no"});
  if (changes) from.uncommitted_changes = !changes->empty();
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text;
}

results::Provenance provenance(const std::vector<std::string>& command_line, bool with_commit) {
  results::Provenance from{.machine = machine::KIND,
                           .date = now(),
                           .program = fmt::format("sgemm_runner {}", SGEMM_VERSION),
                           .command_line = command_line};
  machine::describe(from);
  if (with_commit) add_commit(from);
  return from;
}

}  // namespace runner

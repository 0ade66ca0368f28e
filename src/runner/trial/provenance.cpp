#include "runner/trial/provenance.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "app/project.hpp"
#include "app/subprocess.hpp"
#include "results/values/date.hpp"
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

results::Provenance provenance(const std::vector<std::string>& command_line, bool with_commit) {
  results::Provenance from{.machine = machine::KIND,
                           .date = results::utc_now(),
                           .program = fmt::format("sgemm_runner {}", SGEMM_VERSION),
                           .command_line = command_line};
  machine::describe(from);
  if (with_commit) add_commit(from);
  return from;
}

}  // namespace runner

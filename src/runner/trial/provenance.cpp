#include "runner/trial/provenance.hpp"

#include <fmt/format.h>

#include "app/project.hpp"
#include "results/values/date.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
void add_commit(results::Provenance& from) {
  const Commit commit = commit_of_sources();
  from.commit = commit.name;
  from.uncommitted_changes = commit.has_changes;
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

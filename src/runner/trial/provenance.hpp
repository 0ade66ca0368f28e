// Describes a run's origin.
#pragma once

#include <string>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// Returns the provenance of this program on this machine, now. `with_commit` asks git for the commit of the source
/// tree, which takes some milliseconds. Without a repository or git the commit stays unknown.
results::Provenance provenance(const std::vector<std::string>& command_line, bool with_commit);

/// Fills in the commit of the sources, if it is known. For a tree without its repository, SGEMM_COMMIT in the
/// environment names the commit.
void add_commit(results::Provenance& from);

}  // namespace runner

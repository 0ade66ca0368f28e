// Where a run comes from.
#pragma once

#include <string>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// Now, in ISO 8601, UTC.
std::string now();

/// This program on this machine, at this moment. `with_commit`: asks git for the commit of the source tree, which
/// takes some milliseconds; where the tree is no repository, or there is no git, the commit stays unknown.
results::Provenance provenance(const std::vector<std::string>& command_line, bool with_commit);

/// Fills in the commit of the sources, where it is known: a tree that was copied without its repository may be told it by
/// whoever copied it, in SGEMM_COMMIT.
void add_commit(results::Provenance& from);

}  // namespace runner

// What a run says: the recorded figures that stand in for what was not timed, and the text for stdout.
#pragma once

#include <string>

#include "results/tables/table.hpp"
#include "results/values/run.hpp"
#include "runner/request/run_request.hpp"
#include "text/page.hpp"

namespace runner {

/// Whose recorded figures are asked for.
struct Needed {
  bool ladder = false;
  bool labs = false;
};

/// The recorded runs of the file that the user named, or else of the project's own. Throws Error(ExitCode::usage) where the user's
/// cannot be used, and warns where the project's cannot.
results::Recorded recorded_for(const Presentation& presentation, Needed needed);

/// All that goes to stdout. What is wrong goes below a table, and to stderr where stdout is for programs.
std::string report(const results::Run& run, const results::Recorded& recorded,
                   const Presentation& presentation, const text::Page& page);

}  // namespace runner

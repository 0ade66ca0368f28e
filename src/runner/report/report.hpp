// Renders a run: the recorded figures for missing times, and the text for stdout.
#pragma once

#include <string>

#include "results/tables/table.hpp"
#include "results/values/run.hpp"
#include "runner/request/run_request.hpp"
#include "text/page.hpp"

namespace runner {

/// Selects recorded figures.
struct Needed {
  bool ladder = false;
  bool labs = false;
};

/// Reads the recorded runs of the user's file, or else of the project's file. Throws Error(ExitCode::usage) if the user's file
/// is unusable. Warns if the project's file is unusable.
results::Recorded recorded_for(const Presentation& presentation, Needed needed);

/// Prints a run to stdout. Errors go below a table, or to stderr if programs read stdout.
std::string report(const results::Run& run, const results::Recorded& recorded,
                   const Presentation& presentation, const text::Page& page);

}  // namespace runner

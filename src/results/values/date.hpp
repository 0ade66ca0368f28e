// Dates of runs and of steps in them.
#pragma once

#include <string>

namespace results {

/// Returns the current time in UTC, in the form of ISO 8601 that Provenance::date has: "2026-11-24T09:30:00+00:00".
std::string utc_now();

}  // namespace results

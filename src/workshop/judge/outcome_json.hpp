// An outcome as JSON, for `check --json` and for the judging process's report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "workshop/judge/outcome.hpp"

namespace workshop {

nlohmann::ordered_json json_of(const Outcome& outcome);
/// Reads an outcome. Throws results::Unusable if the JSON is not one.
Outcome outcome_from(const nlohmann::ordered_json& json);

}  // namespace workshop

// An outcome as JSON: for `check --json`, and on its way from the process that judges.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "workshop/judge/outcome.hpp"

namespace workshop {

nlohmann::ordered_json json_of(const Outcome& outcome);
/// Throws results::Unusable where it is none.
Outcome outcome_from(const nlohmann::ordered_json& json);

}  // namespace workshop

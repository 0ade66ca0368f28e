// Writes a promise as JSON, for the lists of kernels and labs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "promise/promise.hpp"

namespace runner {

/// Returns an array with an object for each claim: counter, buffer, relation and value.
nlohmann::ordered_json promise_as_json(std::span<const device::Claim> claims);

}  // namespace runner

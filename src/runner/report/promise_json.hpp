// A promise as JSON, for the lists of kernels and labs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "promise/promise.hpp"

namespace runner {

/// An array with an object for each claim: counter, buffer, relation and value.
nlohmann::ordered_json promise_as_json(const std::vector<device::Claim>& claims);

}  // namespace runner

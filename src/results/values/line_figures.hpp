// Computes figures from the counts of a source line: figures for each request, and its waste.
#pragma once

#include <optional>

#include "results/values/run.hpp"

namespace results {

/// Returns the kind of access: "load", "store", "atomic", or "copy" for cp.async.
std::string action_of(const Line& line);

/// Returns the 32-byte sectors for each request. Nothing if the line accesses shared memory.
std::optional<double> sectors_per_request(const Line& line);
/// Returns the share of the sectors' bytes that was requested. Nothing if the line accesses shared memory.
std::optional<double> bytes_used_over_fetched(const Line& line);
/// Returns the passes over the banks for each request. Nothing if the line accesses global memory.
std::optional<double> wavefronts_per_request(const Line& line);

/// The traffic beyond the least that the requested bytes need, in sectors of global memory or wavefronts of shared memory.
/// A broadcast uses 4 bytes of its sector and wastes nothing, because no request moves less than a sector.
enum class Waste {
  none,
  some,  // from a fifth more on, as for a load that starts within a sector
  much,  // from twice as much on
};
Waste waste_of(const Line& line);
/// Returns "none", "some" or "much", as in JSON.
const char* name_of(Waste waste);

}  // namespace results

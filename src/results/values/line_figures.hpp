// Computes figures from the counts of a source line: figures for each request, and its waste.
#pragma once

#include <optional>

#include "results/values/run.hpp"

namespace results {

/// The kind of access: "load", "store", "atomic", or "copy" for cp.async.
std::string action_of(const Line& line);

/// 32-byte sectors for each request. Nothing if the line accesses shared memory.
std::optional<double> sectors_per_request(const Line& line);
/// The share of its sectors' bytes that was requested. Likewise.
std::optional<double> bytes_used_over_fetched(const Line& line);
/// Passes over the banks for each request. Nothing if the line accesses global memory.
std::optional<double> wavefronts_per_request(const Line& line);

/// The traffic beyond the least that the requested bytes need, in sectors of global memory or wavefronts of shared memory.
/// A broadcast uses 4 bytes of its sector and wastes nothing, because no request moves less than a sector.
enum class Waste {
  none,
  some,  // from a fifth more on: a load that starts within a sector
  much,  // from twice as much on
};
Waste waste_of(const Line& line);
/// "none", "some", "much", as JSON has it.
const char* name_of(Waste waste);

}  // namespace results

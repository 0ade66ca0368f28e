// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace runner {

/// Returns the known word nearest to `word` (case aside) if it is near enough for a slip of the fingers, else an empty
/// string. Near means: at most one insertion, deletion, substitution or swap of neighbours for every three letters, and
/// at least one.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// Returns "; did you mean 'naive'?", or nothing if no known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace runner

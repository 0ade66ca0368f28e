// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace runner {

/// The known word nearest to `word` (case aside) if it is near enough to be a slip of the fingers, else
/// an empty string. Near means: insertions, deletions, substitutions and swaps of neighbours, at most one
/// for every three letters and at least one.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'naive'?", or nothing if no known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace runner

// Which kernels the user means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"

namespace runner {

/// A rung, and whether it was named by itself, not as one of a range.
struct Selected {
  const ladder::Rung* rung = nullptr;
  bool by_name = false;
  bool operator==(const Selected&) const = default;
};

/// The rungs that words like "2", "naive", "1-3", "1,2,6" and "all" name, in the order asked for and each
/// once. Names match whatever their case, with or without the number ("02_coalesced"). `other_words` are
/// words that may be meant instead, for "did you mean". Throws Error(ExitCode::usage) for anything else.
std::vector<Selected> select(std::span<const std::string> words,
                             std::span<const ladder::Rung* const> rungs,
                             std::span<const std::string> other_words = {});

/// "02_coalesced"
std::string label(const ladder::Rung& rung);

}  // namespace runner

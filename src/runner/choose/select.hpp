// Which kernels the user means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "promise/promise.hpp"
#include "results/values/problem.hpp"
#include "results/values/run.hpp"

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

/// Who the results of a rung of ours are about.
results::Identity identity_of(const ladder::Rung& rung);
/// And of a rung that a stranger's file defines.
results::Identity identity_of_stranger(const ladder::Rung& rung);

/// Whether the promise speaks of this problem: whole tiles, dense matrices, something to compute.
bool applies(const device::Promise& promise, const results::Problem& problem);

}  // namespace runner

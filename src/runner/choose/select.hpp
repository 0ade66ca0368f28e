// Which kernels the user means.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/error.hpp"
#include "kernels/ladder.hpp"
#include "promise/promise.hpp"
#include "results/values/problem.hpp"
#include "results/values/run.hpp"

namespace runner {

/// What a word can mean: a rung, or a lab's variant.
struct Nameable {
  std::vector<std::string> names{};  // whatever their case; what shares a name is all meant by it
  std::optional<int> number{};       // of all that stand in a list, or of none
};

/// The place of what was meant in its list, and whether it was named by itself, not as one of a range.
struct Meant {
  size_t place = 0;
  bool by_name = false;
};

/// What words like "2", "naive", "1-3", "1,2,6" and "all" mean, in the order asked for and each once. `no_such` makes the error
/// for a word that means nothing.
std::vector<Meant> meant_by(std::span<const std::string> words, std::span<const Nameable> list,
                            const std::function<Error(std::string_view word)>& no_such);

/// A rung, and whether it was named by itself, not as one of a range.
struct Selected {
  const ladder::Rung* rung = nullptr;
  bool by_name = false;
  bool operator==(const Selected&) const = default;
};

/// The rungs that words mean, as meant_by() has it. Names match with or without the number ("02_coalesced"). `other_words` are
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

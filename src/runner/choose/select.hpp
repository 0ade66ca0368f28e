// Turns the user's words into kernels.
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

/// A possible meaning of a word: a rung, or a lab's variant.
struct Nameable {
  std::vector<std::string> names{};  // in any case; a shared name means all entries that have it
  std::optional<int> number{};       // either all entries of a list have a number or none has, ...
  bool is_extra = false;  // ... but for an extra entry, which only its name means: not "all"
};

/// An entry's place in its list; true if it was named alone, not by a range.
struct Meant {
  size_t place = 0;
  bool by_name = false;
};

/// Resolves words like "2", "naive", "1-3", "1,2,6" and "all", in the given order and each entry once. `no_such` makes
/// the error for an unknown word.
std::vector<Meant> meant_by(std::span<const std::string> words, std::span<const Nameable> list,
                            const std::function<Error(std::string_view word)>& no_such);

/// A rung; true if it was named alone, not by a range.
struct Selected {
  const ladder::Rung* rung = nullptr;
  bool by_name = false;
  bool operator==(const Selected&) const = default;
};

/// Returns the rungs that the words mean; see meant_by(). Names match with or without the number ("02_coalesced"). "best" means
/// ladder::best.
/// `other_words` are further words that "did you mean" may suggest. Throws Error(ExitCode::usage) for an unknown word.
std::vector<Selected> select(std::span<const std::string> words,
                             std::span<const ladder::Rung* const> rungs,
                             std::span<const std::string> other_words = {});

/// Returns "02_coalesced", or "best".
std::string label(const ladder::Rung& rung);
/// Returns "2 coalesced", or "best".
std::string title(const ladder::Rung& rung);
/// Returns the word for the rung on the command line: "2", or "best".
std::string word_for(const ladder::Rung& rung);

/// Returns the identity of our rung's results.
results::Identity identity_of(const ladder::Rung& rung);
/// Returns the identity of the results of a rung from a user's file.
results::Identity identity_of_stranger(const ladder::Rung& rung);

/// True if the promise covers this problem: whole tiles, dense matrices, and a product to compute.
bool applies(const device::Promise& promise, const results::Problem& problem);

}  // namespace runner

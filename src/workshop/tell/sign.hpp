// A sign recognises an answer by its outcome: terms joined by "; ", which must all hold.
//
//   ending is wrong_result            its ending (outcome.hpp); `ending is fault or wrong_result`
//   fault is misaligned               the kernel's fault; `fault is out_of_bounds reads`, `fault is out_of_bounds shared`: its action,
//                                     and its memory
//   at 256x128x64                     the product at which it ended; `at strided 129x131x67`: its matrices are parts of larger ones
//   cause is transposed               a cause of wrong elements (hypotheses.cpp has the list)
//   claim blocks is 64                the counted value of a claim of the promise; `claim load_sectors_per_request of A above 1`,
//                                     `claim blocks at 64x64x4096 below 64`
//   hazard is unwritten_read          a hazard that was seen
//   check is dense shapes             the failed check of the contract (runner/verify/contract/contract.cpp)
//   examination is 0 2 1              the first answers, or all, of the functions that the exercise tests directly (its
//                                     examination.hpp)
//   says misaligned                   a regular expression found in the message, or in a hazard's message
//   source has __shared__             a text in the learner's file; `source lacks __syncthreads()`
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/judge/outcome.hpp"

namespace workshop {

struct Term {
  std::string text{};  // as written
  std::function<bool(const Outcome& outcome, const std::string& source)> holds{};
};

struct Sign {
  std::vector<Term> terms{};
};

/// Parses a sign. Throws runner::Error(ExitCode::failure), with its place `where`, for a malformed term or an unknown
/// name.
Sign parse_sign(const std::string& text, const std::string& where);

/// True if all terms hold; `source` is the learner's file.
bool matches(const Sign& sign, const Outcome& outcome, const std::string& source);

/// Returns the words of signs for faults: the simulated GPU's names of kinds, actions and memories.
std::vector<std::string> fault_words();

/// Returns the kinds of hazards in signs, each with its name in results: {"unwritten_read", "unwritten read"}.
std::vector<std::pair<std::string, std::string>> hazard_words();

}  // namespace workshop

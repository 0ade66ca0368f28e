// By what an answer is known: terms joined by "; " that must all hold of what became of it.
//
//   ending is wrong_result            where its way ended (outcome.hpp); `ending is fault or wrong_result`
//   fault is misaligned               what the kernel did; `fault is out_of_bounds reads`, `fault is out_of_bounds shared`: by which
//                                     action, and in which memory
//   at 256x128x64                     the product at which it ended; `at strided 129x131x67`: its matrices are parts of larger ones
//   cause is transposed               a cause of wrong elements (hypotheses.cpp has the list)
//   claim blocks is 64                what was counted for a claim of the promise; `claim load_sectors_per_request of A above 1`,
//                                     `claim blocks at 64x64x4096 below 64`
//   hazard is unwritten_read          a hazard that was seen
//   check is dense shapes             the check of the contract that is not kept (runner/verify/contract/contract.cpp)
//   examination is 0 2 1              what the functions answered that the exercise asks directly (its examination.hpp)
//   says misaligned                   a regular expression that the message, or that of a hazard, has
//   source has __shared__             a text that the learner's file has; `source lacks __syncthreads()`
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/judge/outcome.hpp"

namespace workshop {

struct Term {
  std::string text{};  // as it is written
  std::function<bool(const Outcome& outcome, const std::string& source)> holds{};
};

struct Sign {
  std::vector<Term> terms{};
};

/// Throws runner::Error(ExitCode::failure), with `where` it stands, for a term that is none or speaks of something that
/// does not exist.
Sign parse_sign(const std::string& text, const std::string& where);

/// Whether all terms hold; `source` is the learner's file.
bool matches(const Sign& sign, const Outcome& outcome, const std::string& source);

/// The words of signs for faults: kinds, actions and memories, as the simulated GPU names them.
std::vector<std::string> fault_words();

/// The kinds of hazards as signs have them, each with the kind that results have: {"unwritten_read", "unwritten read"}.
std::vector<std::pair<std::string, std::string>> hazard_words();

}  // namespace workshop

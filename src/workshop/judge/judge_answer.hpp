// Judges a learner's answer to a rung's exercise.
#pragma once

#include <string>

#include "text/page.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/judge/outcome.hpp"

namespace workshop {

struct JudgeOptions {
  double kernel_seconds = 10;  // most time for one launch
  bool with_worth = true;      // measure the gain of a right answer
  text::Page page{};           // the page to lay texts out for
};

/// Compiles the file, runs it and judges it: small problems with a search for hazards, the whole BLAS contract, the
/// rung's promise. Stops at the first failure. The file runs in its own process, so it cannot harm this process, and
/// endless loops end. Waits for the end. Throws runner::Error if it cannot begin (a missing file), and if the user
/// interrupts.
Outcome judge_answer(const Exercise& exercise, const std::string& file,
                     const JudgeOptions& options);

}  // namespace workshop

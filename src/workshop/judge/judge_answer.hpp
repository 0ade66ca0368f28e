// A learner's answer to a rung's exercise, judged.
#pragma once

#include <string>

#include "text/page.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/judge/outcome.hpp"

namespace workshop {

struct JudgeOptions {
  double kernel_seconds = 10;  // that one launch may take
  bool with_worth = true;      // whether what a right answer is worth is asked for
  text::Page page{};           // that it is laid out for
};

/// Compiles the file, runs it and says what became of it: at small problems with hazards looked for, through all of BLAS's
/// contract, and held against what the ladder's rung promises. It ends at the first thing that is wrong. All of it happens
/// in a process of its own, so that nothing that the file does can harm this one, and a loop without end ends.
///
/// Waits. Throws runner::Error where it cannot begin (there is no such file), and if the user interrupts.
Outcome judge_answer(const Exercise& exercise, const std::string& file,
                     const JudgeOptions& options);

}  // namespace workshop

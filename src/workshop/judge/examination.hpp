// Direct tests of functions in a learner's file. Some exercises are about functions whose wrong answers still give a
// right product: which tile, which piece of the work. Such an exercise has a file examination.hpp, which is compiled
// after the learner's code and defines examine().
#pragma once

#include <string>

namespace workshop {

/// The functions' answers.
struct Examined {
  /// All answers in short, as signs compare them: "0 2 1".
  std::string answers{};
  /// A remark on right answers; empty for none.
  std::string remark{};
  /// The error in the first wrong answer, in sentences; empty if all are right.
  std::string complaint{};
};

}  // namespace workshop

/// Tests the functions. Each exercise's examination.hpp defines it. Runs in the process that judges.
extern "C" __attribute__((visibility("default"))) void examine(workshop::Examined& examined);

// How functions of a learner's file are asked directly. Some exercises are about functions whose wrong answers still give a
// right product: which tile, which piece of the work. Such an exercise has a file examination.hpp, which is compiled behind
// the learner's and defines examine().
#pragma once

#include <string>

namespace workshop {

/// What the functions answered.
struct Examined {
  /// In short, for signs: "0 2 1".
  std::string answers{};
  /// What should be said of answers that are right; empty for nothing.
  std::string remark{};
  /// What is wrong with the first wrong answer, in sentences; empty if all are right.
  std::string complaint{};
};

}  // namespace workshop

/// Defined by an exercise's examination.hpp. Runs in the process that judges.
extern "C" __attribute__((visibility("default"))) void examine(workshop::Examined& examined);

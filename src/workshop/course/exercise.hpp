// What an exercise is. THE list is exercises/course.txt; each exercise is a folder beside it, and what it is about a rung or
// a lab of the ladder's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "results/values/problem.hpp"
#include "workshop/words/markdown.hpp"

namespace workshop {

/// Of a rung's exercise: a claim on a counter at a size of its own, beside the rung's promise.
struct FurtherClaim {
  std::string counter{};  // a metric's key
  std::string buffer{};   // empty for all of the launch
  device::Relation relation = device::Relation::equal;
  double value = 0;
  results::Problem problem{};
};

struct Exercise {
  std::string name{};  // "02_coalesced", "copy_stride": as its folder
  std::string folder{};
  std::variant<const ladder::Rung*, const lab::Lab*> of{};
  const ladder::Rung* before = nullptr;  // the rung that it is held against, if there is one
  std::string drawn{};                   // the buffer whose worst request is drawn; empty for none

  /// Of a rung the kernel is written; of a lab figures are predicted.
  bool is_written() const { return std::holds_alternative<const ladder::Rung*>(of); }
  const ladder::Rung& rung() const { return *std::get<const ladder::Rung*>(of); }
  const lab::Lab& lab() const { return *std::get<const lab::Lab*>(of); }

  std::string title()
      const;  // of its README, without the number: "coalesced: the same threads, renumbered"
  std::string number_or_name() const;  // what one says to mean it: "2", "copy_stride"

  /// The texts, read anew each time. Throw runner::Error where one is missing or damaged.
  Document readme() const;
  Document hints() const;
  Document holes() const;
  Document wrong_answers() const;
  Document answers() const;

  /// The header that asks functions of a learner's file directly (workshop/judge/examination.hpp); empty if it has none.
  std::string examination() const;
  /// The letters of its holes, in order. Throws as holes() does.
  std::vector<char> letters() const;
  /// Of holes.md, the lines "Also promised:".
  std::vector<FurtherClaim> further_claims() const;
  /// Of holes.md, the lines "Also tried: MxNxK": products that show what the usual ones do not.
  std::vector<results::Problem> further_problems() const;
};

/// The exercises in the order of the course. Throws runner::Error where the list or a folder is damaged.
const std::vector<Exercise>& course();

/// The exercise that a word names: "2", "02", "coalesced", "02_coalesced", "copy_stride", whatever its case. Throws
/// runner::Error(ExitCode::usage), with the nearest name, where there is none.
const Exercise& find_exercise(std::string_view word);

/// The folder of the exercises in the project.
std::string exercises_folder();

}  // namespace workshop

// An exercise: a rung with a hole, or a lab to predict. THE list is exercises/course.txt; each exercise is a folder
// beside it.
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

/// A claim of a rung's exercise on a counter or an error, on its own problem, beside the rung's promise.
struct FurtherClaim {
  std::string counter{};  // a metric's key
  std::string buffer{};   // empty for the whole launch
  device::Relation relation = device::Relation::equal;
  double value = 0;
  results::Problem problem{};
};

struct Exercise {
  std::string name{};  // "02_coalesced", "copy_stride": its folder's name
  std::string folder{};
  std::variant<const ladder::Rung*, const lab::Lab*> of{};
  const ladder::Rung* before = nullptr;  // the rung to compare it with; nullptr if there is none
  std::string drawn{};  // the buffer whose worst request is drawn; empty: draw nothing

  /// True if the learner writes a kernel (of a rung); false if the learner predicts figures (of a lab).
  bool is_written() const { return std::holds_alternative<const ladder::Rung*>(of); }
  const ladder::Rung& rung() const { return *std::get<const ladder::Rung*>(of); }
  const lab::Lab& lab() const { return *std::get<const lab::Lab*>(of); }

  std::string title()
      const;  // its README's title without the number: "coalesced: the same threads, renumbered"
  std::string number_or_name() const;  // its short name for commands: "2", "copy_stride"

  /// These return the texts, read anew at each call. They throw runner::Error if a text is missing or damaged.
  Document readme() const;
  Document hints() const;
  Document holes() const;
  Document wrong_answers() const;
  Document answers() const;

  /// Returns the header that calls functions of a learner's file directly (workshop/judge/examination.hpp); empty if
  /// there is none.
  std::string examination() const;
  /// Returns the letters of its holes, in order. Throws as holes() does.
  std::vector<char> letters() const;
  /// Returns the claims in the lines "Also promised:" of holes.md.
  std::vector<FurtherClaim> further_claims() const;
  /// Returns the sizes in the lines "Also tried: MxNxK" of holes.md. Their products show mistakes that the usual
  /// products do not.
  std::vector<results::Problem> further_problems() const;
};

/// Returns the exercises in the order of the course. Throws runner::Error if the list or a folder is damaged.
const std::vector<Exercise>& course();

/// Returns the exercise with this name, in any case: "2", "02", "coalesced", "02_coalesced", "copy_stride". Throws
/// runner::Error(ExitCode::usage), with the nearest name, if there is none.
const Exercise& find_exercise(std::string_view word);

/// Returns their short names for commands: see Exercise::number_or_name().
std::vector<std::string> names_of(const std::vector<const Exercise*>& exercises);

/// Returns the project's folder of exercises.
std::string exercises_folder();

}  // namespace workshop

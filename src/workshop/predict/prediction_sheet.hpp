// The sheet for a learner's predictions: a table as text, filled in with any editor.
//
//      # How many sectors of `in` does a warp's load touch?
//      #
//      # variant   counter                           prediction
//        8         load_sectors_per_request of in    ?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workshop/predict/lab_questions.hpp"

namespace workshop {

/// A line of the sheet, for one question.
struct Entry {
  Asked asked{};
  std::string written{};          // "66.7 %"; empty while it is open
  std::optional<double> value{};  // the number that was written
  int line = 0;                   // the line of the sheet; 0 if it is gone
};

/// Returns an empty sheet, with a question mark for every prediction.
std::string new_sheet(const LabQuestions& questions);

/// Returns the entries of a sheet, one for each question, in their order. A missing line is an open prediction. Throws
/// runner::Error(ExitCode::usage), with `file`, line and remedy, for an unknown line, a repeated line, and a prediction
/// that is not a number or out of range.
std::vector<Entry> read_sheet(const LabQuestions& questions, std::string_view text,
                              const std::string& file);

}  // namespace workshop

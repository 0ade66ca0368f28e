// The sheet that a learner writes predictions on: a table as text, filled in with any editor.
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

/// What stands on the sheet for one question.
struct Entry {
  Asked asked{};
  std::string written{};          // "66.7 %"; empty where it is still open
  std::optional<double> value{};  // what that means
  int line = 0;                   // of the sheet; 0 where the line is gone
};

/// The sheet as one begins with it: every prediction a question mark.
std::string new_sheet(const LabQuestions& questions);

/// The entries of a sheet, one for each question, in the order of the questions. A line that is gone is one that is open.
/// Throws runner::Error(ExitCode::usage), which names `file` and the line and says how it is mended, for what cannot be
/// understood: an unknown line, one that is there twice, a prediction that is no number or out of reach.
std::vector<Entry> read_sheet(const LabQuestions& questions, std::string_view text,
                              const std::string& file);

}  // namespace workshop

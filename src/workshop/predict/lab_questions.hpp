// A lab's questions: figures of its variants to predict, and known wrong predictions. Both are read from the exercise's
// folder. The right figures are in neither file: they are counted (prediction.hpp).
//
// questions.md: a section is a question in words, and each line of its list is one figure:
//
//      ## How many sectors of `in` does a warp's load touch?
//
//      - load_sectors_per_request of in in 8        COUNTER of BUFFER in VARIANT
//      - bytes_used_over_fetched in 8               a figure of the whole launch
//      - idea in b                                  of a riddle: which of the ideas is it?
//
// wrong_answers.md: a section is a misunderstanding, with the prediction that shows it:
//
//      ## A sector was taken for a float
//      Known by: load_sectors_per_request of in in 8 is 4         or `above 32`, `below 1`
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.hpp"
#include "workshop/words/markdown.hpp"

namespace workshop {

/// The counter of a riddle's figure, which is the number of a variant's idea.
inline constexpr const char* IDEA = "idea";

/// One figure of one variant.
struct Asked {
  std::string counter{};  // a metric's key (the list is in results/values/metrics.cpp), or IDEA
  std::string buffer{};   // empty for the whole launch
  std::string variant{};

  bool is_idea() const { return counter == IDEA; }
  /// Returns the name that the texts and the learner's sheet use: "load_sectors_per_request of in".
  std::string figure() const;
  bool operator==(const Asked&) const = default;
};

struct QuestionGroup {
  std::string words{};  // the question
  std::string more{};   // the paragraph below it, besides the list
  std::vector<Asked> asked{};
};

/// A known wrong prediction, and the misunderstanding that it shows.
struct Misunderstanding {
  enum class Sign { is, above, below };

  std::string title{}, explanation{};
  std::string file{};
  int line = 0;
  Asked of{};
  Sign sign = Sign::is;
  double value = 0;

  bool is_shown_by(double prediction) const;
};

struct LabQuestions {
  const lab::Lab* of = nullptr;
  std::string opening{};  // the text before the first question
  std::vector<QuestionGroup> groups{};
  std::vector<Misunderstanding> misunderstandings{};
  /// A riddle's ideas, in alphabetical order, which gives no answer away. The first is number 1.
  std::vector<std::string> ideas{};

  /// Returns the figures of all groups, in order.
  std::vector<Asked> all() const;
};

/// Parses a number as people write it: "4", "0.5", "2/3" or "66.7 %". Returns nothing if it is not a number.
std::optional<double> parse_figure(std::string_view text);

/// True if two figures differ by at most one per cent.
bool is_close(double a, double b);

/// Reads both texts. Throws runner::Error(ExitCode::failure), with file and line, for a malformed text, or for a figure
/// that the lab does not have.
LabQuestions parse_lab_questions(const lab::Lab& of, const Document& questions,
                                 const Document& wrong_answers);

/// Reads the two files in an exercise's folder in the same way.
LabQuestions read_lab_questions(const lab::Lab& of, const std::string& folder);

}  // namespace workshop

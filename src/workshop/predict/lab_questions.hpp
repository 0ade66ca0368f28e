// What a lab's exercise asks: figures of its variants that are to be predicted, and the wrong predictions that people make.
// Both are read from the exercise's folder; what is right stands in neither, it is counted (prediction.hpp).
//
// questions.md, where a section is what is asked in words, and each line of its list one figure:
//
//      ## How many sectors of `in` does a warp's load touch?
//
//      - load_sectors_per_request of in in 8        COUNTER of BUFFER in VARIANT
//      - bytes_used_over_fetched in 8               a figure of the whole launch
//      - idea in b                                  of a riddle: which of the ideas is it?
//
// wrong_answers.md, where a section is a misunderstanding, and the prediction that shows it:
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

/// The figure that a riddle asks for: the number of the idea that belongs to a variant.
inline constexpr const char* IDEA = "idea";

/// One figure of one variant.
struct Asked {
  std::string counter{};  // the key of a metric (results/values/metrics.cpp has the list), or IDEA
  std::string buffer{};   // empty where it is of the whole launch
  std::string variant{};

  bool is_idea() const { return counter == IDEA; }
  /// "load_sectors_per_request of in": as the texts and the learner's sheet call it.
  std::string figure() const;
  bool operator==(const Asked&) const = default;
};

struct QuestionGroup {
  std::string words{};  // the question
  std::string more{};   // what stands below it besides the list: one paragraph
  std::vector<Asked> asked{};
};

/// A wrong prediction that is known, and what it shows.
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
  std::string opening{};  // what is said before the first question
  std::vector<QuestionGroup> groups{};
  std::vector<Misunderstanding> misunderstandings{};
  /// Of a riddle: the ideas of its variants, in the order of the alphabet, which gives nothing away. The first is number 1.
  std::vector<std::string> ideas{};

  /// The figures of all groups, in order.
  std::vector<Asked> all() const;
};

/// A number as people write it on a sheet: "4", "0.5", "2/3" or "66.7 %". Nothing if it is none.
std::optional<double> parse_figure(std::string_view text);

/// Whether two figures are as good as equal: to one per cent.
bool is_close(double a, double b);

/// Throws runner::Error(ExitCode::failure), which names file and line, for a text that is not as above, or that asks for what
/// the lab does not have.
LabQuestions parse_lab_questions(const lab::Lab& of, const Document& questions,
                                 const Document& wrong_answers);

/// The same of the files in an exercise's folder.
LabQuestions read_lab_questions(const lab::Lab& of, const std::string& folder);

}  // namespace workshop

// Compares a learner's predictions with the counters of the lab's kernels. No right figure is stored: the kernels run.
// (A GPU has no such counters. There the lab's promise takes their place, and the text says so.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/error.hpp"
#include "promise/promise.hpp"
#include "text/page.hpp"
#include "workshop/predict/lab_questions.hpp"
#include "workshop/predict/prediction_sheet.hpp"

namespace workshop {

/// The right figure for a question.
struct Fact {
  std::optional<double> figure{};  // nothing if it is neither counted nor promised
  device::Relation relation = device::Relation::equal;  // of the promise
};

/// The facts for all questions, in their order.
struct Facts {
  std::vector<Fact> of{};
  std::string source{};  // "counted on the simulated GPU at elements 16384"
};

/// Runs the variants in question, or reads the lab's promise. Throws runner::Error if this fails.
Facts facts_of(const LabQuestions& questions);

/// One prediction, judged.
struct Held {
  /// untold: the figure is unknown here, or not revealed yet because another prediction is open.
  enum class State { open, right, wrong, untold };

  Entry entry{};
  Fact fact{};
  State state = State::open;
  std::string
      misunderstanding{};  // the title of the misunderstanding, if the wrong prediction is a known one
  std::string explanation{};
};

/// All predictions of a lab, judged.
struct Predictions {
  std::string lab{}, question{}, file{};
  std::vector<QuestionGroup> groups{};
  std::vector<std::string> ideas{};
  std::vector<Held> held{};
  std::string
      source{};  // of the facts; empty while a prediction is open, so that it reveals nothing yet
  std::string answer{};  // the lab's answer; empty while a prediction is open

  /// True if every question has a prediction. The exercise is then solved, right or wrong.
  bool is_solved() const;
  int right() const;
  /// Returns the titles of the misunderstandings that wrong predictions show, each once.
  std::vector<std::string> misunderstandings() const;
  /// Returns the variants with only right predictions.
  std::vector<std::string> right_variants() const;
};

/// Compares the entries, one for each question, with the facts.
Predictions hold(const LabQuestions& questions, const std::vector<Entry>& entries,
                 const Facts& facts);

/// Reads a sheet's text. If it has every prediction, runs the lab and compares. Throws runner::Error: see read_sheet()
/// and facts_of().
Predictions check_predictions(const LabQuestions& questions, std::string_view sheet,
                              const std::string& file);

/// Returns the text for the learner. While predictions are open, it lists them. Then it has the right ones, the
/// misunderstandings behind the others, and the lab's answer.
std::string rendered(const Predictions& predictions, const text::Page& page);

/// Returns `wrong` if a prediction is open, else `ok`: a wrong prediction is no failure.
runner::ExitCode exit_code_of(const Predictions& predictions);

/// Returns the errors in the texts themselves, a line each: a figure that no kernel counts, or a misunderstanding that
/// equals the right answer or another misunderstanding. `facts` answer the questions.
std::vector<std::string> complaints_about(const LabQuestions& questions, const Facts& facts);

}  // namespace workshop

// A learner's predictions of a lab, held against what the lab's kernels are counted to do. Nothing that is right is stored
// anywhere: the kernels run. (A GPU does not count. There the lab's promise takes the counters' place, and it says so.)
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

/// What a question's figure turned out to be.
struct Fact {
  std::optional<double> figure{};  // nothing where it is neither counted nor promised
  device::Relation relation = device::Relation::equal;  // of what is promised
};

/// One for each question, in the order of the questions.
struct Facts {
  std::vector<Fact> of{};
  std::string source{};  // "counted on the simulated GPU at elements 16384"
};

/// Runs what is asked about, or reads it off the lab's promise. Throws runner::Error where that fails.
Facts facts_of(const LabQuestions& questions);

/// What became of one prediction.
struct Held {
  /// untold: nobody knows here, or it is not revealed yet, since another one is open.
  enum class State { open, right, wrong, untold };

  Entry entry{};
  Fact fact{};
  State state = State::open;
  std::string misunderstanding{};  // its title, where a wrong prediction is a known one
  std::string explanation{};
};

/// What became of all of them.
struct Predictions {
  std::string lab{}, question{}, file{};
  std::vector<QuestionGroup> groups{};
  std::vector<std::string> ideas{};
  std::vector<Held> held{};
  std::string source{};  // of the facts; empty as long as one is open: nothing is revealed before
  std::string answer{};  // the lab's own; likewise

  /// Whether every question has a prediction: the exercise is solved then, right or wrong.
  bool is_solved() const;
  int right() const;
  /// The titles of the known misunderstandings that wrong predictions show, each once.
  std::vector<std::string> misunderstandings() const;
  /// The variants all of whose predictions are right.
  std::vector<std::string> right_variants() const;
};

/// Holds the entries, one for each question, against the facts.
Predictions hold(const LabQuestions& questions, const std::vector<Entry>& entries,
                 const Facts& facts);

/// What `check` does with the sheet's text: reads it, and if every prediction is there, runs the lab and compares. Throws
/// runner::Error: see read_sheet() and facts_of().
Predictions check_predictions(const LabQuestions& questions, std::string_view sheet,
                              const std::string& file);

/// For the learner: what is open; or which predictions were right, what the others show, and the lab's answer.
std::string rendered(const Predictions& predictions, const text::Page& page);

/// `wrong` where a prediction is open, else `ok`: to predict wrongly is no failure.
runner::ExitCode exit_code_of(const Predictions& predictions);

/// What is wrong with the texts themselves, a line each: a figure that nobody counts, a known misunderstanding that is the right
/// answer, or that another is taken for. The facts are those of the questions.
std::vector<std::string> complaints_about(const LabQuestions& questions, const Facts& facts);

}  // namespace workshop

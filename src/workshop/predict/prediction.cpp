#include "workshop/predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/interrupt.hpp"
#include "results/values/metrics.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/lab_trial.hpp"
#include "text/table.hpp"

namespace workshop {
namespace {

using device::Relation;
using runner::Error;
using runner::ExitCode;

const lab::Variant& variant_of(const LabQuestions& questions, const Asked& asked) {
  return *std::ranges::find(questions.of->variants, asked.variant,
                            [](const lab::Variant& variant) { return std::string(variant.name); });
}

Fact idea_of(const LabQuestions& questions, const lab::Variant& variant) {
  const auto idea = std::ranges::find(questions.ideas, variant.idea);
  return {.figure = static_cast<double>(idea - questions.ideas.begin() + 1)};
}

Fact promised(const lab::Variant& variant, const Asked& asked) {
  for (const lab::Claim& claim : variant.claims) {
    if (asked.counter == claim.counter && asked.buffer == claim.buffer) {
      return {.figure = claim.value, .relation = claim.relation};
    }
  }
  return {};
}

// Runs a variant once at the lab's sizes and checks its result.
results::Result run_of(const LabQuestions& questions, const lab::Variant& variant) {
  runner::stop_if_interrupted();
  results::Result result;
  const lab::Sizes sizes = lab::counted_sizes(*questions.of);
  runner::LabTrial(variant, sizes, runner::machine::GUARD).check(result);
  runner::stop_if_interrupted();
  if (!result.judged.correct) {
    throw Error(ExitCode::failure,
                fmt::format("{}/{} does not do what it should: {}", questions.of->name,
                            variant.name, result.judged.complaint));
  }
  return result;
}

std::string sizes_text(const lab::Lab& of) {
  const lab::Sizes sizes = lab::counted_sizes(of);
  std::vector<std::string> texts;
  for (const auto& [name, size] : sizes.all()) texts.push_back(fmt::format("{} {}", name, size));
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool is_right(double prediction, Relation relation, double figure) {
  switch (relation) {
    case Relation::equal:
      return is_close(prediction, figure);
    case Relation::at_least:
      return prediction >= figure;
    case Relation::at_most:
      return prediction <= figure;
  }
  return false;
}

const Misunderstanding* shown_by(const LabQuestions& questions, const Asked& asked,
                                 double prediction) {
  for (const Misunderstanding& known : questions.misunderstandings) {
    if (known.of == asked && known.is_shown_by(prediction)) return &known;
  }
  return nullptr;
}

Held held_against(const LabQuestions& questions, const Entry& entry, const Fact& fact) {
  using State = Held::State;
  Held held{.entry = entry, .fact = fact};
  if (!entry.value) return held;
  if (!fact.figure) {
    held.state = State::untold;
    return held;
  }
  const bool right = is_right(*entry.value, fact.relation, *fact.figure);
  held.state = right ? State::right : State::wrong;
  if (right) return held;
  if (const Misunderstanding* known = shown_by(questions, entry.asked, *entry.value)) {
    held.misunderstanding = known->title;
    held.explanation = known->explanation;
  }
  return held;
}

// ---- Texts.

bool is_share(const Asked& asked) { return asked.counter == "bytes_used_over_fetched"; }

std::string figure_text(const Asked& asked, double figure) {
  if (is_share(asked)) return fmt::format("{:.4g} %", 100 * figure);
  return fmt::format("{:.4g}", figure);
}

std::string fact_text(const Predictions& predictions, const Held& held) {
  if (!held.fact.figure) return "not known here";
  if (held.entry.asked.is_idea()) {
    const auto number = static_cast<size_t>(*held.fact.figure);
    return fmt::format("{}  {}", number, predictions.ideas[number - 1]);
  }
  const char* bound = held.fact.relation == Relation::at_least  ? "at least "
                      : held.fact.relation == Relation::at_most ? "at most "
                                                                : "";
  return bound + figure_text(held.entry.asked, *held.fact.figure);
}

// Returns the figure's name for a sentence: the tables' name, not the key.
std::string name_of(const Asked& asked) {
  if (asked.is_idea()) return "idea";
  const std::string name = results::metric(asked.counter).name;
  return asked.buffer.empty() ? name : fmt::format("{} of {}", name, asked.buffer);
}

// Returns the command that draws the question's request.
std::string drawing_of(const Predictions& predictions, const Asked& asked) {
  const std::string subject = fmt::format("{}/{}", predictions.lab, asked.variant);
  if (asked.counter.starts_with("shared_")) {
    return fmt::format("./sgemm_runner show {} --picture --buffer shared", subject);
  }
  // A riddle's kernels need --reveal. Here the answer is known already.
  if (asked.is_idea()) return fmt::format("./sgemm_runner show {} --reveal", subject);
  if (asked.buffer.empty()) return fmt::format("./sgemm_runner show {}", subject);
  return fmt::format("./sgemm_runner show {} --picture --buffer {}", subject, asked.buffer);
}

std::string wrapped(const std::string& text, const text::Page& page, int indent) {
  return text::wrap(std::string(static_cast<size_t>(indent), ' ') + text, page.width, indent) +
         "\n";
}

// Returns the paragraphs of a Markdown text, each as one line.
std::vector<std::string> paragraphs_of(std::string_view text) {
  std::vector<std::string> paragraphs(1);
  for (const std::string_view line : text::lines_of(text)) {
    if (line.empty()) {
      if (!paragraphs.back().empty()) paragraphs.emplace_back();
    } else {
      paragraphs.back() += (paragraphs.back().empty() ? "" : " ") + std::string(line);
    }
  }
  return paragraphs;
}

std::string open_lines(const Predictions& predictions, const text::Page& page) {
  const auto open = std::ranges::count_if(
      predictions.held, [](const Held& held) { return held.state == Held::State::open; });
  std::string text =
      text::wrap(fmt::format("{} of {} predictions in {} are open; nothing is revealed before they "
                             "are made:",
                             open, predictions.held.size(), predictions.file),
                 page.width, 2) +
      "\n";
  for (const Held& held : predictions.held) {
    if (held.state != Held::State::open) continue;
    const Asked& asked = held.entry.asked;
    text +=
        held.entry.line > 0
            ? fmt::format("  line {}: {}  {}\n", held.entry.line, asked.variant, asked.figure())
            : fmt::format("  its line is gone, add it: {}  {}  ?\n", asked.variant, asked.figure());
  }
  return text + "Guess where you do not know: a wrong prediction costs nothing.\n";
}

// Returns the predictions as a table: a line for each, below its question.
std::string table(const Predictions& predictions, const text::Page& page) {
  const text::Signs signs(page.unicode);
  using enum text::Align;
  text::Table table({{.align = left, .gap = 1, .width = text::display_width(signs.wrong)},
                     {.align = left, .gap = 1},
                     {.align = left},
                     {.heading = "predicted"},
                     {.heading = "turned out", .align = left}},
                    {.unicode = page.unicode});
  const auto row_of = [&](const Held& held) -> text::Table::Row {
    const char* mark = held.state == Held::State::right   ? signs.right
                       : held.state == Held::State::wrong ? signs.wrong
                                                          : signs.none;
    const Asked& asked = held.entry.asked;
    return {{mark},
            {asked.variant},
            {name_of(asked)},
            {held.entry.written},
            {fact_text(predictions, held)}};
  };
  for (const Held& held : predictions.held) table.make_room_for(row_of(held));
  std::string text = table.headings();
  auto held = predictions.held.begin();
  for (const QuestionGroup& group : predictions.groups) {
    text += wrapped(group.words, page, 1);
    for (size_t i = 0; i < group.asked.size(); ++i) text += table.line(row_of(*held++));
  }
  return text;
}

// Returns the explanations of wrong predictions, without repetition.
std::string what_they_show(const Predictions& predictions, const text::Page& page) {
  std::string text;
  std::vector<std::string> told;
  for (const Held& held : predictions.held) {
    if (held.state != Held::State::wrong) continue;
    const Asked& asked = held.entry.asked;
    const std::string about =
        fmt::format("{}, {}: {}", asked.variant, name_of(asked), held.entry.written);
    if (held.misunderstanding.empty()) {
      text += fmt::format("\n{}\n  Draw the 32 addresses, then compare:\n    {}\n", about,
                          drawing_of(predictions, asked));
      continue;
    }
    text += fmt::format("\n{}\n{}", about, wrapped(held.misunderstanding, page, 2));
    if (std::ranges::find(told, held.explanation) != told.end()) continue;
    told.push_back(held.explanation);
    for (const std::string& paragraph : paragraphs_of(held.explanation)) {
      text += wrapped(paragraph, page, 4);
    }
    text += fmt::format("    See it: {}\n", drawing_of(predictions, asked));
  }
  return text;
}

}  // namespace

Facts facts_of(const LabQuestions& questions) {
  const bool counts = runner::machine::KIND == results::Machine::simulator;
  Facts facts;
  facts.source =
      questions.of->is_riddle ? "as the kernels' source says"
      : counts ? fmt::format("counted on the simulated GPU at {}", sizes_text(*questions.of))
               : "as the lab promises; a GPU does not count (the simulated one does, wherever "
                 "./sgemm_runner finds no GPU)";
  std::map<std::string, results::Result> runs;  // of the variants
  for (const Asked& asked : questions.all()) {
    const lab::Variant& variant = variant_of(questions, asked);
    if (asked.is_idea()) {
      facts.of.push_back(idea_of(questions, variant));
    } else if (!counts) {
      facts.of.push_back(promised(variant, asked));
    } else {
      if (!runs.contains(asked.variant)) runs[asked.variant] = run_of(questions, variant);
      facts.of.push_back(
          {.figure = results::value(runs[asked.variant], asked.counter, asked.buffer)});
    }
  }
  return facts;
}

bool Predictions::is_solved() const {
  return !held.empty() &&
         std::ranges::none_of(held, [](const Held& one) { return one.state == Held::State::open; });
}

int Predictions::right() const {
  return static_cast<int>(
      std::ranges::count_if(held, [](const Held& one) { return one.state == Held::State::right; }));
}

std::vector<std::string> Predictions::misunderstandings() const {
  std::vector<std::string> titles;
  for (const Held& one : held) {
    const std::string& title = one.misunderstanding;
    if (!title.empty() && std::ranges::find(titles, title) == titles.end()) titles.push_back(title);
  }
  return titles;
}

std::vector<std::string> Predictions::right_variants() const {
  std::vector<std::string> variants, spoilt;
  for (const Held& one : held) {
    const bool is_right = one.state == Held::State::right;
    std::vector<std::string>& list = is_right ? variants : spoilt;
    const std::string& variant = one.entry.asked.variant;
    if (std::ranges::find(list, variant) == list.end()) list.push_back(variant);
  }
  std::erase_if(variants, [&](const std::string& variant) {
    return std::ranges::find(spoilt, variant) != spoilt.end();
  });
  return variants;
}

Predictions hold(const LabQuestions& questions, const std::vector<Entry>& entries,
                 const Facts& facts) {
  Predictions predictions{.lab = questions.of->name,
                          .question = questions.of->question,
                          .groups = questions.groups,
                          .ideas = questions.ideas,
                          .source = facts.source,
                          .answer = questions.of->answer};
  for (size_t i = 0; i < entries.size(); ++i) {
    predictions.held.push_back(held_against(questions, entries[i], facts.of.at(i)));
  }
  return predictions;
}

Predictions check_predictions(const LabQuestions& questions, std::string_view sheet,
                              const std::string& file) {
  const std::vector<Entry> entries = read_sheet(questions, sheet, file);
  const bool is_filled = !entries.empty() && std::ranges::all_of(entries, [](const Entry& entry) {
    return entry.value.has_value();
  });
  Predictions predictions;
  if (is_filled) {
    predictions = hold(questions, entries, facts_of(questions));
  } else {
    predictions = {.lab = questions.of->name,
                   .question = questions.of->question,
                   .groups = questions.groups,
                   .ideas = questions.ideas};
    for (const Entry& entry : entries) {
      const Held::State state = entry.value ? Held::State::untold : Held::State::open;
      predictions.held.push_back({.entry = entry, .state = state});
    }
  }
  predictions.file = file;
  return predictions;
}

std::string rendered(const Predictions& predictions, const text::Page& page) {
  std::string text = wrapped(fmt::format("{}: {}", predictions.lab, predictions.question), page, 0);
  if (!predictions.is_solved()) return text + open_lines(predictions, page);
  text += fmt::format("{}\n\n", predictions.source) + table(predictions, page);
  text += what_they_show(predictions, page);
  text += fmt::format("\n{} of {} predictions were right", predictions.right(),
                      predictions.held.size());
  const std::vector<std::string> variants = predictions.right_variants();
  if (!variants.empty()) text += fmt::format("; complete: {}", fmt::join(variants, ", "));
  text += ".\n\n";
  for (const std::string& paragraph : paragraphs_of(predictions.answer)) {
    text += wrapped(paragraph, page, 0);
  }
  return text;
}

ExitCode exit_code_of(const Predictions& predictions) {
  return predictions.is_solved() ? ExitCode::ok : ExitCode::wrong;
}

std::vector<std::string> complaints_about(const LabQuestions& questions, const Facts& facts) {
  std::vector<std::string> complaints;
  const std::vector<Asked> all = questions.all();
  const auto fact_of = [&](const Asked& asked) -> const Fact& {
    return facts.of.at(static_cast<size_t>(std::ranges::find(all, asked) - all.begin()));
  };
  for (const Asked& asked : all) {
    if (fact_of(asked).figure) continue;
    complaints.push_back(fmt::format("{}: {} in {} is asked, and neither counted nor promised",
                                     questions.of->name, asked.figure(), asked.variant));
  }
  for (const Misunderstanding& known : questions.misunderstandings) {
    const auto complain = [&](const std::string& what) {
      complaints.push_back(
          fmt::format("{}:{}: '{}' {}", known.file, known.line, known.title, what));
    };
    const Fact& fact = fact_of(known.of);
    if (!fact.figure) continue;
    if (known.is_shown_by(*fact.figure)) {
      complain("is known by what is right");
      continue;
    }
    // A prediction that shows the misunderstanding; for `above` and `below`, a value just beyond the limit.
    using Sign = Misunderstanding::Sign;
    const double beyond = std::max(1.0, 0.1 * std::abs(known.value));
    const double prediction = known.value + (known.sign == Sign::above   ? beyond
                                             : known.sign == Sign::below ? -beyond
                                                                         : 0);
    const Misunderstanding* first = shown_by(questions, known.of, prediction);
    if (first != &known) complain(fmt::format("is taken for '{}'", first->title));
  }
  return complaints;
}

}  // namespace workshop

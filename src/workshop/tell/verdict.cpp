#include "workshop/tell/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/words.hpp"
#include "results/values/metrics.hpp"
#include "runner/machine/machine.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/tell/sign.hpp"
#include "workshop/words/compiler_words.hpp"
#include "workshop/words/layout.hpp"

namespace workshop {
namespace {

const char* words_for(Ending ending) {
  switch (ending) {
    case Ending::right:
      return "right";
    case Ending::does_not_compile:
      return "it does not compile";
    case Ending::not_its_own:
      return "it is the rung's own code, and not yours";
    case Ending::crashed:
      return "its host code crashed";
    case Ending::never_ends:
      return "it does not end";
    case Ending::wrong_function:
      return "a function answers wrongly";
    case Ending::fault:
      return "a GPU would abort this";
    case Ending::wrong_result:
      return "the result is wrong";
    case Ending::hazard:
      return "the result is right here, by luck";
    case Ending::broken_contract:
      return "right at plain shapes, wrong at others that BLAS allows";
    case Ending::broken_promise:
      return "the result is right at plain shapes, and the idea is missing";
  }
  return "";
}

std::string metric_name(const results::CheckedClaim& claim) {
  const results::Metric* const metric = results::find_metric(claim.counter);
  return (metric == nullptr ? claim.counter : metric->name) + at_size(claim);
}

// Returns four digits, or all digits of a whole number.
std::string figure(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// True if two claims are on the same figure: the exercise's own claim may repeat the rung's promise.
bool is_of_the_same_figure(const results::CheckedClaim& a, const results::CheckedClaim& b) {
  return a.counter == b.counter && a.buffer == b.buffer && a.size == b.size;
}

// True if a rung promises a least value of a figure that should be small: a known waste.
bool is_a_known_waste(const results::CheckedClaim& claim) {
  const results::Metric* const metric = results::find_metric(claim.counter);
  return metric != nullptr && metric->better == results::Better::less && claim.relation == ">=";
}
constexpr const char* KNOWN_WASTE = " (this rung still has them, and a later one removes them)";

// Returns "sectors per load request of A: 1, promised 32", "..., promised <= 4", and one line for a figure that is
// promised twice.
std::string claims_as_text(const std::vector<results::CheckedClaim>& claims,
                           const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  std::vector<bool> told(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    if (told[i]) continue;
    const results::CheckedClaim& claim = claims[i];
    bool kept = true;
    std::vector<std::string> promised;
    for (size_t j = i; j < claims.size(); ++j) {
      if (!is_of_the_same_figure(claims[j], claim)) continue;
      told[j] = true;
      kept = kept && claims[j].kept;
      const std::string value = figure(claims[j].value);
      const bool is_equal = claims[j].relation == "=";
      promised.push_back(is_equal ? value : fmt::format("{} {}", claims[j].relation, value));
    }
    const std::string line =
        fmt::format("{} {}{}: {}, promised {}{}", kept ? signs.right : signs.wrong,
                    metric_name(claim), claim.buffer.empty() ? "" : " of " + claim.buffer,
                    claim.counted ? figure(*claim.counted) : "not counted",
                    fmt::join(promised, " and "), is_a_known_waste(claim) ? KNOWN_WASTE : "");
    text += text::wrap(line, page.width, 4) + "\n";
  }
  return text;
}

// Returns the command that shows more of the error.
std::string more_about(const Judged& judged) {
  const std::string word = judged.exercise->number_or_name();
  switch (judged.outcome.ending) {
    case Ending::right:
      return judged.exercise->before == nullptr
                 ? fmt::format("./sgemm_runner show --kernel {}", judged.file)
                 : fmt::format("./sgemm_runner show {} --kernel {}",
                               judged.exercise->before->number, judged.file);
    case Ending::does_not_compile:
      return fmt::format("./sgemm_runner check {} -v", word);
    case Ending::not_its_own:
    case Ending::crashed:
    case Ending::never_ends:
    case Ending::wrong_function:
      return "";
    case Ending::broken_promise:
      return fmt::format("./sgemm_runner show --kernel {}", judged.file);
    case Ending::fault:
    case Ending::wrong_result:
    case Ending::hazard:
      return fmt::format("./sgemm_runner --kernel {} {}{}", judged.file,
                         judged.outcome.hazards.empty() ? "" : "--hazards ", judged.outcome.again);
    case Ending::broken_contract:
      return fmt::format("./sgemm_runner --kernel {} --size 64", judged.file);
  }
  return "";
}

std::string what_was_wrong(const Judged& judged, const text::Page& page) {
  const Outcome& outcome = judged.outcome;
  const text::Page inner = narrower(page, 2);
  std::string text;
  if (outcome.ending == Ending::does_not_compile && !outcome.compiler_output.empty()) {
    text = judged.verbose ? outcome.compiler_output
                          : compiler_words(outcome.compiler_output,
                                           std::filesystem::absolute(judged.file).string(),
                                           judged.source, inner);
  } else if (outcome.ending == Ending::broken_promise) {
    text = outcome.message + claims_as_text(outcome.claims, inner);
  } else {
    text = lines_on(outcome.message, inner);
  }
  // A race leaves any pattern, so the pattern means nothing.
  const bool is_explained = outcome.ending != Ending::hazard && !outcome.hazards.empty();
  if (is_explained) {
    text += "\nIt looks like this:\n" + lines_on(outcome.hazards.front().message, inner);
  }
  if (!outcome.map.empty() && (!is_explained || judged.verbose)) text += "\n" + outcome.map;
  for (size_t i = 0; i < outcome.causes.size(); ++i) {
    const bool is_first = i == 0 && !is_explained;
    if (!is_first && !judged.verbose) break;
    text += (is_first ? "\n" : "") +
            text::wrap(fmt::format("{}: {}. {}", is_first ? "It looks like" : "Or",
                                   outcome.causes[i].name, outcome.causes[i].sentence),
                       inner.width, 0) +
            "\n";
  }
  const size_t further = outcome.hazards.empty() ? 0 : outcome.hazards.size() - 1;
  if (further > 0 && !judged.verbose) {
    text += fmt::format("(and {} more of its kind, which check -v shows)\n", further);
  }
  for (size_t i = 1; i <= further && judged.verbose; ++i) {
    text += "\n" + lines_on(outcome.hazards[i].message, inner);
  }
  return indented(text, 2);
}

std::string what_is_known(const Section& known, const text::Page& page) {
  const text::Page inner = narrower(page, 2);
  return "\n  " + inked(known.title, Ink::bold, page) + "\n\n" +
         indented(markdown_on(known.prose(), inner), 2);
}

// The share of the learner's file that equals the rung, without spaces.
enum class Own { nothing, between_the_marks, everything };

Own own_of_the_rung(const Judged& judged) {
  if (!has_solution(*judged.exercise)) return Own::nothing;
  const char hole = hole_of(judged.source);
  const std::string solution = solution_of(*judged.exercise, hole);
  if (without_spaces(own_part(judged.source)) != without_spaces(solution)) return Own::nothing;
  return without_spaces(judged.source) == without_spaces(cut(*judged.exercise, hole, solution))
             ? Own::everything
             : Own::between_the_marks;
}

std::string what_it_was_worth(const Judged& judged, const text::Page& page) {
  const Outcome& outcome = judged.outcome;
  std::string text;
  if (const Own own = own_of_the_rung(judged); own != Own::nothing) {
    text +=
        text::wrap(fmt::format("  {} That is fine; can you say why each line is there?",
                               own == Own::everything
                                   ? "It is the rung's own code, character for character."
                                   : "Between the marks it is the rung's own code, character for "
                                     "character; the rest of the file is changed."),
                   page.width, 2) +
        "\n";
  }
  if (!outcome.remark.empty())
    text += indented(lines_on(outcome.remark + "\n", narrower(page, 2)), 2);
  if (!outcome.claims.empty())
    text += "\n" + indented(claims_as_text(outcome.claims, narrower(page, 2)), 2);
  if (runner::machine::MEASURES_TIME) {
    text += indented("Accesses are not counted on a GPU: './sgemm_runner --build sim check " +
                         judged.exercise->number_or_name() + "' does.\n",
                     2);
  }
  if (!outcome.worth.empty()) text += "\n" + outcome.worth;
  if (!outcome.pictures.empty()) text += "\n" + outcome.pictures;
  return text;
}

std::string headline(const Judged& judged, const std::string& words, const text::Page& page) {
  const text::Signs signs(page.unicode);
  const bool right = judged.outcome.ending == Ending::right;
  const std::string text = fmt::format("{} {}", right ? signs.right : signs.wrong, words);
  return inked(text::wrap(text, page.width, 2), right ? Ink::good : Ink::bad, page) + "\n";
}

// Returns the hole after the file's; 0 after the last one.
char hole_after(const Judged& judged) {
  const std::vector<char> letters = judged.exercise->letters();
  const auto own = std::ranges::find(letters, hole_of(judged.source));
  return own == letters.end() || own + 1 == letters.end() ? 0 : own[1];
}

// Returns the line with the command that shows the solution and the answers; nothing in a copy without them.
std::string comparison(const Exercise& exercise) {
  if (!has_solution(exercise)) return "";
  return command_line("compare",
                      fmt::format("./sgemm_runner solution {}   with the answers to its questions",
                                  exercise.number_or_name()));
}

}  // namespace

std::string holes_of(const Section& wrong_answer) {
  std::string letters;
  for (const std::string& word : runner::split(wrong_answer.field("Hole"), ',')) {
    const size_t first = word.find_first_not_of(' ');
    if (first != word.npos) letters += word.substr(first);
  }
  return letters;
}

std::optional<Section> known_wrong_answer(const Exercise& exercise, const Outcome& outcome,
                                          const std::string& source) {
  if (outcome.ending == Ending::right) return std::nullopt;
  const bool unwritten = is_unwritten(exercise, source);
  const Document document = exercise.wrong_answers();
  const char hole = hole_of(source);
  for (const Section& section : document.sections) {
    const Sign sign =
        parse_sign(section.field("Known by"), fmt::format("{}:{}", document.file, section.line));
    const bool is_of_the_hole = holes_of(section).find(hole) != std::string::npos;
    if (!is_of_the_hole || !matches(sign, outcome, source)) continue;
    // For an unwritten hole only unwritten wrong answers fit. A copy for a class has no code in its wrong answers.
    const bool is_to_the_point =
        !unwritten ||
        (!section.blocks.empty() && is_unwritten(exercise, hole, section.blocks.front().text));
    if (is_to_the_point) return section;
  }
  return std::nullopt;
}

std::string after_a_lab(const Exercise& lab, const text::Page& page) {
  std::string text;
  for (const Section& section : lab.readme().sections) {
    if (section.title == QUESTION_AFTER)
      text += markdown_on(fmt::format("## {}\n\n{}\n", section.title, section.text), page);
  }
  return text + comparison(lab);
}

std::string next_step(const Exercise* next, bool is_begun) {
  if (next == nullptr) return "You are at the top: all exercises are done.\n";
  return command_line("next", fmt::format("./sgemm_runner learn {}{}", next->number_or_name(),
                                          is_begun ? "   (you have begun it)" : ""));
}

std::string verdict(const Judged& judged, const text::Page& page) {
  const Outcome& outcome = judged.outcome;
  const bool right = outcome.ending == Ending::right;
  const std::string word = judged.exercise->number_or_name();
  std::string text = headline(
      judged, fmt::format("{} exercise {}: {}", judged.file, word, words_for(outcome.ending)),
      page);
  if (judged.verbose) {
    text += fmt::format("  compiled in {:.1f} s, run in {:.1f} s\n", outcome.compile_seconds,
                        outcome.run_seconds);
  }
  if (!right && !judged.known && is_unwritten(*judged.exercise, judged.source)) {
    text += "  Nothing is written between the marks yet.\n";
  }
  text += right ? what_it_was_worth(judged, page) : what_was_wrong(judged, page);
  if (judged.known) text += what_is_known(*judged.known, page);
  if (!outcome.printed.empty()) text += "\n  It printed:\n" + indented(outcome.printed, 4);
  const std::string more = more_about(judged);
  text += "\n";
  if (!right) {
    return text + (more.empty() ? "" : command_line("more", more)) +
           command_line("next",
                        fmt::format("change it and check again; or ./sgemm_runner hint {}", word));
  }
  // The first line of a text that long has scrolled off the screen.
  text += headline(judged, fmt::format("exercise {}: right", word), page);
  text += command_line("more", more);
  text += comparison(*judged.exercise);
  if (const char larger = hole_after(judged); larger != 0) {
    text += command_line(
        "larger hole",
        fmt::format("./sgemm_runner reset {} --hole {}   (your file is kept)", word, larger));
  }
  return text + next_step(judged.next, judged.next_is_begun);
}

}  // namespace workshop

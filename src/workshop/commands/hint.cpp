// The commands `sgemm_runner hint`, `solution` and `reset`.
#include <fmt/format.h>

#include <algorithm>

#include "app/error.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "results/values/date.hpp"
#include "runner/trial/provenance.hpp"
#include "workshop/commands/next_steps.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/desk/desk.hpp"
#include "workshop/words/layout.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using runner::ExitCode;

// Returns both texts, each below its title; beside each other if the page is wide enough.
std::string beside(const std::string& left_title, const std::string& left,
                   const std::string& right_title, const std::string& right,
                   const text::Page& page) {
  const std::vector<std::string_view> a = text::lines_of(left), b = text::lines_of(right);
  int width = text::display_width(left_title), right_width = text::display_width(right_title);
  for (const std::string_view line : a) width = std::max(width, text::display_width(line));
  for (const std::string_view line : b)
    right_width = std::max(right_width, text::display_width(line));
  constexpr int GAP = 3;
  if (page.width > 0 && width + GAP + right_width > page.width) {
    return inked(left_title, Ink::bold, page) + "\n\n" + left + "\n" +
           inked(right_title, Ink::bold, page) + "\n\n" + right;
  }
  const std::string gap = page.unicode ? " │ " : " | ";
  std::string text = inked(text::pad_right(left_title, width), Ink::bold, page) + gap +
                     inked(right_title, Ink::bold, page) + "\n";
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    text += text::pad_right(i < a.size() ? a[i] : "", width) + gap +
            std::string(i < b.size() ? b[i] : "") + "\n";
  }
  return text;
}

// Returns the parts of a hint for this hole. A line that begins with "Hole `a`" begins the part of a hole; the text
// before the first such line is for all holes.
std::string part_for(char hole, const std::string& hint) {
  std::string text;
  char of = 0;
  for (const std::string_view line : text::lines_of(hint)) {
    constexpr std::string_view BEGIN = "Hole `";
    if (line.starts_with(BEGIN) && line.size() > BEGIN.size()) of = line[BEGIN.size()];
    if (of == 0 || of == hole) text += std::string(line) + "\n";
  }
  return text;
}

// Returns the learner's current hole.
char hole_at(const Desk& desk, const Exercise& exercise) {
  if (!exercise.is_written() || !desk.files().exists(exercise)) return 'a';
  return hole_of(read_text(desk.files().path(exercise)));
}

// Returns ", hole b" if an exercise has several holes.
std::string of_hole(const Exercise& exercise, char hole) {
  if (!exercise.is_written() || exercise.letters().size() < 2) return "";
  return fmt::format(", hole {}", hole);
}

}  // namespace

ExitCode run(const HintRequest& request) {
  const text::Page page = runner::stdout_page(runner::When::automatic);
  Desk desk(request.folder);
  const Exercise& exercise = desk.exercise(request.exercise);
  desk.require_file(exercise);  // hints refer to its text
  const Document hints = exercise.hints();
  Step& step = desk.step(exercise);
  const int count = hints_of(exercise);
  const int number = std::min(step.hints_of_hole + 1, count);
  const bool again = step.hints_of_hole >= count;
  step.hints_of_hole = number;
  if (!again) ++step.hints;
  if (step.opened.empty()) desk.open(exercise);
  desk.save();
  const char hole = hole_at(desk, exercise);
  std::string text =
      inked(
          fmt::format("Hint {} of {} for exercise {}{}{}", number, count, exercise.number_or_name(),
                      of_hole(exercise, hole), again ? ", once more" : ""),
          Ink::bold, page) +
      "\n\n" +
      markdown_on(part_for(hole, hints.sections.at(static_cast<size_t>(number) - 1).text), page) +
      "\n";
  if (number < count) {
    text += command_line("still stuck", hint_command(exercise, &step));
  } else if (has_solution(exercise)) {
    text += command_line("give up", command_for("solution", exercise));
  } else {
    text +=
        command_line("give up", "ask your teacher for the solution, or: ./sgemm_runner learn skip");
  }
  runner::write_stdout(text);
  return ExitCode::ok;
}

ExitCode run(const SolutionRequest& request) {
  const text::Page page = runner::stdout_page(runner::When::automatic);
  Desk desk(request.folder);
  // A solution is shown only if the exercise is named.
  if (request.exercise.empty()) {
    throw runner::Error(ExitCode::usage, "say which: './sgemm_runner solution 2'");
  }
  const Exercise& exercise = find_exercise(request.exercise);
  require_solution(exercise);
  std::string text;
  if (exercise.is_written()) {
    const std::string path = desk.files().path(exercise);
    const std::string source = desk.files().exists(exercise) ? read_text(path) : "";
    const char hole = source.empty() ? 'a' : hole_of(source);
    text = beside(source.empty() ? "(you have no file yet)" : as_typed(path), own_part(source),
                  fmt::format("the rung, src/kernels/{}.cu", exercise.name),
                  solution_of(exercise, hole), page);
  } else {
    text = command_line("it counts", fmt::format("./sgemm_runner lab {}{}", exercise.name,
                                                 exercise.lab().is_riddle ? " --reveal" : ""));
  }
  const Document answers = exercise.answers();
  const Document readme = exercise.readme();
  for (const char* when : {"Before", "After"}) {
    const Section* const answer = answers.find(when);
    const Section* const question = readme.find(
        fmt::format("A question {}", when == std::string("Before") ? "before" : "after"));
    if (answer == nullptr || question == nullptr) continue;
    text += fmt::format("\n{}\n\n{}\n{}", inked(question->title, Ink::bold, page),
                        markdown_on(question->text, page), markdown_on(answer->text, page));
  }
  Step& step = desk.step(exercise);
  if (step.solved.empty() && step.seen.empty()) step.seen = results::utc_now();
  desk.save();
  if (exercise.is_written() && desk.files().exists(exercise)) {
    text += "\n" + command_line("both whole", fmt::format("./sgemm_runner show {} --kernel {}",
                                                          exercise.rung().number,
                                                          as_typed(desk.files().path(exercise))));
  }
  runner::write_stdout(text);
  return ExitCode::ok;
}

ExitCode run(const ResetRequest& request) {
  Desk desk(request.folder);
  if (request.exercise.empty()) {
    throw runner::Error(ExitCode::usage, "say which: './sgemm_runner reset 2'");
  }
  const Exercise& exercise = find_exercise(request.exercise);
  const std::string text = desk.fresh_text(exercise, request.hole);
  std::string kept;
  if (desk.files().exists(exercise)) kept = move_to_backup(desk.files().path(exercise));
  desk.files().make(exercise, text);
  Step& step = desk.step(exercise);
  if (request.hole != 0) step.set_hole(request.hole);
  desk.open(exercise);
  desk.save();
  const text::Page page = runner::stdout_page(runner::When::automatic);
  const std::string made =
      fmt::format("{} is new{}{}", as_typed(desk.files().path(exercise)),
                  of_hole(exercise, hole_at(desk, exercise)),
                  kept.empty() ? "" : "; what was there is kept as " + as_typed(kept));
  runner::write_stdout(text::wrap(made, page.width, 2) + "\n\n" +
                       command_line("read", command_for("learn", exercise)) +
                       command_line("check", command_for("check", exercise)) +
                       command_line("stuck?", hint_command(exercise, &step)));
  return ExitCode::ok;
}

}  // namespace workshop

// The command `sgemm_runner learn`.
#include <fmt/format.h>

#include <algorithm>

#include "app/output.hpp"
#include "app/terminal.hpp"
#include "results/values/date.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/provenance.hpp"
#include "workshop/commands/next_steps.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/desk/desk.hpp"
#include "workshop/tell/verdict.hpp"
#include "workshop/words/layout.hpp"

namespace workshop {
namespace {

using runner::ExitCode;

std::string where_one_is(const Desk& desk, const text::Page& page) {
  const size_t done = desk.progress().solved();
  std::string text = inked("The workshop: climb the ladder, rung by rung", Ink::bold, page) + "\n";
  text += text::wrap(
      fmt::format(
          "{} of {} exercises solved. In some you write a part of a kernel, in others you predict "
          "what "
          "a kernel's memory accesses cost. 'check' runs the kernel on {} and judges your answer.",
          done, course().size(),
          runner::machine::MEASURES_TIME ? "the GPU" : "the GPU in software"),
      page.width, 0);
  text += "\n\n";
  if (const Exercise* const at_hand = desk.at_hand()) {
    const Step* const step = desk.progress().find(at_hand->name);
    const bool is_of_a_hole = at_hand->is_written() && step != nullptr && step->hole != 'a';
    text +=
        command_line("at hand", at_hand->readme().head.title +
                                    (is_of_a_hole ? fmt::format("   (hole {})", step->hole) : ""));
    text += command_line("your file", as_typed(desk.files().path(*at_hand)));
    text += command_line("read", command_for("learn", *at_hand));
    text += command_line("check", command_for("check", *at_hand));
    text += command_line("stuck?", hint_command(*at_hand, step));
    return text;
  }
  const Exercise* const next = desk.next();
  if (next == nullptr)
    return text + "All exercises are solved or skipped: './sgemm_runner progress'.\n";
  return text + command_line(done == 0 ? "begin" : "next",
                             fmt::format("{}    {}", command_for("learn", *next), next->title()));
}

std::string what_to_do(const Desk& desk, const Exercise& exercise, bool made,
                       const text::Page& page) {
  const std::string file = as_typed(desk.files().path(exercise));
  std::string text = markdown_on("# " + exercise.readme().head.title + "\n\n", page);
  for (const Section& section : exercise.readme().sections) {
    // A lab's question after gives the predictions away: `check` asks it.
    if (!exercise.is_written() && section.title == QUESTION_AFTER) continue;
    text += markdown_on(fmt::format("## {}\n\n{}\n", section.title, section.text), page);
  }
  text += command_line("your file", fmt::format("{}{}", file, made ? "  (made now)" : ""));
  text += command_line(
      "check", command_for("check", exercise) +
                   (exercise.is_written() ? " --watch   at each save; without --watch once" : ""));
  text += command_line("stuck?", hint_command(exercise, desk.progress().find(exercise.name)));
  return text;
}

void open(Desk& desk, const Exercise& exercise, char hole, const text::Page& page) {
  Step& step = desk.step(exercise);
  const bool exists = desk.files().exists(exercise);
  if (hole != 0 && exists && hole != step.hole) {
    throw runner::Error(
        ExitCode::usage,
        fmt::format(
            "your file is of hole {}: './sgemm_runner reset {} --hole {}' keeps it and begins "
            "with the other",
            step.hole, exercise.number_or_name(), hole));
  }
  if (hole != 0) step.set_hole(hole);
  const bool made = !exists && desk.files().make(exercise, desk.fresh_text(exercise, hole));
  desk.open(exercise);
  desk.save();
  runner::write_stdout(what_to_do(desk, exercise, made, page));
}

}  // namespace

ExitCode run(const LearnRequest& request) {
  const text::Page page = runner::stdout_page(runner::When::automatic);
  Desk desk(request.folder);
  if (request.exercise.empty() || request.exercise == "start") {
    runner::write_stdout(where_one_is(desk, page));
    return ExitCode::ok;
  }
  if (request.exercise == "skip") {
    const Exercise* const one =
        request.skipped.empty() ? desk.next() : &find_exercise(request.skipped);
    if (one == nullptr || state_of(desk.progress().find(one->name)) == State::solved) {
      throw runner::Error(ExitCode::usage, one == nullptr
                                               ? "there is nothing left to put off"
                                               : one->name + " is solved, and not put off");
    }
    const Exercise& exercise = *one;
    desk.step(exercise).skipped = results::utc_now();
    desk.end(exercise);
    desk.save();
    runner::write_stdout(
        fmt::format("{} is put off; './sgemm_runner learn {}' takes it up again.\n", exercise.name,
                    exercise.number_or_name()));
  }
  if (request.exercise == "next" || request.exercise == "skip") {
    const Exercise* const next = desk.next();
    if (next == nullptr) {
      runner::write_stdout(where_one_is(desk, page));
    } else {
      open(desk, *next, request.hole, page);
    }
    return ExitCode::ok;
  }
  open(desk, find_exercise(request.exercise), request.hole, page);
  return ExitCode::ok;
}

}  // namespace workshop

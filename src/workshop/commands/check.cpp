// The command `sgemm_runner check`.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "results/values/date.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"
#include "workshop/commands/watch.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/desk/desk.hpp"
#include "workshop/judge/judge_answer.hpp"
#include "workshop/judge/outcome_json.hpp"
#include "workshop/predict/prediction.hpp"
#include "workshop/tell/verdict.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

// Returns the text of the learner's file. Throws if it is missing or empty.
std::string own_source(const Desk& desk, const Exercise& exercise) {
  const std::string path = desk.files().path(exercise);
  const std::string word = exercise.number_or_name();
  desk.require_file(exercise);
  const std::string way_out =
      fmt::format(": './sgemm_runner reset {}' keeps it and begins anew", word);
  std::string source;
  try {
    source = read_text(path);
  } catch (const Error& error) {
    throw Error(ExitCode::usage, error.what() + way_out);
  }
  if (source.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ExitCode::usage, fmt::format("'{}' is empty{}", as_typed(path), way_out));
  }
  return source;
}

// Puts the text of a file between the marks of the learner's file. Copies the learner's file to the backup first, if this
// changes it.
void take_answer(const Desk& desk, const Exercise& exercise, const std::string& file) {
  if (!exercise.is_written()) {
    throw Error(ExitCode::usage,
                fmt::format("--answer takes code, but {} asks for predictions: write them into its "
                            "own file",
                            exercise.name));
  }
  const std::string text = read_text(file);
  const std::string path = desk.files().path(exercise);
  desk.files().make(exercise, desk.fresh_text(exercise, 0));  // if there is none yet
  const std::string before = own_source(desk, exercise);
  const std::optional<std::string> after = with_own_part(before, text);
  if (!after) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' has lost its marks; the text of '{}' belongs between them: "
                            "'./sgemm_runner reset {}' keeps it and begins anew",
                            as_typed(path), file, exercise.number_or_name()));
  }
  if (*after == before) return;
  move_to_backup(path);
  write_text(path, *after);
}

void keep(Desk& desk, const Exercise& exercise, const std::string& ending, bool solved,
          const std::vector<std::string>& known) {
  Step& step = desk.step(exercise);
  ++step.checks;
  ++step.endings[ending];
  for (const std::string& title : known) ++step.known[title];
  if (solved && step.solved.empty()) step.solved = results::utc_now();
  if (solved) desk.end(exercise);
  desk.save();
}

// The text of a check, and its exit code.
struct Answer {
  std::string text{};
  nlohmann::ordered_json json{};
  ExitCode code = ExitCode::ok;
};

Answer check_rung(Desk& desk, const Exercise& exercise, const CheckRequest& request,
                  const text::Page& page) {
  const std::string path = desk.files().path(exercise);
  Judged judged{.exercise = &exercise,
                .file = as_typed(path),
                .source = own_source(desk, exercise),
                .verbose = request.verbose};
  {
    runner::ProgressLine progress(!request.json);
    progress.say(fmt::format("judging {}", judged.file));
    judged.outcome =
        judge_answer(exercise, path, {.kernel_seconds = request.seconds, .page = page});
  }
  judged.known = known_wrong_answer(exercise, judged.outcome, judged.source);
  const bool right = judged.outcome.ending == Ending::right;
  std::vector<std::string> known;
  if (judged.known) known.push_back(judged.known->title);
  keep(desk, exercise, name_of(judged.outcome.ending), right, known);
  judged.next = desk.next();
  judged.next_is_begun = judged.next == desk.at_hand();

  Answer answer{.text = verdict(judged, page), .code = right ? ExitCode::ok : ExitCode::wrong};
  answer.json = {{"exercise", exercise.name}, {"file", judged.file}};
  answer.json.update(json_of(judged.outcome));
  answer.json["known_wrong_answers"] = known;
  return answer;
}

Answer check_lab(Desk& desk, const Exercise& exercise, const text::Page& page) {
  const std::string file = as_typed(desk.files().path(exercise));
  const LabQuestions questions = read_lab_questions(exercise.lab(), exercise.folder);
  const Predictions predictions = check_predictions(questions, own_source(desk, exercise), file);
  const bool solved = predictions.is_solved();
  const std::vector<std::string> known = predictions.misunderstandings();
  keep(desk, exercise, solved ? "revealed" : "open", solved, known);

  Answer answer{.text = rendered(predictions, page), .code = exit_code_of(predictions)};
  answer.json = {{"exercise", exercise.name},
                 {"file", file},
                 {"ending", solved ? "revealed" : "open"},
                 {"predictions", predictions.held.size()},
                 {"right", predictions.right()},
                 {"known_wrong_answers", known}};
  if (solved)
    answer.text +=
        "\n" + after_a_lab(exercise, page) + next_step(desk.next(), desk.next() == desk.at_hand());
  return answer;
}

Answer check(Desk& desk, const Exercise& exercise, const CheckRequest& request,
             const text::Page& page) {
  return exercise.is_written() ? check_rung(desk, exercise, request, page)
                               : check_lab(desk, exercise, page);
}

// Checks every exercise that has a file, a line each.
ExitCode check_all(Desk& desk, const CheckRequest& request, const text::Page& page) {
  const text::Signs signs(page.unicode);
  ExitCode code = ExitCode::ok;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Exercise& exercise : course()) {
    if (!desk.files().exists(exercise)) continue;
    Answer answer = check(desk, exercise, request, page);
    if (answer.code != ExitCode::ok) code = answer.code;
    if (!request.json) {
      runner::write_stdout(fmt::format("{} {:<22}{}\n",
                                       answer.code == ExitCode::ok ? signs.right : signs.wrong,
                                       exercise.name, answer.json.at("ending").get<std::string>()));
    }
    all.push_back(std::move(answer.json));
  }
  if (all.empty()) {
    throw Error(ExitCode::usage, fmt::format("there is no file of yours in '{}': './sgemm_runner "
                                             "learn' says where to begin",
                                             as_typed(desk.files().folder())));
  }
  if (request.json) runner::write_stdout(all.dump(2) + "\n");
  return code;
}

// Judges at each save until Ctrl-C.
ExitCode run_watching(const CheckRequest& request, const text::Page& page) {
  const Desk desk(request.folder);
  const Exercise& exercise = desk.exercise(request.exercise);
  static_cast<void>(own_source(desk, exercise));  // throws if there is no file to watch
  const std::string path = desk.files().path(exercise);
  runner::warn(
      fmt::format("watching '{}': save it to have it judged; Ctrl-C ends this", as_typed(path)));
  const auto saved = [&] {
    runner::write_stdout(rule(time_of_day(), page));
    try {
      Desk now(request.folder);  // a hint in another terminal may have changed the progress
      runner::write_stdout(check(now, exercise, request, page).text);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;  // the learner can mend the file
      runner::warn(error);
    }
  };
  const auto gone = [&] {
    runner::warn(fmt::format("'{}' is gone; waiting until it is there again", as_typed(path)));
  };
  watch(path, until_interrupted(), saved, gone);
  return ExitCode::interrupted;
}

}  // namespace

ExitCode run(const CheckRequest& request) {
  runner::catch_signals(runner::machine::interrupt);
  const text::Page page = runner::stdout_page(runner::When::automatic);
  if (request.watch && request.exercise == "all") {
    throw Error(ExitCode::usage, "--watch watches one exercise: './sgemm_runner check 2 --watch'");
  }
  if (request.watch) return run_watching(request, page);
  Desk desk(request.folder);
  if (!request.answer.empty()) {
    if (request.exercise == "all") {
      throw Error(ExitCode::usage,
                  "--answer is for one exercise: './sgemm_runner check 2 --answer FILE'");
    }
    take_answer(desk, desk.exercise(request.exercise), request.answer);
  }
  if (request.exercise == "all") return check_all(desk, request, page);
  const Answer answer = check(desk, desk.exercise(request.exercise), request, page);
  runner::write_stdout(request.json ? answer.json.dump(2) + "\n" : answer.text);
  return answer.code;
}

}  // namespace workshop

// What `sgemm_runner check` does.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runner/interrupt.hpp"
#include "runner/output.hpp"
#include "runner/progress.hpp"
#include "runner/provenance.hpp"
#include "runner/terminal.hpp"
#include "workshop/desk.hpp"
#include "workshop/judge.hpp"
#include "workshop/outcome_json.hpp"
#include "workshop/text_file.hpp"
#include "workshop/verdict.hpp"
#include "workshop/workshop.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

void refuse_what_is_not_there(const Desk& desk, const Exercise& exercise) {
  if (desk.files().exists(exercise)) return;
  const std::string word = exercise.number_or_name();
  throw Error(ExitCode::usage,
              fmt::format("there is no '{}' yet: './sgemm_runner learn {}' makes it",
                          as_typed(desk.files().path(exercise)), word));
}

void keep(Desk& desk, const Judged& judged) {
  Step& step = desk.step(*judged.exercise);
  ++step.checks;
  ++step.endings[name_of(judged.outcome.ending)];
  if (judged.known) ++step.known[judged.known->title];
  if (judged.outcome.ending == Ending::right && step.solved.empty()) step.solved = runner::now();
  desk.save();
}

Judged judged(Desk& desk, const Exercise& exercise, const CheckRequest& request,
              const text::Page& page) {
  refuse_what_is_not_there(desk, exercise);
  const std::string path = desk.files().path(exercise);
  Judged judged{.exercise = &exercise,
                .file = as_typed(path),
                .source = read_text(path),
                .verbose = request.verbose};
  if (judged.source.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' is empty: './sgemm_runner reset {}' keeps it and begins anew",
                            judged.file, exercise.number_or_name()));
  }
  {
    runner::Progress progress(!request.json);
    progress.say(fmt::format("judging {}", judged.file));
    judged.outcome =
        judge_answer(exercise, path, {.kernel_seconds = request.seconds, .page = page});
  }
  judged.known = known_wrong_answer(exercise, judged.outcome, judged.source);
  keep(desk, judged);
  judged.next = desk.next();
  return judged;
}

ExitCode code_of(const Outcome& outcome) {
  return outcome.ending == Ending::right ? ExitCode::ok : ExitCode::wrong;
}

nlohmann::ordered_json as_json(const Judged& judged) {
  nlohmann::ordered_json json = {{"exercise", judged.exercise->name}, {"file", judged.file}};
  json.update(json_of(judged.outcome));
  if (judged.known) json["known_wrong_answer"] = judged.known->title;
  return json;
}

}  // namespace

ExitCode run(const CheckRequest& request) {
  runner::catch_signals();
  const text::Page page = runner::stdout_page(runner::When::automatic);
  Desk desk(request.folder);
  const Judged one = judged(desk, desk.exercise(request.exercise), request, page);
  runner::write_stdout(request.json ? as_json(one).dump(2) + "\n" : verdict(one, page));
  return code_of(one.outcome);
}

}  // namespace workshop

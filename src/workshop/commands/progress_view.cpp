// The command `sgemm_runner progress`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/error.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/own_files.hpp"
#include "workshop/desk/class_progress.hpp"
#include "workshop/desk/desk.hpp"
#include "workshop/words/layout.hpp"

namespace workshop {
namespace {

std::string words_for(const Step& step, const text::Signs& signs) {
  switch (state_of(&step)) {
    case State::solved:
      return fmt::format("{} solved {}", signs.right, step.solved.substr(0, 10));
    case State::skipped:
      return "put off";
    case State::begun:
      return step.opened.empty() ? "" : "begun";  // checked, but never opened
    case State::untouched:
      break;
  }
  return "";
}

std::string times(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string own_progress_as_text(const Desk& desk, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  for (const Exercise& exercise : course()) {
    const Step* const step = desk.progress().find(exercise.name);
    std::string line = text::pad_right(exercise.name, 22);
    if (step != nullptr) {
      std::vector<std::string> did;
      if (step->checks > 0) did.push_back(times(step->checks, "check"));
      if (step->hints > 0) did.push_back(times(step->hints, "hint"));
      if (!step->seen.empty()) did.emplace_back("solution seen");
      line +=
          text::pad_right(words_for(*step, signs), 21) + fmt::format(" {}", fmt::join(did, ", "));
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// Refuses a file that is not this learner's. Handing in again replaces only the file handed in
// before.
void refuse_what_is_another_learners(const std::string& file, const std::string& name) {
  const std::string other = read_progress(file).learner;
  if (other == name) return;
  throw runner::Error(runner::ExitCode::usage,
                      fmt::format("'{}' is there already, with the progress of '{}': remove it, or "
                                  "hand in under another name",
                                  file, other));
}

// Writes the progress for handing in. The file's name becomes the learner's name: "ada.json".
void hand_in(Desk& desk, const std::string& file) {
  const std::filesystem::path path = file;
  if (path.extension() != ".json" || path.stem().empty()) {
    throw runner::Error(
        runner::ExitCode::usage,
        fmt::format("--export '{}' should be your name and .json: --export ada.json", file));
  }
  std::error_code none;
  if (std::filesystem::exists(path, none))
    refuse_what_is_another_learners(file, path.stem().string());
  runner::OutputFile output(file);
  desk.name_learner(path.stem().string());
  desk.save();
  output.commit(to_json(desk.progress()));
  runner::write_stdout(fmt::format("{} is the progress of {}, to hand in\n", as_typed(file),
                                   desk.progress().learner));
}

}  // namespace

runner::ExitCode run(const ProgressRequest& request) {
  const text::Page page = runner::stdout_page(runner::When::automatic);
  if (!request.exported.empty()) {
    Desk desk(request.folder);
    hand_in(desk, request.exported);
    return runner::ExitCode::ok;
  }
  if (!request.files.empty()) {
    const std::vector<Learner> learners = read_class(request.files);
    runner::write_stdout(request.json ? class_as_json(learners) : class_as_text(learners, page));
    return runner::ExitCode::ok;
  }
  const Desk desk(request.folder);
  runner::write_stdout(request.json ? to_json(desk.progress()) : own_progress_as_text(desk, page));
  return runner::ExitCode::ok;
}

}  // namespace workshop

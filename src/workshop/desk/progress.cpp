#include "workshop/desk/progress.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "app/error.hpp"
#include "app/output.hpp"
#include "results/files/json.hpp"
#include "results/files/strict_json.hpp"
#include "text/foreign.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/course/own_files.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using Json = nlohmann::ordered_json;
using runner::Error;
using runner::ExitCode;

constexpr int SCHEMA = 1;

Error damaged(const std::string& path, const std::string& why) {
  return {ExitCode::usage, fmt::format("'{}' is no progress file: {}", text::plain_line(path),
                                       text::plain_line(why))};
}

// The library's words without the mark before them: "[json.exception.type_error.302] type must be string, but is number".
std::string plain(std::string_view what) {
  const size_t mark = what.find("] ");
  return std::string(what.substr(mark == what.npos ? 0 : mark + 2));
}

std::string user_name() {
  const passwd* const user = getpwuid(getuid());
  if (user != nullptr) return user->pw_name;
  const char* const name = std::getenv("USER");
  return name != nullptr ? name : "";
}

Json json_of(const Step& step) {
  Json json = Json::object();
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  json["hole"] = std::string(1, step.hole);
  add_text("opened", step.opened);
  if (step.opening > 0) json["opening"] = step.opening;
  if (step.ending > 0) json["ending"] = step.ending;
  add_text("solved", step.solved);
  add_text("skipped", step.skipped);
  add_text("solution_seen", step.seen);
  json["checks"] = step.checks;
  json["hints"] = step.hints;
  json["endings"] = step.endings;
  json["known_wrong_answers"] = step.known;
  return json;
}

int count_of(const Json& json, const char* key) {
  constexpr int64_t MOST = 1'000'000;
  const auto count = json.value(key, int64_t{0});
  if (count < 0 || count > MOST) throw std::out_of_range(fmt::format("'{}' is {}", key, count));
  return static_cast<int>(count);
}

// Progress files are handed in: what learners wrote into them is shown to their teacher.
std::string line_of(const Json& json, const char* key) {
  return text::plain_line(json.value(key, ""));
}

std::map<std::string, int> counts_of(const Json& json, const char* key) {
  std::map<std::string, int> counts;
  if (!json.contains(key)) return counts;
  for (const auto& [name, count] : json.at(key).get<std::map<std::string, Json>>())
    counts[text::plain_line(name)] = count_of({{key, count}}, key);
  return counts;
}

// Throws nlohmann's exceptions for wrong types, and std::out_of_range.
Step step_of(const Json& json) {
  if (!json.is_object()) throw std::out_of_range(fmt::format("it is {}", json.dump()));
  Step step;
  step.opened = line_of(json, "opened");
  step.solved = line_of(json, "solved");
  step.skipped = line_of(json, "skipped");
  step.seen = line_of(json, "solution_seen");
  step.opening = count_of(json, "opening");
  step.ending = count_of(json, "ending");
  step.checks = count_of(json, "checks");
  step.hints = count_of(json, "hints");
  const std::string hole = json.value("hole", "a");
  if (hole.size() != 1) throw std::out_of_range(fmt::format("'hole' is '{}'", hole));
  step.hole = hole[0];
  step.endings = counts_of(json, "endings");
  step.known = counts_of(json, "known_wrong_answers");
  return step;
}

}  // namespace

State state_of(const Step* step) {
  if (step == nullptr) return State::untouched;
  if (!step->solved.empty()) return State::solved;
  if (!step->skipped.empty()) return State::skipped;
  return step->opened.empty() && step->checks == 0 ? State::untouched : State::begun;
}

int Progress::next_place() const {
  int last = 0;
  for (const auto& [name, step] : steps) last = std::max({last, step.opening, step.ending});
  return last + 1;
}

const Step* Progress::find(const std::string& exercise) const {
  const auto found = steps.find(exercise);
  return found == steps.end() ? nullptr : &found->second;
}

bool Progress::is_solved(const std::string& exercise) const {
  return state_of(find(exercise)) == State::solved;
}

size_t Progress::solved() const {
  return static_cast<size_t>(std::ranges::count_if(
      course(), [&](const Exercise& exercise) { return is_solved(exercise.name); }));
}

Progress read_progress(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) {
    return {.learner = user_name()};
  }
  const std::string text = read_text(path);
  try {
    const Json json = results::strict_json(text);
    if (!json.is_object() || !json.contains("sgemm_workshop_progress")) {
      throw damaged(path, "it has no key 'sgemm_workshop_progress'");
    }
    const int schema = json.at("sgemm_workshop_progress");
    if (schema != SCHEMA) {
      throw damaged(path, fmt::format("it is of version {}, and this program reads version {}",
                                      schema, SCHEMA));
    }
    Progress progress{.learner = line_of(json, "learner")};
    const Json& exercises = json.at("exercises");
    if (!exercises.is_object()) throw damaged(path, "its 'exercises' are no object");
    for (const auto& [name, step] : exercises.items()) {
      try {
        progress.steps[text::plain_line(name)] = step_of(step);
      } catch (const std::exception& error) {
        throw damaged(path, fmt::format("of '{}', {}", name, plain(error.what())));
      }
    }
    return progress;
  } catch (const results::Unusable& error) {
    throw damaged(path, error.what());
  } catch (const nlohmann::json::exception& error) {
    throw damaged(path, plain(error.what()));
  }
}

std::string to_json(const Progress& progress) {
  Json json = {{"sgemm_workshop_progress", SCHEMA}, {"learner", progress.learner}};
  json["exercises"] = Json::object();
  for (const auto& [name, step] : progress.steps) json["exercises"][name] = json_of(step);
  return json.dump(2) + "\n";
}

Progress own_progress(const std::string& path) {
  try {
    return read_progress(path);
  } catch (const Error& error) {
    const std::string kept = move_to_backup(path);
    runner::warn(
        fmt::format("{}; it is kept as {}, and a new one is begun: './sgemm_runner check "
                    "all' finds what you have solved",
                    error.what(), as_typed(kept)));
    return {.learner = user_name()};
  }
}

void write_progress(const std::string& path, const Progress& progress) {
  write_text(path, to_json(progress));
}

}  // namespace workshop

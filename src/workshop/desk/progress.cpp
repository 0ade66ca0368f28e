#include "workshop/desk/progress.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/error.hpp"
#include "app/output.hpp"
#include "results/files/fields.hpp"
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

using results::known;
using results::needed;
using results::omitted;

constexpr const char* VERSION = "sgemm_workshop_progress";
constexpr int SCHEMA = 1;

Error damaged(const std::string& path, const std::string& why) {
  return {ExitCode::usage, fmt::format("'{}' is no progress file: {}", text::plain_line(path),
                                       text::plain_line(why))};
}

std::string user_name() {
  const passwd* const user = getpwuid(getuid());
  if (user != nullptr) return user->pw_name;
  const char* const name = std::getenv("USER");
  return name != nullptr ? name : "";
}

struct Letter : results::Text {
  using Value = char;
  static Json written(char letter) { return std::string(1, letter); }
  static char read(const results::Place& place) {
    const std::string text = place.text();
    if (text.size() != 1) place.refuse("is no letter");
    return text[0];
  }
};

// Members of an object, by their names.
template <typename Kind>
struct ByName {
  using Value = std::map<std::string, typename Kind::Value>;
  Kind kind;
  Json written(const Value& values) const {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = kind.written(value);
    return object;
  }
  Value read(const results::Place& place) const {
    Value values;
    place.for_each_member(
        [&](const std::string& name, const results::Place& one) { values[name] = kind.read(one); });
    return values;
  }
};

constexpr auto COUNT = results::Whole<int>{0, 1'000'000};

// Teachers see texts from progress files that learners hand in, so these must be printable and of one line.
constexpr auto STEP = std::tuple{
    known("hole", &Step::hole, Letter{}),
    omitted("opened", &Step::opened, results::Text{}),
    omitted("opening", &Step::opening, COUNT),
    omitted("ending", &Step::ending, COUNT),
    omitted("solved", &Step::solved, results::Text{}),
    omitted("skipped", &Step::skipped, results::Text{}),
    omitted("solution_seen", &Step::seen, results::Text{}),
    known("checks", &Step::checks, COUNT),
    known("hints", &Step::hints, COUNT),
    omitted("hints_of_hole", &Step::hints_of_hole, COUNT),
    known("endings", &Step::endings, ByName<results::Whole<int>>{COUNT}),
    known("known_wrong_answers", &Step::known, ByName<results::Whole<int>>{COUNT}),
};

constexpr auto PROGRESS = std::tuple{
    known("learner", &Progress::learner, results::Text{}),
    needed("exercises", &Progress::steps, ByName<results::Object<STEP>>{}),
};

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
    if (!json.is_object() || !json.contains(VERSION)) {
      throw damaged(path, fmt::format("it has no key '{}'", VERSION));
    }
    const results::Place whole{json, "the progress"};
    const int64_t schema = whole.at(VERSION).integer(INT64_MIN, INT64_MAX);
    if (schema != SCHEMA) {
      throw damaged(path, fmt::format("it is of version {}, and this program reads version {}",
                                      schema, SCHEMA));
    }
    return results::Object<PROGRESS>::read(whole);
  } catch (const results::Unusable& error) {
    throw damaged(path, error.what());
  }
}

std::string to_json(const Progress& progress) {
  Json json = {{VERSION, SCHEMA}};
  results::write(json, progress, PROGRESS);
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

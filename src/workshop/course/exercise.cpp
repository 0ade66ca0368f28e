#include "workshop/course/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "app/error.hpp"
#include "app/project.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "results/values/data.hpp"
#include "results/values/metrics.hpp"
#include "runner/choose/select.hpp"
#include "runner/choose/size.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

Error damaged(const std::string& file, const std::string& why) {
  return {ExitCode::failure, fmt::format("{}: {}", file, why)};
}

const ladder::Rung* rung_labelled(const std::string& name) {
  for (const ladder::Rung* rung : ladder::all()) {
    if (runner::label(*rung) == name) return rung;
  }
  return nullptr;
}

// Returns the rung or lab of the exercise with this name.
decltype(Exercise::of) subject_named(const std::string& name, const std::string& file) {
  if (const ladder::Rung* const rung = rung_labelled(name)) return rung;
  for (const lab::Lab* one : lab::all()) {
    if (name == one->name) return one;
  }
  throw damaged(file, fmt::format("'{}' is neither a rung nor a lab", name));
}

// Parses a line of the list: "02_coalesced 01_naive A".
Exercise exercise_of(const std::string& line, const std::string& file) {
  std::istringstream words(line);
  std::string name, before, drawn;
  words >> name >> before >> drawn;
  Exercise exercise{
      .name = name, .folder = exercises_folder() + "/" + name, .of = subject_named(name, file)};
  if (!before.empty() && before != "-") {
    exercise.before = rung_labelled(before);
    if (exercise.before == nullptr) throw damaged(file, fmt::format("'{}' is no rung", before));
  }
  if (drawn != "-") exercise.drawn = drawn;
  return exercise;
}

std::vector<Exercise> read_course() {
  const std::string file = exercises_folder() + "/course.txt";
  std::istringstream lines(read_text(file));
  std::vector<Exercise> exercises;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") != line.npos) exercises.push_back(exercise_of(line, file));
  }
  if (exercises.empty()) throw damaged(file, "it names no exercise");
  return exercises;
}

Document text_of(const Exercise& exercise, const char* name) {
  return read_markdown(fmt::format("{}/{}.md", exercise.folder, name));
}

// Parses "load_sectors_per_request of A = 32 at 256x256x256", "blocks at least 64 at 256x256x256" or "frobenius_error at
// most 1e-4 at 64x64x1024 on positive data".
FurtherClaim further_claim(const std::string& text, const std::string& file) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const auto wrong = [&] {
    return damaged(file, fmt::format("'{}' should read: COUNTER [of BUFFER] = | at least | at most "
                                     "VALUE at MxNxK [on KIND data]",
                                     text));
  };
  FurtherClaim claim;
  size_t i = 0;
  const auto next = [&]() -> const std::string& {
    if (i >= words.size()) throw wrong();
    return words[i++];
  };
  claim.counter = next();
  if (results::find_metric(claim.counter) == nullptr) throw wrong();
  std::string word = next();
  if (word == "of") {
    claim.buffer = next();
    word = next();
  }
  if (word == "at") {
    word = next();
    if (word != "least" && word != "most") throw wrong();
    claim.relation = word == "least" ? device::Relation::at_least : device::Relation::at_most;
  } else if (word != "=") {
    throw wrong();
  }
  const std::string& value = next();
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), claim.value);
  if (error != std::errc{} || end != value.data() + value.size() || next() != "at") throw wrong();
  claim.problem = runner::parse_size(next());
  if (i != words.size()) {
    if (next() != "on") throw wrong();
    const std::optional<results::Data> data = results::data_named(next());
    if (!data || next() != "data" || i != words.size()) throw wrong();
    claim.problem.data = *data;
  }
  return claim;
}

}  // namespace

std::string Exercise::title() const {
  std::string title = readme().head.title;
  const size_t letter = title.find_first_not_of("0123456789 ");
  return letter == title.npos ? title : title.substr(letter);
}

std::string Exercise::number_or_name() const {
  return is_written() ? fmt::format("{}", rung().number) : name;
}

Document Exercise::readme() const { return text_of(*this, "README"); }
Document Exercise::hints() const { return text_of(*this, "hints"); }
Document Exercise::holes() const { return text_of(*this, "holes"); }
Document Exercise::wrong_answers() const { return text_of(*this, "wrong_answers"); }
Document Exercise::answers() const { return text_of(*this, "answers"); }

std::string Exercise::examination() const {
  const std::string file = folder + "/examination.hpp";
  std::error_code none;
  return std::filesystem::exists(file, none) ? file : "";
}

std::vector<char> Exercise::letters() const {
  std::vector<char> letters;
  for (const Section& section : holes().sections) {
    if (section.title.size() > 1 && section.title[1] == ':') letters.push_back(section.title[0]);
  }
  return letters;
}

std::vector<FurtherClaim> Exercise::further_claims() const {
  const Document document = holes();
  std::vector<FurtherClaim> claims;
  for (const std::string& text : document.head.fields("Also promised")) {
    claims.push_back(further_claim(text, document.file));
  }
  return claims;
}

std::vector<results::Problem> Exercise::further_problems() const {
  std::vector<results::Problem> problems;
  for (const std::string& text : holes().head.fields("Also tried")) {
    problems.push_back(runner::parse_size(text));
  }
  return problems;
}

const std::vector<Exercise>& course() {
  static const std::vector<Exercise> exercises = read_course();
  return exercises;
}

const Exercise& find_exercise(std::string_view word) {
  const auto is_called = [&](std::string_view name) {
    return runner::equal_ignoring_case(word, name);
  };
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  std::vector<std::string> known;
  for (const Exercise& exercise : course()) {
    if (is_called(exercise.name)) return exercise;
    known.push_back(exercise.name);
    if (!exercise.is_written()) continue;
    if (is_called(exercise.rung().name)) return exercise;
    if (is_number && exercise.number_or_name() ==
                         word.substr(std::min(word.find_first_not_of('0'), word.size()))) {
      return exercise;
    }
    known.emplace_back(exercise.rung().name);
  }
  throw Error(ExitCode::usage,
              fmt::format("there is no exercise '{}'{} ('./sgemm_runner progress' lists them: the "
                          "rungs by number or name, the labs by name)",
                          word, runner::did_you_mean(word, known)));
}

std::vector<std::string> names_of(const std::vector<const Exercise*>& exercises) {
  std::vector<std::string> names;
  names.reserve(exercises.size());
  for (const Exercise* const one : exercises) names.push_back(one->number_or_name());
  return names;
}

std::string exercises_folder() { return runner::path_of_name("exercises"); }

}  // namespace workshop

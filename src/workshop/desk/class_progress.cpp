#include "workshop/desk/class_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "app/error.hpp"
#include "app/output.hpp"
#include "text/foreign.hpp"
#include "text/table.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/words/layout.hpp"

namespace workshop {
namespace {

using Json = nlohmann::ordered_json;
using runner::Error;
using runner::ExitCode;

constexpr int SCHEMA = 1;
constexpr size_t MOST_STUCK = 5;  // the most exercises named below the table
constexpr int LONGEST_NAME = 24;  // columns for a learner's name in the table
constexpr int CELL = 3, LEAST_CELLS = 6;

// Returns the progress in a file. It must exist, because the user has named it. Elsewhere a missing
// file is empty progress.
Progress read_named(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) {
    throw Error(ExitCode::usage, fmt::format("there is no file '{}'", file));
  }
  return read_progress(file);
}

// Adds the file's name to learners with the same name, such as "student" on several machines.
void name_learners(std::vector<Learner>& learners) {
  for (Learner& one : learners) {
    const auto same = std::ranges::count(learners, one.progress.learner,
                                         [](const Learner& l) { return l.progress.learner; });
    const std::string& name = one.progress.learner;
    const std::string file = text::plain_line(one.file);
    one.called = name.empty() ? file : same > 1 ? fmt::format("{} ({})", name, file) : name;
  }
}

// ---- Sums over learners.

void add(const std::map<std::string, int>& counts, std::map<std::string, int>& sum) {
  for (const auto& [name, count] : counts) sum[name] += count;
}

Standing standing_of(const Exercise& exercise, const std::vector<Learner>& learners) {
  Standing sum{.exercise = exercise.name};
  for (const Learner& one : learners) {
    const Step* const step = one.progress.find(exercise.name);
    const State state = state_of(step);
    if (state == State::untouched) continue;
    ++sum.begun;
    if (state == State::solved) ++sum.solved;
    if (state == State::skipped) ++sum.skipped;
    if (state == State::begun) ++sum.stuck;
    if (!step->seen.empty()) ++sum.seen;
    sum.checks += step->checks;
    sum.hints += step->hints;
    add(step->endings, sum.endings);
    add(step->known, sum.known);
  }
  return sum;
}

int hints(const Learner& learner) {
  int sum = 0;
  for (const auto& [name, step] : learner.progress.steps) sum += step.hints;
  return sum;
}

// ---- The table.

// Returns a column's heading: a rung's number, a lab's letter.
std::string heading_of(size_t place) {
  const Exercise& exercise = course()[place];
  if (exercise.is_written()) return fmt::format("{}", exercise.rung().number);
  const auto labs =
      std::ranges::count_if(course().begin(), course().begin() + static_cast<int>(place),
                            [](const Exercise& e) { return !e.is_written(); });
  return std::string(1, static_cast<char>('a' + labs));
}

// Returns a cell: the state, and the number of hints: "✓2".
std::string cell_of(const Step* step, const text::Signs& signs) {
  const std::string count =
      step != nullptr && step->hints > 0 ? fmt::format("{}", step->hints) : "";
  switch (state_of(step)) {
    case State::solved:
      return (signs.blocks ? signs.right : "x") + count;
    case State::begun:
      return signs.ellipsis + count;
    case State::skipped:
      return signs.none + count;
    case State::untouched:
      break;
  }
  return "";
}

// Returns a table of the exercises `places`.
std::string table_of(const std::vector<Learner>& learners, const std::vector<size_t>& places,
                     int names, const text::Page& page) {
  const text::Signs signs(page.unicode);
  text::Table table(
      {{.heading = "learner", .align = text::Align::left, .gap = 0, .width = names, .cut = names},
       {.heading = "solved"},
       {.heading = "hints", .gap = 1}},
      {.unicode = page.unicode});
  for (const size_t place : places) {
    const int gap = place == places.front() ? 1 : 0;
    table.columns.push_back({.heading = heading_of(place), .gap = gap, .width = CELL});
  }
  std::string text = table.headings();
  for (const Learner& one : learners) {
    text::Table::Row row{
        {one.called}, {fmt::format("{}", one.progress.solved())}, {fmt::format("{}", hints(one))}};
    for (const size_t place : places)
      row.push_back({cell_of(one.progress.find(course()[place].name), signs)});
    text += table.line(row);
  }
  return text;
}

// Returns the legend of letters and signs.
std::string legend(const std::vector<size_t>& places, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string labs;
  for (const size_t place : places) {
    if (course()[place].is_written()) continue;
    labs +=
        fmt::format("{}{} {}", labs.empty() ? "" : ", ", heading_of(place), course()[place].name);
  }
  if (!labs.empty()) labs = "; the labs: " + labs;
  return text::wrap(
             fmt::format(" {} solved, {} begun, {} put off, with a digit: after so many hints{}",
                         signs.blocks ? signs.right : "x", signs.ellipsis, signs.none, labs),
             page.width, 1) +
         "\n";
}

// ---- The exercises where most are stuck.

// Returns the most frequent entry: "'Rows and columns changed places' 4 times".
std::string most_frequent(const std::map<std::string, int>& counts) {
  const auto most = std::ranges::max_element(
      counts, {}, [](const std::pair<const std::string, int>& one) { return one.second; });
  return most == counts.end() || most->second == 0
             ? ""
             : fmt::format("'{}' {} time{}", most->first, most->second,
                           most->second == 1 ? "" : "s");
}

std::string stuck_line(const Standing& at) {
  std::string line = fmt::format(" {}: {} of {} who began, after {} checks and {} hints",
                                 at.exercise, at.stuck, at.begun, at.checks, at.hints);
  std::map<std::string, int> wrong = at.endings;
  wrong.erase("right");
  if (const std::string known = most_frequent(at.known); !known.empty()) line += "; " + known;
  if (const std::string ending = most_frequent(wrong); !ending.empty())
    line += "; ended with " + ending;
  if (at.seen > 0) line += fmt::format("; {} looked at the solution first", at.seen);
  return line;
}

std::string where_most_are_stuck(const std::vector<Learner>& learners, const text::Page& page) {
  std::vector<Standing> all = standings(learners);
  std::erase_if(all, [](const Standing& at) { return at.stuck == 0; });
  std::ranges::sort(all, [](const Standing& a, const Standing& b) {
    return std::tie(a.stuck, a.hints, a.checks, b.exercise) >
           std::tie(b.stuck, b.hints, b.checks, a.exercise);
  });
  if (all.empty()) return "Nobody is stuck: all that was begun is solved or put off.\n";
  if (all.size() > MOST_STUCK) all.resize(MOST_STUCK);
  std::string text = inked("Begun and not solved yet", Ink::bold, page) + "\n";
  for (const Standing& at : all) text += text::wrap(stuck_line(at), page.width, 4) + "\n";
  return text;
}

}  // namespace

std::vector<Learner> read_class(const std::vector<std::string>& files) {
  if (std::error_code none; files.size() == 1 && !std::filesystem::exists(files.front(), none)) {
    throw Error(ExitCode::usage,
                fmt::format("there is no file '{}': './sgemm_runner progress' shows your own "
                            "progress; its words are the progress files of a class",
                            files.front()));
  }
  std::vector<Learner> learners;
  for (const std::string& file : files) {
    try {
      learners.push_back({.file = file, .progress = read_named(file)});
    } catch (const Error& error) {
      if (files.size() == 1) throw;
      runner::warn(std::string(error.what()) + "; it is left out");
    }
  }
  if (learners.empty()) {
    throw Error(ExitCode::usage,
                "none of these files can be used: each should be a learner's "
                "exercises/mine/progress.json, or what 'progress --json' printed");
  }
  name_learners(learners);
  return learners;
}

std::vector<Standing> standings(const std::vector<Learner>& learners) {
  std::vector<Standing> all;
  for (const Exercise& exercise : course()) {
    const Standing standing = standing_of(exercise, learners);
    if (standing.begun > 0) all.push_back(standing);
  }
  return all;
}

std::string class_as_text(const std::vector<Learner>& learners, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::vector<size_t> places;
  int names = text::display_width("learner");
  for (size_t i = 0; i < course().size(); ++i) {
    if (standing_of(course()[i], learners).begun > 0) places.push_back(i);
  }
  for (const Learner& one : learners) {
    names = std::max(names, std::min(LONGEST_NAME, text::display_width(one.called)));
  }
  if (places.empty())
    return fmt::format("{} learners, and nobody has begun yet\n", learners.size());

  std::string text =
      inked(fmt::format("{} learner{}", learners.size(), learners.size() == 1 ? "" : "s"),
            Ink::bold, page) +
      "\n\n";
  // One table has as many columns as fit on the page; the others follow in tables below.
  const int room =
      page.width > 0 ? (page.width - names - 15) / CELL : static_cast<int>(places.size());
  const size_t together = static_cast<size_t>(std::max(room, LEAST_CELLS));
  for (size_t i = 0; i < places.size(); i += together) {
    const auto first = places.begin() + static_cast<int>(i);
    const auto last = places.begin() + static_cast<int>(std::min(places.size(), i + together));
    text += table_of(learners, {first, last}, names, page) + "\n";
  }
  return text + legend(places, page) + "\n" + where_most_are_stuck(learners, page);
}

std::string class_as_json(const std::vector<Learner>& learners) {
  Json json = {{"sgemm_workshop_class", SCHEMA}};
  json["learners"] = Json::array();
  for (const Learner& one : learners) {
    const Json whole = Json::parse(to_json(one.progress));
    json["learners"].push_back({{"learner", one.progress.learner},
                                {"file", one.file},
                                {"solved", one.progress.solved()},
                                {"hints", hints(one)},
                                {"exercises", whole.at("exercises")}});
  }
  json["exercises"] = Json::array();
  for (const Standing& at : standings(learners)) {
    json["exercises"].push_back({{"exercise", at.exercise},
                                 {"begun", at.begun},
                                 {"solved", at.solved},
                                 {"skipped", at.skipped},
                                 {"stuck", at.stuck},
                                 {"solution_seen", at.seen},
                                 {"checks", at.checks},
                                 {"hints", at.hints},
                                 {"endings", at.endings},
                                 {"known_wrong_answers", at.known}});
  }
  return json.dump(2) + "\n";
}

}  // namespace workshop

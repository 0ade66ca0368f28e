#include "workshop/course/cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "app/error.hpp"
#include "app/project.hpp"
#include "text/page.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

using runner::Error;
using runner::ExitCode;

constexpr std::string_view IN_PLACE = "// exercise: in place";

std::string source_file(const Exercise& exercise) {
  return runner::path_of_name(fmt::format("src/kernels/{}.cu", exercise.name));
}

// Returns the learner's file, with the hole already cut, in a copy without solutions.
std::string skeleton_file(const Exercise& exercise, char letter) {
  return fmt::format("{}/skeleton_{}.cu", exercise.folder, letter);
}

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// A line "// exercise a: begin".
struct Mark {
  std::string name;  // "a"
  bool begins;
};
std::optional<Mark> mark_of(std::string_view line) {
  constexpr std::string_view BEGIN = ": begin", END = ": end", EXERCISE = "// exercise ";
  line = trimmed(line);
  if (!line.starts_with(EXERCISE)) return std::nullopt;
  line.remove_prefix(EXERCISE.size());
  if (line.ends_with(BEGIN)) {
    return Mark{std::string(line.substr(0, line.size() - BEGIN.size())), true};
  }
  if (line.ends_with(END))
    return Mark{std::string(line.substr(0, line.size() - END.size())), false};
  return std::nullopt;
}

bool is_hole(const std::string& name) { return name.size() == 1; }

// Returns the source from its first line of code on, without the comment, `#pragma once` and empty lines before it.
std::string without_header(std::string_view source) {
  std::string rest;
  bool code = false;
  for (const std::string_view line : text::lines_of(source)) {
    code = code || !(trimmed(line).empty() || line.starts_with("//") || line == "#pragma once");
    if (code) rest += std::string(line) + "\n";
  }
  return rest;
}

// Returns the header's name in a line `#include "kernels/X.hpp"  // exercise: in place`, or nothing.
std::string in_place(std::string_view line) {
  if (!trimmed(line).ends_with(IN_PLACE)) return {};
  const size_t begin = line.find('"'), end = line.find('"', begin + 1);
  return end == line.npos ? "" : std::string(line.substr(begin + 1, end - begin - 1));
}

struct Part {
  std::string before{}, inside{}, after{};
};

// Splits a source at the marks of one name. Returns nothing if the marks are missing.
std::optional<Part> divided(std::string_view source, const std::string& name) {
  Part part;
  int seen = 0;  // marks seen so far
  for (const std::string_view line : text::lines_of(source)) {
    const std::optional<Mark> mark = mark_of(line);
    const bool is_mark = mark && mark->name == name;
    if (is_mark && mark->begins != (seen == 0)) return std::nullopt;
    if (is_mark && seen == 1) ++seen;
    std::string& to = seen == 0 ? part.before : seen == 1 ? part.inside : part.after;
    to += std::string(line) + "\n";
    if (is_mark && mark->begins) {
      part.before = to;
      ++seen;
    }
  }
  if (seen != 2) return std::nullopt;
  return part;
}

std::string without_marks(std::string_view source, char but) {
  std::string rest;
  for (const std::string_view line : text::lines_of(source)) {
    const std::optional<Mark> mark = mark_of(line);
    if (!mark || mark->name == std::string(1, but)) rest += std::string(line) + "\n";
  }
  return rest;
}

std::vector<std::string> names_of_marks(std::string_view source) {
  std::vector<std::string> names;
  for (const std::string_view line : text::lines_of(source)) {
    const std::optional<Mark> mark = mark_of(line);
    if (mark && mark->begins) names.push_back(mark->name);
  }
  return names;
}

// Returns the text in the exercise's folder for the marks of this name.
std::string replacement(const Exercise& exercise, const std::string& name) {
  const Document holes = exercise.holes();
  for (const Section& section : holes.sections) {
    if (!section.title.starts_with(name + ":")) continue;
    if (section.blocks.size() == 1) return section.blocks.front().text;
    throw Error(ExitCode::failure,
                fmt::format("{}:{}: '{}' should have one ```cuda block, and has {}", holes.file,
                            section.line, section.title, section.blocks.size()));
  }
  throw Error(ExitCode::failure,
              fmt::format("{}: there is no section '## {}: ...', which the marks in {} ask for",
                          holes.file, name, source_file(exercise)));
}

void require_hole(const Exercise& exercise, char letter) {
  const std::vector<char> known = exercise.letters();
  if (std::ranges::find(known, letter) != known.end()) return;
  std::vector<std::string> words;
  words.reserve(known.size());
  for (const char one : known) words.emplace_back(1, one);
  throw Error(ExitCode::usage,
              fmt::format("exercise {} has no hole '{}'; it has {}", exercise.number_or_name(),
                          letter, fmt::join(words, ", ")));
}

Error no_marks(const Exercise& exercise, char letter) {
  return {ExitCode::failure,
          fmt::format("{}: the marks '// exercise {}: begin' and '... end' should stand there "
                      "once, on lines of their own",
                      source_file(exercise), letter)};
}

std::string header_of(const Exercise& exercise, char letter) {
  const std::string word = exercise.number_or_name();
  return fmt::format(
      "// Exercise {0}{1}, {2}\n//\n"
      "// Write the code between the two marks \"exercise {1}\"; the rest is given.\n//\n"
      "//     exercises/{3}/README.md    the task ('./sgemm_runner learn {0}' shows it)\n"
      "//     ./sgemm_runner check {0}    judges this file; with --watch at each save\n"
      "//     ./sgemm_runner hint {0}     the next of three hints\n",
      word, letter, exercise.title(), exercise.name);
}

}  // namespace

bool has_solution(const Exercise& exercise) {
  std::error_code none;
  return std::filesystem::exists(
      exercise.is_written() ? source_file(exercise) : exercise.folder + "/answers.md", none);
}

void require_solution(const Exercise& exercise) {
  if (has_solution(exercise)) return;
  throw Error(
      ExitCode::usage,
      fmt::format("this copy of the project has no solutions; ask the person who gave it to "
                  "you for the solution of exercise {}",
                  exercise.number_or_name()));
}

namespace {

// Returns the rung's source as written, without its headers.
std::string rungs_source(const Exercise& exercise) {
  require_solution(exercise);
  return read_text(source_file(exercise));
}

std::string path_of(const std::string& header) { return runner::path_of_name("src/" + header); }

}  // namespace

std::string whole_source(const Exercise& exercise) {
  const std::string source = rungs_source(exercise);
  std::string whole;
  for (const std::string_view line : text::lines_of(source)) {
    const std::string header = in_place(line);
    whole += header.empty() ? std::string(line) + "\n" : without_header(read_text(path_of(header)));
  }
  return whole;
}

std::vector<std::string> files_of_solution(const Exercise& exercise) {
  std::vector<std::string> files{source_file(exercise)};
  const std::string source = rungs_source(exercise);
  for (const std::string_view line : text::lines_of(source)) {
    const std::string header = in_place(line);
    if (!header.empty()) files.push_back(path_of(header));
  }
  return files;
}

std::string cut(const Exercise& exercise, char letter, const std::string& filling) {
  require_hole(exercise, letter);
  std::string source;
  if (has_solution(exercise)) {
    source = without_header(whole_source(exercise));
    for (const std::string& name : names_of_marks(source)) {
      if (is_hole(name)) continue;
      const std::optional<Part> part = divided(source, name);
      if (part) source = part->before + replacement(exercise, name) + part->after;
    }
    source = header_of(exercise, letter) + source;
  } else {
    source = read_text(skeleton_file(exercise, letter));
    if (filling.empty()) return source;
  }
  const std::optional<Part> part = divided(source, std::string(1, letter));
  if (!part) throw no_marks(exercise, letter);
  const std::string inside =
      filling.empty() ? replacement(exercise, std::string(1, letter)) : filling;
  return without_marks(part->before, letter) + inside + without_marks(part->after, letter);
}

std::string solution_of(const Exercise& exercise, char letter) {
  require_hole(exercise, letter);
  const std::optional<Part> part = divided(whole_source(exercise), std::string(1, letter));
  if (!part) throw no_marks(exercise, letter);
  return without_marks(part->inside, letter);
}

char hole_of(const std::string& source) {
  for (const std::string& name : names_of_marks(source)) {
    if (is_hole(name)) return name[0];
  }
  return 'a';
}

std::string code_of(const std::string& source) {
  constexpr char NONE = 0;
  return without_header(without_marks(source, NONE));
}

std::string own_part(const std::string& source) {
  const char hole = hole_of(source);
  const std::optional<Part> part = divided(source, std::string(1, hole));
  return part ? without_marks(part->inside, hole) : source;
}

std::string without_spaces(std::string_view code) {
  constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";
  if (code.starts_with(BYTE_ORDER_MARK)) code.remove_prefix(BYTE_ORDER_MARK.size());
  std::string kept;
  for (const char c : code) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') kept += c;
  }
  return kept;
}

bool is_unwritten(const Exercise& exercise, char hole, std::string_view code) {
  const std::vector<char> letters = exercise.letters();
  if (std::ranges::find(letters, hole) == letters.end()) return false;
  const std::string own = without_spaces(code);
  return own.empty() || own == without_spaces(own_part(cut(exercise, hole)));
}

bool is_unwritten(const Exercise& exercise, const std::string& source) {
  return is_unwritten(exercise, hole_of(source), own_part(source));
}

std::optional<std::string> with_own_part(const std::string& source, const std::string& text) {
  const std::optional<Part> part = divided(source, std::string(1, hole_of(source)));
  if (!part) return std::nullopt;
  const bool ends = text.empty() || text.ends_with('\n');
  return part->before + text + (ends ? "" : "\n") + part->after;
}

}  // namespace workshop

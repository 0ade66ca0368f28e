// Makes each text of a run's file hostile, one after the other: none reaches a terminal, Markdown or CSV unescaped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/compare/comparison_table.hpp"
#include "results/files/json.hpp"
#include "results/tables/table.hpp"
#include "test/results/made_runs.hpp"

namespace {

using json = nlohmann::ordered_json;
using results::Run;
using testing::HasSubstr;
using testing::Not;

// Colours a terminal, turns the text, ends a line, ends a table's cell, is HTML, a link and code.
constexpr const char* HOSTILE =
    "\033[31m\xC2\x9B"
    "2J\u202E\u2066\r\nx|<script>a</script>[b](c)`d`";

// Returns the name of the row. It gives the kernel and its sizes; a file whose name gives others is refused.
std::string name_of(const json& row) {
  std::string name = row.at("set").get<std::string>() + "/";
  if (!row.at("kernel_id").is_null()) {
    const std::string number = row.at("kernel_id").dump();
    name += (number.size() < 2 ? "0" : "") + number + "_";
  }
  name += row.at("kernel").get<std::string>();
  if (row.contains("variant")) name += "/" + row.at("variant").get<std::string>();
  if (row.contains("m"))
    name += "/" + row.at("m").dump() + "x" + row.at("n").dump() + "x" + row.at("k").dump();
  if (row.contains("data")) name += "/data=" + row.at("data").get<std::string>();
  for (const char* key : {"trans_a", "trans_b"}) {
    if (row.value(key, false)) name += std::string("/") + key;
  }
  if (row.contains("batch")) name += "/batch=" + row.at("batch").dump();
  if (!row.contains("parameters")) return name;
  for (const auto& [key, value] : row.at("parameters").items())
    name += "/" + key + "=" + value.dump();
  return name;
}

// Appends the hostile text to each of the file's texts and keys in turn.
std::vector<json> hostile_files(const Run& run) {
  const json sound = json::parse(results::to_json(run));
  const json flat = sound.flatten();
  std::vector<json> files;
  for (const auto& [where, value] : flat.items()) {
    if (!value.is_string()) continue;
    json& file = files.emplace_back(sound);
    file[json::json_pointer(where)] = value.get<std::string>() + HOSTILE;
  }
  for (const char* where : {"/benchmarks/0/counts", "/benchmarks/0/parameters"}) {
    const json::json_pointer at(where);
    if (sound.contains(at)) files.emplace_back(sound)[at][HOSTILE] = 4;
  }
  for (json& file : files) {
    for (json& row : file.at("benchmarks")) row["name"] = name_of(row);
  }
  return files;
}

void expect_plain(const std::string& text, const json& file) {
  for (const char* forbidden : {"\033", "\xC2\x9B", "\u202E", "\u2066", "\r"})
    ASSERT_THAT(text, Not(HasSubstr(forbidden))) << file.dump();
}

// Returns the number of cell borders in a line of Markdown.
long borders(const std::string& line) {
  long count = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++count;
    }
  }
  return count;
}

void expect_markdown(const std::string& text, const json& file) {
  expect_plain(text, file);
  for (const char* markup : {"<script", "</script", "[b]", "x|"})
    ASSERT_THAT(text, Not(HasSubstr(markup))) << file.dump();
  long columns = 0;
  for (const std::string_view line : text::lines_of(text)) {
    if (!line.starts_with('|')) {
      columns = 0;
      continue;
    }
    if (columns == 0) columns = borders(std::string(line));
    ASSERT_EQ(borders(std::string(line)), columns) << line;
  }
}

int shown_of(const Run& sound) {
  int shown = 0;
  for (const json& file : hostile_files(sound)) {
    Run run;
    try {
      run = results::run_from_json(file.dump());
    } catch (const results::Unusable& error) {
      expect_plain(error.what(), file);  // one of a fixed list of words, for example
      continue;
    }
    ++shown;
    run.compared_with = results::ComparedWith{.file = "base.json", .notes = {run.from.device}};
    const results::Recorded recorded{run};
    const text::Page page{.color = false, .unicode = true, .width = 80};
    expect_plain(results::to_table(run, recorded, page), file);
    expect_plain(results::details(run, page), file);
    expect_plain(results::complaints(run, page), file);
    expect_plain(results::comparison_text(run, true, page), file);
    expect_plain(results::to_csv(run), file);
    expect_markdown(results::to_markdown(run, recorded), file);
    expect_markdown(results::comparison_markdown(run), file);
  }
  return shown;
}

TEST(ForeignText, OfARunOfKernelsIsShownAsText) { EXPECT_GT(shown_of(made::full()), 30); }

TEST(ForeignText, OfALabIsShownAsText) { EXPECT_GT(shown_of(made::of_a_lab()), 15); }

TEST(ForeignText, OfJudgedGpusIsShownAsText) { EXPECT_GT(shown_of(made::of_three_gpus()), 25); }

}  // namespace

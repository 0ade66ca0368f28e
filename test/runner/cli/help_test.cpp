// --help is laid out for the reader's terminal.
#include "runner/cli/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <regex>

#include "runner/cli/command_line.hpp"
#include "runner/cli/workbench_command_line.hpp"
#include "runner/request/programs.hpp"
#include "test/support/files.hpp"
#include "text/page.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;

std::string help(std::vector<const char*> words, int width) {
  words.insert(words.begin(), "sgemm_runner");
  words.push_back("--help");
  setenv("COLUMNS", std::to_string(width).c_str(), 1);
  const int count = static_cast<int>(words.size());
  const std::string program = runner::program_behind({words.begin(), words.end()});
  const std::string text =
      program == "sgemm_runner"
          ? std::get<runner::ShowText>(runner::parse_command_line(count, words.data())).text
          : std::get<runner::ShowText>(runner::parse_workbench_command_line(count, words.data()))
                .text;
  unsetenv("COLUMNS");
  return text;
}

TEST(Help, FitsTheTerminal) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{}, {"list"}, {"table"}}) {
    for (const int width : {60, 80, 120}) {
      for (const std::string& line : lines_of(help(words, width)))
        EXPECT_LE(text::display_width(line), width) << line;
    }
  }
}

TEST(Help, HasNoBlankLinesInPairsAndNoneAtItsEnds) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{}, {"list"}, {"table"}}) {
    const std::string text = help(words, 80);
    EXPECT_THAT(text, Not(HasSubstr("\n\n\n")));
    EXPECT_NE(text.front(), '\n');
    EXPECT_TRUE(text.ends_with("\n") && !text.ends_with("\n\n"));
    for (const std::string& line : lines_of(text)) EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Help, SpeaksNoneOfItsLibrarysWords) {
  const std::string text =
      help({}, 80) + help({"list"}, 80) + help({"table"}, 80) + help({"lab"}, 80);
  for (const char* word : {"{", "}", "UINT", "INT", "FLOAT", "TEXT", "NONNEGATIVE", "REQUIRED",
                           "OPTIONS", "SUBCOMMAND", "[1 - "})
    EXPECT_THAT(text, Not(HasSubstr(word)));
  EXPECT_THAT(text, HasSubstr("--json[=FILE]"));
  EXPECT_THAT(text, HasSubstr("--size N|MxNxK"));
}

TEST(Help, TellsOfEachOptionOnceAndInWords) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{}, {"list"}, {"table"}, {"lab"}}) {
    const std::string text = help(words, 80);
    const std::regex entry("\n  (-[^ ]+|[A-Z]+)[^\n]*");
    std::vector<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it)
      names.push_back((*it)[1]);
    EXPECT_THAT(names, Not(testing::IsEmpty()));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << text;
  }
}

TEST(Help, OfTheProgramTellsWhatThereIs) {
  const std::string text = help({}, 80);
  for (const char* what :
       {"Usage: sgemm_runner [KERNELS...] [options]\n", "sgemm_runner list", "sgemm_runner table",
        "--kernel FILE", "Examples:", "Exit codes: 0 all well", "Measuring (CUDA devices):"})
    EXPECT_THAT(text, HasSubstr(what));
}

TEST(Help, OfASubcommandIsAboutThatAlone) {
  const std::string text = help({"table"}, 80);
  EXPECT_THAT(text, HasSubstr("Usage: sgemm_runner table FILE [options]"));
  EXPECT_THAT(text, Not(HasSubstr("Examples:")));
  EXPECT_THAT(text, Not(HasSubstr("--size")));
}

TEST(Help, PutsALongNameOnALineOfItsOwn) {
  CLI::App app("What it is.", "program");
  app.add_option("--an-option-with-a-long-name", "what it does")->type_name("VALUE");
  EXPECT_THAT(
      runner::help_text(app, 60),
      HasSubstr("\n  --an-option-with-a-long-name VALUE\n                      what it does\n"));
}

}  // namespace

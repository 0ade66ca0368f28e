// --html: the program calls Python, here a stand-in that needs no matplotlib. (test/plots/report_test.py runs the real
// one.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runner/machine/machine.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
namespace machine = runner::machine;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Returns the messages without the doubts about times, which a device usually has about so short a run.
std::string said_but_doubts(const std::string& err) {
  std::string said;
  for (const std::string& line : lines_of(err)) {
    if (line.find(": the measurement cannot be trusted: ") == line.npos) said += line + "\n";
  }
  return said;
}

// A folder with a python3 that keeps its arguments and the run, and then runs the script. $page is the place
// of the page.
class StandIn {
 public:
  explicit StandIn(const std::string& script) {
    const fs::path python = folder_ / "python3";
    std::ofstream(python) << "#!/bin/sh\n"
                          << "printf '%s\\n' \"$@\" > '" << words_.string() << "'\n"
                          << "cp \"$5\" '" << run_.string() << "'\npage=$7\n"
                          << script << "\n";
    fs::permissions(python, fs::perms::owner_exec, fs::perm_options::add);
  }

  Ended run(std::vector<std::string> words, const std::string& program = SGEMM_RUNNER) const {
    words.insert(words.begin(), program);
    const char* path = std::getenv("PATH");
    return run_program({.words = std::move(words),
                        .environment = {"PATH=" + folder_.path().string() + ":" + path,
                                        "TMPDIR=" + temporary_.path().string()}});
  }
  std::vector<std::string> words() const { return lines_of(contents(words_)); }
  bool was_called() const { return fs::exists(words_); }
  json run_file() const { return json::parse(contents(run_)); }
  long left_behind() const { return temporary_.entries(); }

 private:
  TemporaryFolder folder_, temporary_;
  fs::path words_ = folder_ / "words", run_ = folder_ / "run.json";
};

TEST(Html, IsThePageThatPythonMakesOfTheRun) {
  const StandIn python("echo 'the page' > \"$page\"; echo 'drawing'");
  const TemporaryFolder folder;
  const fs::path page = folder / "report";
  const Ended ended = python.run({"1", "--size", "32", "--html=" + page.string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(said_but_doubts(ended.err), "");
  EXPECT_THAT(ended.out, HasSubstr(" 1  naive")) << "the table is printed too";
  EXPECT_EQ(contents(page), "the page\n");
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_EQ(python.left_behind(), 0);
  const json run = python.run_file();
  EXPECT_EQ(run["benchmarks"].back()["kernel"], "naive");
  EXPECT_TRUE(run["context"]["commit"].is_string() || run["context"]["commit"].is_null());
  const std::vector<std::string> words = python.words();
  ASSERT_GE(words.size(), 8U);
  EXPECT_THAT(std::vector(words.begin(), words.begin() + 4),
              ElementsAre("-B", "-m", "plots", "report"));
  EXPECT_THAT(words, Contains("--name=run.json"));
}

// The program that counts for the page: this one if it can count; otherwise the page calls ./sgemm_runner itself.
TEST(Html, IsCountedByThisProgramWhereItShowsSources) {
  const StandIn python("echo 'the page' > \"$page\"");
  const TemporaryFolder folder;
  const std::string page = "--html=" + (folder / "report.html").string();
  ASSERT_EQ(python.run({"1", "--size", "32", "-q", page}).code, 0);
  const std::string own = std::string("--runner=") + SGEMM_RUNNER;
  EXPECT_THAT(python.words(), Contains(own).Times(machine::MEASURES_TIME ? 0 : 1));

  const std::string alone = (folder / "sgemm_runner").string();
  fs::copy_file(SGEMM_RUNNER, alone);
  ASSERT_EQ(python.run({"1", "--size", "32", "-q", page}, alone).code, 0);
  EXPECT_THAT(python.words(), Not(Contains(StartsWith("--runner"))));
}

TEST(Html, NamesTheDataAsTheFileBesideIt) {
  const StandIn python("echo 'the page' > \"$page\"");
  const TemporaryFolder folder;
  const Ended ended =
      python.run({"1", "--size", "32", "-q", "--json=" + (folder / "today.json").string(), "--html",
                  (folder / "today.html").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(python.words(), Contains("--name=today.json"));
  EXPECT_EQ(json::parse(contents(folder / "today.json")), python.run_file());
}

TEST(Html, OfALabToo) {
  const StandIn python("echo 'the page' > \"$page\"");
  const TemporaryFolder folder;
  const Ended ended = python.run(
      {"lab", "copy_stride/1", "--elements", "1000", "--html=" + (folder / "lab.html").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(contents(folder / "lab.html"), "the page\n");
  EXPECT_EQ(python.run_file()["benchmarks"][0]["kernel"], "copy_stride");
}

TEST(Html, ThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const StandIn python("echo 'the page' > \"$page\"");
  const TemporaryFolder folder;
  for (const std::string& path :
       {(folder / "none" / "report.html").string(), folder.path().string()}) {
    const Ended ended = python.run({"1", "--size", "32", "--html=" + path});
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, StartsWith("sgemm_runner: cannot write to '" + path + "'"));
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_FALSE(python.was_called());
  }
}

TEST(Html, ThatPythonRefusesCostsNeitherTableNorJson) {
  const StandIn python(
      "echo 'half' > \"$page\"; echo 'plots: matplotlib is missing: install it' >&2; exit 2");
  const TemporaryFolder folder;
  const fs::path page = folder / "report.html", run = folder / "run.json";
  std::ofstream(page) << "what was there";
  const Ended ended =
      python.run({"1", "--size", "32", "--html=" + page.string(), "--json=" + run.string()});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr(" 1  naive"));
  EXPECT_EQ(said_but_doubts(ended.err),
            "sgemm_runner: no report was written: matplotlib is missing: install it\n");
  EXPECT_TRUE(json::accept(contents(run)));
  EXPECT_EQ(contents(page), "what was there");
  EXPECT_EQ(python.left_behind(), 0);
}

TEST(Html, ThatPythonFailsToMakeIsAFailure) {
  const StandIn python("exit 3");
  const TemporaryFolder folder;
  const Ended ended = python.run({"1", "--size", "32", "--html=" + (folder / "a.html").string()});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err, HasSubstr("python3 ended with 3"));
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Html, IsMisunderstoodInOneLine) {
  const StandIn python("exit 3");
  const TemporaryFolder folder;
  const std::string file = (folder / "run.json").string();
  std::ofstream(file) << contents(SGEMM_SOURCE_DIR "/test/data/tables/simulator.json");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"1", "--html"}, "--html needs a value"},
      {{"1", "--html="}, "--html needs a"},
      {{"table", file, "--html=a.html"}, "python3 -m plots report"},
      {{"1", "--json=" + file, "--html=" + file}, "--json and --html need a file each"}};
  for (const auto& [words, told] : cases) {
    const Ended ended = python.run(words);
    EXPECT_EQ(ended.code, 2) << told;
    EXPECT_THAT(ended.err, HasSubstr(told));
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_FALSE(python.was_called());
  }
}

}  // namespace

// One command, several programs: each hands the subcommands of the others on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "runner/machine/machine.hpp"
#include "runner/request/programs.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Ended run(const fs::path& program, std::vector<std::string> words) {
  words.insert(words.begin(), program.string());
  return run_program({.words = std::move(words)});
}

TEST(OtherProgram, IsBehindTheFirstWordThatIsNoOption) {
  using runner::program_behind;
  EXPECT_EQ(program_behind({"sgemm_runner", "lab", "copy_stride"}), "sgemm_workbench");
  EXPECT_EQ(program_behind({"sgemm_runner", "--help", "show"}), "sgemm_workbench");
  for (const std::vector<std::string>& line : {std::vector<std::string>{"sgemm_runner"},
                                               {"sgemm_runner", "--help"},
                                               {"sgemm_runner", "2", "lab"},
                                               {"sgemm_runner", "table", "lab"},
                                               {"sgemm_runner", "list"},
                                               {"sgemm_runner", "nonsense"},
                                               {}})
    EXPECT_EQ(program_behind(line), "sgemm_runner");
}

TEST(OtherProgram, TakesThePlaceOfTheOneThatIsCalled) {
  const Ended lab = run(SGEMM_RUNNER, {"lab", "--help"});
  EXPECT_EQ(lab.code, 0) << lab.err;
  EXPECT_THAT(lab.out, HasSubstr("Usage: sgemm_runner lab [LABS...] [options]"));
  const Ended list = run(SGEMM_WORKBENCH, {"list", "--numbers"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, StartsWith("0\n1\n2\n"));
  EXPECT_THAT(run(SGEMM_WORKBENCH, {"--help"}).out, HasSubstr("\n  lab  "));
}

// It is looked for in the program's own folder, not in the folder of a link to it.
TEST(OtherProgram, IsFoundThroughALink) {
  const TemporaryFolder folder;
  const fs::path link = folder / "runner";
  fs::create_symlink(SGEMM_RUNNER, link);
  EXPECT_EQ(run(link, {"lab", "--help"}).code, 0);
}

TEST(OtherProgram, ThatIsNotBuiltIsToldHowToBuild) {
  const TemporaryFolder folder;
  const fs::path alone = folder / "sgemm_runner";
  fs::copy_file(SGEMM_RUNNER, alone);
  const std::string build = runner::machine::KIND == results::Machine::simulator ? "sim" : "cuda";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"lab"}, {"lab", "copy_stride"}, {"lab", "--help"}}) {
    const Ended ended = run(alone, words);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_EQ(ended.err, "sgemm_runner: 'lab' is done by sgemm_workbench, which is not built (" +
                             (folder / "sgemm_workbench").string() +
                             " is not there): say ./sgemm_runner lab --build " + build +
                             ", which builds it first\n");
  }
  // Subcommands about the simulated GPU are in its build, even if another build runs here.
  EXPECT_THAT(run(alone, {"show", "1"}).err, HasSubstr("say ./sgemm_runner show --build sim,"));
  EXPECT_EQ(run(alone, {"list"}).code, 0) << "what is its own it does alone";
}

TEST(OtherProgram, ThatCannotBeRunSaysWhy) {
  const TemporaryFolder folder;
  const fs::path alone = folder / "sgemm_runner";
  fs::copy_file(SGEMM_RUNNER, alone);
  fs::create_directory(folder / "sgemm_workbench");
  const Ended ended = run(alone, {"lab"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "sgemm_runner: cannot run " + (folder / "sgemm_workbench").string() +
                           ": Permission denied\n");
}

}  // namespace

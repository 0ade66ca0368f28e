#include "app/subprocess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace {

using runner::Finished;
using runner::run_command;

TEST(Subprocess, GivesOutputAndExitCode) {
  const Finished finished =
      run_command({"sh", "-c", "echo to stdout; echo to stderr >&2; exit 3"}, true);
  EXPECT_EQ(finished.code, 3);
  EXPECT_THAT(finished.output,
              testing::AllOf(testing::HasSubstr("to stdout\n"), testing::HasSubstr("to stderr\n")));
}

TEST(Subprocess, KeepsStderrOutWhereItIsNotWanted) {
  EXPECT_EQ(run_command({"sh", "-c", "echo to stdout; echo to stderr >&2"}, false).output,
            "to stdout\n");
}

TEST(Subprocess, TakesWordsAsTheyAre) {
  EXPECT_EQ(run_command({"printf", "%s|", "two words", "", "$HOME;'\""}, false).output,
            "two words||$HOME;'\"|");
}

TEST(Subprocess, SaysThatItCouldNotBeStarted) {
  EXPECT_EQ(run_command({"/nowhere/program"}, true).code, 127);
  EXPECT_EQ(run_command({"no-program-has-this-name"}, true).code, 127);
}

TEST(Subprocess, SaysWhichSignalEndedIt) {
  EXPECT_EQ(run_command({"sh", "-c", "kill -TERM $$"}, true).code, 128 + SIGTERM);
}

TEST(Subprocess, HasNothingOnStdin) { EXPECT_EQ(run_command({"cat"}, false).output, ""); }

// The output is more than a pipe holds.
TEST(Subprocess, ReadsAllOfALongOutput) {
  const Finished finished = run_command({"sh", "-c", "head -c 1000000 /dev/zero; exit 5"}, false);
  EXPECT_EQ(finished.output.size(), 1000000u);
  EXPECT_EQ(finished.code, 5);
}

}  // namespace

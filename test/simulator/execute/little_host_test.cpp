// On a host that lacks memory or threads a launch makes do, or names the lacking resource.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs little_host with this limit. Hazards are off: the memory for their search depends on the program.
Outcome with_limit(const std::string& what, int amount) {
  return run("SIMULATOR_HAZARDS=0 timeout 60 " LITTLE_HOST_PROGRAM " " + what + " " +
             std::to_string(amount));
}

void expect_named(const Outcome& outcome, const std::string& kernel) {
  EXPECT_THAT(outcome.err,
              HasSubstr("simulated GPU: there is not enough memory on the host to run " + kernel));
  EXPECT_THAT(outcome.err, HasSubstr("this process has"));
  EXPECT_THAT(outcome.err, HasSubstr("that it may have (ulimit -v)"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("thread ("))) << "no thread is to blame";
}

// Limits from nothing to enough memory for all eight threads.
TEST(LittleHost, RunsOrNamesTheMemoryThatWasLacking) {
  int right = 0;
  int failed = 0;
  for (const int kib :
       {0, 16, 48, 96, 160, 200, 300, 500, 700, 1000, 2000, 5000, 12000, 40000, 200000, 2000000}) {
    const Outcome outcome = with_limit("memory", kib);
    SCOPED_TRACE(std::to_string(kib) + " KiB: " + outcome.out + outcome.err);
    ASSERT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3) << outcome.exit_code;
    if (outcome.exit_code == 3) expect_named(outcome, "add_one");
    ++(outcome.exit_code == 0 ? right : failed);
  }
  EXPECT_GE(right, 3);
  EXPECT_GE(failed, 1);
}

TEST(LittleHost, RunsOnTheCallingThreadWhereThereIsNoMemoryForStacks) {
  const Outcome outcome = with_limit("memory", 5000);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("a launch runs on 1 of 8 threads"));
  EXPECT_THAT(outcome.err, HasSubstr("the host lacks memory for a thread's stack"));
  EXPECT_THAT(outcome.err, HasSubstr("(ulimit -v)"));
}

TEST(LittleHost, RunsOnTheThreadsThatItMayHave) {
  const Outcome alone = with_limit("threads", 1);
  EXPECT_EQ(alone.exit_code, 0) << alone.out << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("a launch runs on 1 of 8 threads"));
  EXPECT_THAT(alone.err, HasSubstr("the host lacks threads: this user may have 1 of them in all "
                                   "processes (ulimit -u)"));
  // The number of threads at once depends on how soon the first threads have ended.
  for (const int threads : {2, 5}) EXPECT_EQ(with_limit("threads", threads).exit_code, 0);
}

TEST(LittleHost, SaysNothingWhereNothingIsLacking) {
  const Outcome outcome = with_limit("memory", 4000000);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

// All 64 blocks, with 40 KiB of shared memory each, must be resident at once. A device has room for them.
TEST(LittleHost, TakesNoLackOfMemoryForAnEndlessWait) {
  const Outcome enough = with_limit("barrier", 4000000);
  EXPECT_EQ(enough.exit_code, 0) << enough.out << enough.err;
  for (const int kib : {1500, 2500}) {
    const Outcome outcome = with_limit("barrier", kib);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
    expect_named(outcome, "meet_and_add_one");
    EXPECT_THAT(outcome.err, HasSubstr("a block of it takes "));
  }
}

}  // namespace
}  // namespace simulator::test

// The current step is shown on a terminal, and only there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "runner/machine/machine.hpp"
#include "test/support/process.hpp"

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Returns the times shown behind a text: "8192x8192x8192: preparing, 2 s" has 2.
std::set<int> seconds_shown(const std::string& err) {
  static const std::regex shown(R"(8192x8192x8192: [^\r]*, (\d+) s)");
  std::set<int> seconds;
  for (std::sregex_iterator it(err.begin(), err.end(), shown), end; it != end; ++it)
    seconds.insert(std::stoi((*it)[1]));
  return seconds;
}

// The run takes minutes. It is ended as soon as the awaited line has been shown.
TEST(Progress, MovesAndShowsNothingOfItsFirstSecond) {
  const Ended ended = run_program(
      {.words = {SGEMM_RUNNER, "1", "--size", "8192"},
       .interrupt_when = [](const std::string& err) { return seconds_shown(err).size() >= 2; }});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(seconds_shown(ended.err), Not(Contains(0))) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("\r\033[K8192x8192x8192: "));
}

TEST(Progress, IsWipedAwayAtTheEnd) {
  const std::string size = runner::machine::MEASURES_TIME ? "16384" : "8192";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", size}, .interrupt_at = ": preparing"});
  EXPECT_THAT(ended.err, HasSubstr("\r\033[Ksgemm_runner: interrupted"));
}

// A few seconds of work. A device's warnings about its measurement are not progress.
TEST(Progress, IsForTerminalsOnly) {
  const Ended piped = run_program({.words = {SGEMM_RUNNER, "1-3", "--size", "512"}});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_THAT(piped.err, Not(HasSubstr("\r")));
  EXPECT_THAT(piped.err, Not(HasSubstr("(1 of ")));
  const Ended quiet =
      run_program({.words = {SGEMM_RUNNER, "1-3", "--size", "512", "-q"}, .err_is_terminal = true});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_THAT(quiet.err, Not(HasSubstr("(1 of ")));
}

}  // namespace

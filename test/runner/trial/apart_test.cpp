// Work in its own process: its bounds hold in every case, and its report arrives unchanged.
#include "runner/trial/apart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "runner/trial/fence.hpp"
#include "runner/trial/output_ends.hpp"
#include "test/support/files.hpp"

// Options for the address sanitizer, which asks the program for them by this function. A signal here stays a signal. No
// process may be traced behind the fence, so no search for leaks.
extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "handle_sigbus=0:detect_leaks=0"; }

namespace {

using runner::Bounds;
using runner::DoneApart;
using runner::OutputEnds;
using runner::Told;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using End = DoneApart::End;

// Runs the work as judged code is run: behind its fence.
DoneApart done(const std::function<void(Told&)>& work,
               const Bounds& bounds = {.step_seconds = 30}) {
  return runner::do_apart(bounds, [&](Told& told) {
    runner::forbid_what_judged_code_may_not();
    work(told);
  });
}

TEST(Apart, SaysWhatItSaidLastAndWhatItPrinted) {
  const DoneApart end = done([](Told& told) {
    told.begin("one");
    told.say("first");
    told.begin("two");
    told.say(std::string(1000000, 'x') + "last");
    printf("to stdout\n");
    fflush(
        stdout);  // a program's own stdout goes by lines there; the tests' stdout was in use before
    fprintf(stderr, "to stderr\n");
  });
  EXPECT_EQ(end.end, End::done);
  EXPECT_EQ(end.step, "two");
  EXPECT_EQ(end.said.size(), 1000004U);
  EXPECT_THAT(end.said, EndsWith("xlast"));
  EXPECT_EQ(end.printed, "to stdout\nto stderr\n");
}

TEST(Apart, KeepsWhatWasSaidBeforeItWasLost) {
  const struct {
    void (*how)();
    End end;
    int number;
  } ways[] = {
      {[] { _exit(0); }, End::exited, 0},
      {[] { exit(3); }, End::exited, 3},
      {[] { raise(SIGKILL); }, End::signalled, SIGKILL},
      {[] { kill(getpid(), SIGBUS); }, End::signalled, SIGBUS},
  };
  for (const auto& [how, expected, number] : ways) {
    const DoneApart end = done([&](Told& told) {
      told.say("so far");
      told.begin("the end");
      how();
    });
    EXPECT_EQ(end.end, expected) << number;
    EXPECT_EQ(end.number, number);
    EXPECT_EQ(end.said, "so far");
    EXPECT_EQ(end.step, "the end");
  }
}

// The parent alone measures the time: of a step, and of all steps together, even if the work begins new steps often.
TEST(Apart, IsEndedInTime) {
  const auto sleep = [](Told& told) {
    std::signal(SIGTERM, SIG_IGN);
    told.begin("sleeping");
    while (true) pause();
  };
  const DoneApart asleep = done(sleep, {.step_seconds = 0.2});
  EXPECT_EQ(asleep.end, End::timed_out);
  EXPECT_EQ(asleep.step, "sleeping");
  EXPECT_EQ(asleep.seconds, 0.2);
  const DoneApart busy = done(
      [](Told& told) {
        for (int i = 0;; ++i) told.begin("step " + std::to_string(i));
      },
      {.step_seconds = 100, .seconds = 0.3});
  EXPECT_EQ(busy.end, End::timed_out);
  EXPECT_EQ(busy.seconds, 0.3);
}

TEST(Apart, IsEndedWhenItHoldsTooMuch) {
  const DoneApart end = done(
      [](Told&) {
        for (std::string all;;) all += std::string(1 << 20, 'x');
      },
      {.step_seconds = 30, .memory_bytes = int64_t{200} << 20});
  EXPECT_EQ(end.end, End::too_much_memory);
  EXPECT_EQ(end.bytes, int64_t{200} << 20);
}

TEST(Apart, KeepsTheEndsOfWhatItPrints) {
  const DoneApart end = done(
      [](Told&) {
        puts("the first line");
        for (int i = 0; i < 200000; ++i) puts("another line \033[2J \xff\xc2\x9b \xe2\x9c\x93");
        puts("the last line");
      },
      {.output_bytes = 200});
  EXPECT_EQ(end.end, End::done);
  EXPECT_THAT(end.printed,
              AllOf(StartsWith("the first line\nanother line [2J ? \xe2\x9c\x93\n"),
                    HasSubstr(" bytes are left out ...\n"), EndsWith("the last line\n")));
  EXPECT_LT(end.printed.size(), 300U);
}

// No descriptor leads to the reports, and closing all of them harms nothing.
TEST(Apart, SpeaksThroughNoDescriptor) {
  const DoneApart end = done([](Told& told) {
    told.say("the truth");
    for (int i = 0; i < 1024; ++i) {
      if (write(i, "a lie", 5) < 0) continue;
    }
    closefrom(0);
    told.begin("behind closed doors");
  });
  EXPECT_EQ(end.end, End::done);
  EXPECT_EQ(end.said, "the truth");
  EXPECT_EQ(end.step, "behind closed doors");
}

TEST(Apart, HasNothingOnStdinAndAFolderOfItsOwn) {
  const TemporaryFolder here;
  const DoneApart end = done([](Told& told) {
    const std::string folder = std::getenv("TMPDIR");
    std::ofstream(folder + "/left behind") << "x";
    told.say(folder + (getchar() == EOF ? " and nothing" : " and something"));
  });
  EXPECT_THAT(end.said, EndsWith(" and nothing"));
  EXPECT_FALSE(std::filesystem::exists(end.said.substr(0, end.said.find(" and "))));
}

// A fork bomb's first fork is its last. Starting a program and waiting for it, as for a symbolizer, is allowed.
TEST(Apart, MakesNoCopiesOfItselfAndHarmsNobody) {
  const DoneApart copied = done(
      [](Told&) {
        fork();
        pause();
      },
      {.step_seconds = 1});
  // On a system without such a filter, such as an emulator, the time limit ends both.
  EXPECT_THAT(copied.end, testing::AnyOf(End::started_a_process, End::timed_out));
  const DoneApart end = done([](Told& told) {
    std::string said;
    said += system("exit 3") == 3 << 8 ? "started, " : "not started, ";
    said += setsid() < 0 && setpgid(0, 0) < 0 ? "held, " : "escaped, ";
    said += kill(getppid(), SIGKILL) < 0 ? "harmless, " : "murderous, ";
    std::thread([&] { said += "threads"; }).join();
    told.say(said);
  });
  EXPECT_EQ(end.end, End::done);
  EXPECT_EQ(end.said, "started, held, harmless, threads");
}

// The processes that it has started end with it, with and without the fence.
TEST(Apart, LeavesNoProcessBehind) {
  for (const bool fenced : {true, false}) {
    const DoneApart end = runner::do_apart({.step_seconds = 30}, [&](Told& told) {
      if (fenced) runner::forbid_what_judged_code_may_not();
      pid_t started = 0;
      std::string program = "sleep", argument = "100";
      char* const words[] = {program.data(), argument.data(), nullptr};
      if (posix_spawnp(&started, words[0], nullptr, nullptr, words, environ) != 0) _exit(9);
      told.say(std::to_string(started));
    });
    ASSERT_EQ(end.end, End::done);
    const pid_t left = std::stoi(end.said);
    const auto is_there = [&] {
      std::string status = contents("/proc/" + end.said + "/status");
      return !status.empty() && status.find("State:\tZ") == status.npos;
    };
    for (int looks = 0; looks < 500 && is_there(); ++looks) usleep(10000);
    EXPECT_FALSE(is_there()) << left;
  }
}

TEST(OutputEnds, AreAllOfAShortOutput) {
  OutputEnds ends(10);
  ends.add("12345");
  ends.add("");
  ends.add("67890");
  EXPECT_EQ(ends.text(), "1234567890");
}

TEST(OutputEnds, AreWholeLinesWhereThereAreAny) {
  OutputEnds ends(20);
  for (int i = 0; i < 1000; ++i) ends.add("line\n");
  EXPECT_EQ(ends.text(), "line\nline\n... 4985 bytes are left out ...\nline\n");
  OutputEnds one_line(20);
  one_line.add(std::string(1000, 'a') + std::string(1000, 'b'));
  EXPECT_EQ(one_line.text(), "aaaaaaaaaa\n... 1980 bytes are left out ...\nbbbbbbbbbb");
}

}  // namespace

// The program as a user calls it: messages, exit codes, and what goes to stdout.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "kernels/ladder.hpp"
#include "runner/machine.hpp"
#include "runner/terminal.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool ADDRESS_SANITIZER = true;
#elif defined(__has_feature)
constexpr bool ADDRESS_SANITIZER = __has_feature(address_sanitizer);
#else
constexpr bool ADDRESS_SANITIZER = false;
#endif

Ended run(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), SGEMM_RUNNER);
  return run_program({.words = std::move(words), .environment = std::move(environment)});
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

// In the child: what is written to this stream finds a full disk.
void fill_disk_of(int stream) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) _exit(126);
  dup2(full, stream);
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "sgemm program test.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }
  bool is_empty() const { return fs::is_empty(path_); }

 private:
  fs::path path_;
};

TEST(Program, RunsAKernel) {
  const Ended ended = run({"2", "--size", "64"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("coalesced"));
  EXPECT_THAT(ended.err, IsEmpty()) << "no progress where stderr is no terminal";
}

TEST(Program, RunsAllKernelsOnARaggedShape) {
  const Ended ended = run({"all", "--size", "33x65x17", "--beta", "0.5", "--lda", "20"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Program, RunsAnEmptyProblem) { EXPECT_EQ(run({"1", "--size", "0"}).code, 0); }

TEST(Program, RefusesWrongWordsWithTwoAndAHint) {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } cases[] = {
      {{"99"}, "there is no kernel 99: they are numbered 0 to"},
      {{"naiev"}, "did you mean 'naive'?"},
      {{"1", "--szie", "3"}, "did you mean '--size'?"},
      {{"1", "--size", "many"}, "write 4096, or MxNxK"},
      {{"1", "--size", "999999999999999999999"}, "out of range"},
      {{"1", "--size", "1000000"}, "GiB of device memory"},
      {{"1", "--size", "1099511627775"}, "GiB of device memory"},
      {{"1", "--color", "sometimes"}, "sometimes"},
      {{}, "name a kernel"},
  };
  for (const auto& [words, message] : cases) {
    const Ended ended = run(words);
    // Whether a size fits is known only where there is a device to ask.
    if (ended.code == 77) continue;
    EXPECT_EQ(ended.code, 2) << message;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_THAT(ended.out, IsEmpty());
  }
}

TEST(Program, PrintsJsonAndNothingElse) {
  const Ended ended = run({"1", "2", "--size", "64", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json parsed = json::parse(ended.out);
  EXPECT_EQ(parsed["benchmarks"].back()["name"], "sgemm/02_coalesced/64x64x64");
  EXPECT_EQ(parsed["benchmarks"].back()["correct"], true);
}

TEST(Program, WritesJsonToAFileBesideTheTable) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run.json";
  const Ended ended = run({"1", "--size", "32", "--json=" + path.string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_EQ(json::parse(std::ifstream(path))["benchmarks"].back()["kernel"], "naive");
}

TEST(Program, RefusesAnUnwritableJsonFileBeforeItRuns) {
  const Ended ended = run({"1", "--size", "32", "--json=/nowhere/run.json"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("cannot write to '/nowhere/run.json'"));
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST(Program, PrintsCsvAndMarkdown) {
  EXPECT_THAT(lines(run({"1", "--size", "32", "--csv"}).out)[0],
              HasSubstr("kernel_id,kernel,m,n,k"));
  EXPECT_THAT(run({"1", "--size", "32", "--md"}).out, HasSubstr("| # | kernel |"));
}

TEST(Program, FitsSixtyColumns) {
  for (const char* locale : {"LC_ALL=C", "LC_ALL=C.UTF-8"}) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"all", "--size", "64"},
                                                  {"1,8", "--size", "256", "-v"},
                                                  {"list"}}) {
      const Ended ended = run(words, {"COLUMNS=60", locale});
      EXPECT_EQ(ended.code, 0) << ended.err;
      for (const std::string& line : lines(ended.out))
        EXPECT_LE(runner::display_width(line), 60) << line;
      EXPECT_THAT(ended.out, HasSubstr("naive"));
    }
  }
}

TEST(Program, WritesAsciiWithoutAUtf8Locale) {
  for (const char c : run({"1", "2", "--size", "64"}, {"LC_ALL=C"}).out) ASSERT_GE(c, 0);
}

TEST(Program, ColoursOnlyWhenItMay) {
  EXPECT_THAT(run({"1", "--size", "32"}).out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run({"1", "--size", "32", "--color", "always"}).out, HasSubstr("\033["));
  EXPECT_THAT(run({"1", "--size", "32", "--color", "auto"}, {"NO_COLOR=1"}).out,
              Not(HasSubstr("\033[")));
}

TEST(Program, IsQuietWhenAsked) {
  const Ended ended = run({"1", "--size", "32", "-q"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST(Program, SaysHowItJudged) {
  EXPECT_THAT(run({"1", "--size", "32", "-v"}).out, HasSubstr("1024 of 1024 elements compared"));
}

TEST(Program, ListsEveryKernelOnce) {
  std::string numbers;
  for (const ladder::Rung* rung : ladder::all()) numbers += std::to_string(rung->number) + "\n";
  EXPECT_EQ(run({"list", "--numbers"}).out, numbers);
  EXPECT_EQ(json::parse(run({"list", "--json"}).out).size(), ladder::all().size());
  EXPECT_EQ(lines(run({"list"}).out).size(), ladder::all().size());
}

TEST(Program, ShowsHelpAndVersion) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_THAT(run({"-h"}).out, HasSubstr("Examples:"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr(runner::machine::name));
}

TEST(Program, WarnsOfOptionsWithoutMeaning) {
  if (runner::machine::measures_time) GTEST_SKIP() << "they have one on a device";
  const Ended ended = run({"1", "--size", "32", "--cold"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("--cold has no meaning on the simulator"));
}

TEST(Program, OutlivesAReaderWhoHasGone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "1", "--size", "32"},
                                   .before_exec = [&] { dup2(ends[1], STDOUT_FILENO); }});
  close(ends[1]);
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST(Program, ReportsAFullDisk) {
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "1", "--size", "32"},
                                   .before_exec = [] { fill_disk_of(STDOUT_FILENO); }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err, HasSubstr("cannot write to stdout"));
}

TEST(Program, WritesTheJsonFileThoughStdoutIsFull) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run.json";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "32", "--json=" + path.string()},
                   .before_exec = [] { fill_disk_of(STDOUT_FILENO); }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_EQ(json::parse(std::ifstream(path))["benchmarks"].back()["m"], 32);
}

TEST(Program, PrintsTheTableThoughTheJsonFileIsFull) {
  const Ended ended = run({"1", "--size", "32", "--json=/dev/full"});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.err, HasSubstr("cannot write to '/dev/full'"));
}

// A process substitution of the shell: --json=>(jq .)
TEST(Program, WritesJsonIntoAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Ended ended = run({"1", "--size", "32", "-q", "--json=/dev/fd/" + std::to_string(ends[1])});
  close(ends[1]);
  EXPECT_EQ(ended.code, 0) << ended.err;
  char beginning[2] = {};
  EXPECT_EQ(read(ends[0], beginning, 1), 1);
  EXPECT_STREQ(beginning, "{");
  close(ends[0]);
}

TEST(Program, WaitsForASlowReaderOfANonBlockingPipe) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  fcntl(ends[0], F_SETFL, 0);
  std::string text;
  std::jthread reader([&] {
    char some[512];
    usleep(50000);
    for (ssize_t got = 0; (got = read(ends[0], some, sizeof some)) > 0;)
      text.append(some, static_cast<size_t>(got));
  });
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "all", "--size", "32", "--json"},
                                   .before_exec = [&] { dup2(ends[1], STDOUT_FILENO); }});
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(json::accept(text));
}

TEST(Program, NeedsNobodyToReadItsMessages) {
  const auto full = [] { fill_disk_of(STDERR_FILENO); };
  EXPECT_EQ(run_program({.words = {SGEMM_RUNNER, "99"}, .before_exec = full}).code, 2);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const auto gone = [&] {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
  };
  EXPECT_EQ(run_program({.words = {SGEMM_RUNNER, "99"}, .before_exec = gone}).code, 2);
  EXPECT_EQ(run_program({.words = {SGEMM_RUNNER, "--help"}, .before_exec = gone}).code, 0);
  close(ends[1]);
}

TEST(Program, RunsWithItsStandardStreamsClosed) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run.json";
  const Ended ended = run_program(
      {.words = {SGEMM_RUNNER, "1", "--size", "32", "--json=" + path.string()}, .before_exec = [] {
         close(STDIN_FILENO);
         close(STDOUT_FILENO);
         close(STDERR_FILENO);
       }});
  EXPECT_EQ(ended.code, 0);
  EXPECT_FALSE(json::parse(std::ifstream(path))["benchmarks"].empty())
      << "the table did not go into it";
}

// Address space that does not suffice stands for memory that cannot be had.
TEST(Program, ReportsMemoryThatCannotBeHad) {
  if (ADDRESS_SANITIZER) GTEST_SKIP() << "the address sanitizer needs the address space";
  if (runner::machine::measures_time) GTEST_SKIP() << "a CUDA context needs the address space";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "4096x4096x4096"}, .before_exec = [] {
                     const rlimit limit{200 << 20, 200 << 20};
                     setrlimit(RLIMIT_AS, &limit);
                   }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err,
              testing::AnyOf(HasSubstr("no device memory"), HasSubstr("out of host memory")));
}

TEST(Program, PrintsWhatIsDoneWhenMemoryRunsOutLater) {
  if (ADDRESS_SANITIZER) GTEST_SKIP() << "the address sanitizer needs the address space";
  if (runner::machine::measures_time) GTEST_SKIP() << "a CUDA context needs the address space";
  const TemporaryDirectory directory;
  const fs::path path = directory / "run.json";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "32,4096", "--json=" + path.string()},
                   .before_exec = [] {
                     const rlimit limit{200 << 20, 200 << 20};
                     setrlimit(RLIMIT_AS, &limit);
                   }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.err, HasSubstr("the run ends here"));
  EXPECT_EQ(json::parse(std::ifstream(path))["benchmarks"].back()["m"], 32);
}

// The second problem takes far longer than it takes to notice the signal: a user's, or that of a terminal
// that has gone.
TEST(Program, PrintsWhatIsDoneWhenInterrupted) {
  for (const int signal : {SIGINT, SIGHUP}) {
    const TemporaryDirectory directory;
    const fs::path path = directory / "run.json";
    const Ended ended =
        run_program({.words = {SGEMM_RUNNER, "1", "--size", "32,8192", "--json=" + path.string()},
                     .interrupt_at = "8192x8192x8192: ",
                     .interrupt_with = signal,
                     .interrupt_twice = signal == SIGHUP});  // as a terminal does
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("naive"));
    EXPECT_THAT(ended.err, HasSubstr("interrupted"));
    EXPECT_EQ(json::parse(std::ifstream(path))["benchmarks"].back()["m"], 32);
  }
}

TEST(Program, KeepsTheOldFileWhenNothingIsDone) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "run.json";
  std::ofstream(path) << "old";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "8192", "--json=" + path.string()},
                   .interrupt_at = "8192x8192x8192: "});
  EXPECT_EQ(ended.code, 130) << ended.err;
  std::stringstream contents;
  contents << std::ifstream(path).rdbuf();
  EXPECT_EQ(contents.str(), "old");
}

// Under nohup.
TEST(Program, OutlivesAHangupThatIsIgnored) {
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "1", "--size", "64"},
                                   .before_exec = [] { std::signal(SIGHUP, SIG_IGN); },
                                   .interrupt_at = "64x64x64: ",
                                   .interrupt_with = SIGHUP});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST(Program, LeavesNoFileBehindWhenItCannotRun) {
  const TemporaryDirectory directory;
  const Ended ended =
      run({"1", "--size", "1000000", "--json=" + (directory / "run.json").string()});
  EXPECT_NE(ended.code, 0);
  EXPECT_TRUE(directory.is_empty());
}

}  // namespace

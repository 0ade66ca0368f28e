// The program's output: no earlier file is lost, and no half-written one is left.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Ended run_with(std::vector<std::string> words, std::function<void()> before_exec) {
  words.insert(words.begin(), SGEMM_RUNNER);
  return run_program({.words = std::move(words), .before_exec = std::move(before_exec)});
}

Ended run(std::vector<std::string> words) {
  return run_with(std::move(words), [] {});
}

// Redirects a stream in the child, as the shell does for '>> file' or '> file'.
void open_as(int stream, const fs::path& file, int flags) {
  const int descriptor = open(file.c_str(), O_WRONLY | flags);
  if (descriptor < 0) _exit(126);
  dup2(descriptor, stream);
}

// Makes writes to this stream fail in the child: the disk is full.
void fill_disk_of(int stream) { open_as(stream, "/dev/full", 0); }

TEST(Output, IntoTheStandardStreamsKeepsWhatIsThere) {
  const TemporaryFolder folder;
  const fs::path log = folder / "log";
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    std::ofstream(log) << "what was there\n";
    const Ended ended = run_with({"1", "--size", "32", std::string("--json=") + name},
                                 [&] { open_as(STDOUT_FILENO, log, O_APPEND); });
    EXPECT_EQ(ended.code, 0) << name << ended.err;
    const std::string text = contents(log);
    EXPECT_THAT(text, StartsWith("what was there\n")) << name;
    EXPECT_THAT(text, HasSubstr("\"benchmarks\"")) << name;
    EXPECT_THAT(text, HasSubstr(" 1  naive")) << name << ": the table is there too";
    EXPECT_EQ(folder.entries(), 1) << name;
  }
}

TEST(Output, IntoStderr) {
  const Ended ended = run({"1", "--size", "32", "-q", "--json=/dev/stderr"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("\"benchmarks\""));
}

// A process substitution of the shell: --json=>(jq .)
TEST(Output, IntoAPipeOfTheShells) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Ended ended = run({"1", "--size", "32", "-q", "--json=/dev/fd/" + std::to_string(ends[1])});
  close(ends[1]);
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::string text;
  char some[4096];
  for (ssize_t got = 0; (got = read(ends[0], some, sizeof some)) > 0;)
    text.append(some, static_cast<size_t>(got));
  close(ends[0]);
  EXPECT_TRUE(json::accept(text)) << text;
}

TEST(Output, ThroughASymbolicLinkReplacesItsTarget) {
  const TemporaryFolder folder;
  std::ofstream(folder / "real.json") << "old";
  fs::create_symlink("real.json", folder / "link.json");
  const Ended ended = run({"1", "--size", "32", "--json=" + (folder / "link.json").string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_TRUE(json::accept(contents(folder / "real.json")));
  EXPECT_EQ(folder.entries(), 2);
}

// The pipe has no reader. The program waits for one before it begins, and Ctrl-C ends the wait.
TEST(Output, WaitsForAPipesReaderUntilInterrupted) {
  const TemporaryFolder folder;
  const fs::path path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "32", "--json=" + path.string()},
                   .meanwhile = [](const std::stop_token& stop, pid_t child) {
                     wait_until_asleep(stop, child);
                     if (!stop.stop_requested()) kill(child, SIGINT);
                   }});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_EQ(ended.signal, 0) << "it ended by itself";
  EXPECT_THAT(ended.err, HasSubstr("interrupted"));
  EXPECT_TRUE(fs::is_fifo(path));
}

// The shell's 'ulimit -f': a file may not grow beyond some bytes.
TEST(Output, BeyondTheSizeThatAFileMayHaveLeavesNothingHalfWritten) {
  const auto limit_files = [] {
    const rlimit limit{500, 500};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  for (const bool there_before : {false, true}) {
    const TemporaryFolder folder;
    const fs::path path = folder / "run.json";
    if (there_before) std::ofstream(path) << "old";
    const Ended ended = run_with({"1", "--size", "32", "--json=" + path.string()}, limit_files);
    EXPECT_EQ(ended.code, 70) << ended.err;
    EXPECT_EQ(ended.signal, 0);
    EXPECT_THAT(ended.out, HasSubstr("naive")) << "the table is printed all the same";
    EXPECT_THAT(ended.err, HasSubstr("cannot write to '" + path.string() + "': File too large"));
    EXPECT_EQ(folder.entries(), there_before ? 1 : 0);
    if (there_before) {
      EXPECT_EQ(contents(path), "old");
    }
  }
}

TEST(Output, OfATableBeyondTheSizeThatAFileMayHaveIsReported) {
  const TemporaryFolder folder;
  std::ofstream(folder / "log");
  const Ended ended = run_with({"1", "--size", "32"}, [&] {
    open_as(STDOUT_FILENO, folder / "log", O_TRUNC);
    const rlimit limit{50, 50};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(ended.code, 70);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_THAT(ended.err, HasSubstr("cannot write to stdout: File too large"));
}

TEST(Output, RefusesAnUnwritableFileBeforeItRuns) {
  const Ended ended = run({"1", "--size", "32", "--json=/nowhere/run.json"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("cannot write to '/nowhere/run.json'"));
  EXPECT_EQ(ended.out, "");
}

TEST(Output, ReportsAFullDisk) {
  const Ended ended = run_with({"1", "--size", "32"}, [] { fill_disk_of(STDOUT_FILENO); });
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err, HasSubstr("cannot write to stdout"));
}

TEST(Output, WritesTheJsonFileThoughStdoutIsFull) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.json";
  const Ended ended = run_with({"1", "--size", "32", "--json=" + path.string()},
                               [] { fill_disk_of(STDOUT_FILENO); });
  EXPECT_EQ(ended.code, 70);
  EXPECT_EQ(json::parse(contents(path))["benchmarks"].back()["m"], 32);
}

TEST(Output, PrintsTheTableThoughTheJsonFileIsFull) {
  const Ended ended = run({"1", "--size", "32", "--json=/dev/full"});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.err, HasSubstr("cannot write to '/dev/full'"));
}

TEST(Output, OutlivesAReaderWhoHasGone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const Ended ended = run_with({"1", "--size", "32"}, [&] { dup2(ends[1], STDOUT_FILENO); });
  close(ends[1]);
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST(Output, WaitsForASlowReaderOfANonBlockingPipe) {
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
  const Ended ended =
      run_with({"all", "--size", "32", "--json"}, [&] { dup2(ends[1], STDOUT_FILENO); });
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(json::accept(text));
}

TEST(Output, NeedsNobodyToReadItsMessages) {
  const auto full = [] { fill_disk_of(STDERR_FILENO); };
  EXPECT_EQ(run_with({"99"}, full).code, 2);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const auto gone = [&] {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
  };
  EXPECT_EQ(run_with({"99"}, gone).code, 2);
  EXPECT_EQ(run_with({"--help"}, gone).code, 0);
  close(ends[1]);
}

TEST(Output, OfAProgramWhoseStandardStreamsAreClosed) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.json";
  const Ended ended = run_with({"1", "--size", "32", "--json=" + path.string()}, [] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
  });
  EXPECT_EQ(ended.code, 0);
  EXPECT_FALSE(json::parse(contents(path))["benchmarks"].empty()) << "the table did not go into it";
}

TEST(Output, LeavesNoFileBehindWhenItCannotRun) {
  const TemporaryFolder folder;
  const Ended ended = run({"1", "--size", "1000000", "--json=" + (folder / "run.json").string()});
  EXPECT_NE(ended.code, 0);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace

// Bad files in the learner's folder: each gives one clear line and a way out, and no file of the learner is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/words/text_file.hpp"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using workshop::find_exercise;

struct BadInput : testing::Test {
  TemporaryFolder folder;
  fs::path mine = folder / "mine";
  fs::path file = mine / "02_coalesced.cu";
  fs::path progress = mine / "progress.json";

  BadInput() { fs::create_directory(mine); }

  // Calls the program with a page so wide that a message is one line.
  Call call(std::vector<std::string> words, const fs::path& own_folder) const {
    words.insert(words.begin(), SGEMM_WORKSHOP);
    words.insert(words.end(), {"--folder", own_folder.string()});
    return {.words = std::move(words),
            .environment = {"LC_ALL=C.UTF-8", "COLUMNS=1000", STRANGERS_MAY_CRASH}};
  }
  Ended run(const std::vector<std::string>& words) const { return run_program(call(words, mine)); }

  // Expects a refusal because of the files in the folder: exit code 2 and one message.
  void expect_refused(const Ended& ended, const char* hint) const {
    EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, AllOf(StartsWith("sgemm_runner: "), HasSubstr(hint)));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }

  void write(const fs::path& path, const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  // Returns the right answer with one text in it replaced.
  std::string answer(const std::string& old, const std::string& now) const {
    std::string source =
        workshop::cut(find_exercise("2"), 'b', workshop::solution_of(find_exercise("2"), 'b'));
    const size_t at = source.find(old);
    EXPECT_NE(at, source.npos) << old;
    return source.replace(at, old.size(), now);
  }
  // Judges the file as the learner wrote it. The file stays as it is.
  Ended judge(const std::string& source, const std::vector<std::string>& options = {}) const {
    write(file, source);
    std::vector<std::string> words{"check", "2"};
    words.insert(words.end(), options.begin(), options.end());
    const Ended ended = run(words);
    EXPECT_TRUE(contents(file) == source) << "the learner's file has changed";
    return ended;
  }
  void expect_wrong(const Ended& ended, const char* verdict, const char* why) const {
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr(verdict), HasSubstr(why), HasSubstr("next: ")));
    EXPECT_THAT(ended.err, IsEmpty());
  }
};

constexpr const char* LOOP =
    "  float sum = 0.0f;\n";  // a place in the kernel, before which a test adds code
constexpr const char* LAUNCH =
    "  const int64_t tiles_n = ceil_div(p.N, BN);\n";  // the same in host code

TEST_F(BadInput, AnExerciseThatDoesNotExist) {
  for (const char* subcommand : {"learn", "check", "hint", "solution", "reset"}) {
    expect_refused(run({subcommand, "99"}), "there is no exercise '99'");
    expect_refused(run({subcommand, "coalesed"}), "did you mean 'coalesced'?");
  }
  expect_refused(run({"learn", "2", "--hole", "z"}), "exercise 2 has no hole 'z'; it has a, b");
  EXPECT_TRUE(fs::is_empty(mine));
}

TEST_F(BadInput, AFileThatIsNotThere) {
  expect_refused(run({"check", "2"}), "'./sgemm_runner learn 2' makes it");
  expect_refused(run({"check", "2", "--watch"}), "'./sgemm_runner learn 2' makes it");
  expect_refused(
      run({"check"}),
      "no exercise is at hand; say which by its number or name, or './sgemm_runner learn ");
  expect_refused(run({"check", "all"}), "there is no file of yours");
}

TEST_F(BadInput, AnEmptyFileAndAnythingElseInItsPlaceIsKeptByReset) {
  write(file, "");
  expect_refused(run({"check", "2"}),
                 "is empty: './sgemm_runner reset 2' keeps it and begins anew");
  write(file, " \r\n\t\n");
  expect_refused(run({"check", "2"}),
                 "is empty: './sgemm_runner reset 2' keeps it and begins anew");

  fs::remove(file);
  fs::create_directory(file);
  write(file / "inside", "kept");
  expect_refused(run({"check", "2"}),
                 "is a folder, and should be a file: './sgemm_runner reset 2'");
  EXPECT_EQ(run({"reset", "2"}).code, 0);
  EXPECT_EQ(contents(mine / "backup" / "02_coalesced.1.cu" / "inside"), "kept");
  EXPECT_TRUE(fs::is_regular_file(file));

  // The program waits neither for a pipe without a writer nor for an endless device.
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_refused(run({"check", "2"}),
                 "is a pipe or a device, and should be a file: './sgemm_runner reset 2'");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  expect_refused(run({"check", "2"}),
                 "is a pipe or a device, and should be a file: './sgemm_runner reset 2'");

  // A link that leads nowhere cannot be read, even by root.
  fs::remove(file);
  fs::create_symlink(folder / "nowhere", file);
  expect_refused(run({"check", "2"}),
                 "cannot be read: No such file or directory: './sgemm_runner "
                 "reset 2' keeps it and begins anew");
  EXPECT_EQ(run({"reset", "2"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(mine / "backup" / "02_coalesced.2.cu"));
}

TEST_F(BadInput, AFolderThatCannotBeWritten) {
  write(folder / "file", "");
  for (const fs::path& nowhere : {folder / "file", folder / "file" / "below", fs::path("/proc")}) {
    const Ended ended = run_program(call({"learn", "2"}, nowhere));
    expect_refused(ended, nowhere == "/proc" ? "cannot write to '/proc/" : "cannot be made: ");
  }
}

TEST_F(BadInput, AFileThatDoesNotCompile) {
  expect_wrong(judge(answer("row >= p.M", "rwo >= p.M")), "it does not compile",
               "use of undeclared identifier 'rwo'; did you mean 'row'?\n");
  expect_wrong(judge("int main() {}\n"), "it does not compile", "the entry at its end is gone");
  const Ended binary = judge(std::string("\0\1\2\33[2J", 7) + std::string(5000, '\177'));
  expect_wrong(binary, "it does not compile", "line 1: ");
  for (const char c : {'\0', '\1', '\33'}) EXPECT_EQ(binary.out.find(c), binary.out.npos);
  // The compiler's whole output.
  EXPECT_THAT(judge(answer("row >= p.M", "rwo >= p.M"), {"-v"}).out,
              HasSubstr("1 error generated"));
}

TEST_F(BadInput, AKernelThatNeverEnds) {
  for (const char* loop :
       {"  for (volatile int x = 0; x < 1;) p.C[0] = 0;\n", "  while (true) __syncthreads();\n"}) {
    expect_wrong(judge(answer(LOOP, std::string(loop) + LOOP), {"--seconds", "0.5"}),
                 "it does not end", "02_coalesced.cu:");
  }
  // A compiler may leave out a loop without effect, and then says so.
  expect_wrong(judge(answer("++k", "k += 0"), {"--seconds", "0.5"}), "it does not compile",
               "a loop that does nothing for ever");
}

TEST_F(BadInput, HostCodeThatNeverEnds) {
  const std::string loop = "  for (volatile int x = 0; x < 1;) {\n  }\n";
  expect_wrong(judge(answer(LAUNCH, loop + LAUNCH), {"--seconds", "0.2"}), "it does not end",
               "s of: 256x128x64, alpha 1, beta 0; it spent the time in host");
}

TEST_F(BadInput, HostCodeThatEndsTheProcess) {
  const struct {
    const char *code, *why;
  } endings[] = {
      {"  *static_cast<volatile int*>(nullptr) = 1;\n", "Segmentation fault"},
      {"  exit(0);\n", "ended the process with exit code 0"},
      {"  if (p.M > 0) throw 3;\n", "its host code threw int"},
      {"  if (p.C[0] == 3) return cudaErrorUnknown;\n",
       "host code uses a pointer to the device's memory"},
  };
  for (const auto& [code, why] : endings) {
    expect_wrong(judge(answer(LAUNCH, std::string(code) + LAUNCH)), "its host code crashed", why);
  }
  // Even before a function is called.
  expect_wrong(
      judge(answer("#include",
                   "static const int crash = *static_cast<volatile int*>(nullptr);\n#include")),
      "its host code crashed", "Segmentation fault");
}

TEST_F(BadInput, AKernelThatPrints) {
  const std::string print =
      "  printf(\"hello from \\033[2J %d\\n\", int(threadIdx.x));\n  return;\n";
  const Ended ended = judge(answer(LOOP, print + LOOP));
  expect_wrong(ended, "the result is wrong", "It printed:\n    hello from");
  EXPECT_LT(ended.out.size(), 6000U);
}

// The output is so short that a stream would keep it until the process ends.
TEST_F(BadInput, AKernelThatPrintsALineAndIsWrong) {
  const std::string print =
      "  if (blockIdx.x == 0 && threadIdx.x == 0) printf(\"M is %d\\n\", int(p.M));\n  return;\n";
  expect_wrong(judge(answer(LOOP, print + LOOP)), "the result is wrong",
               "It printed:\n    M is 256");
}

TEST_F(BadInput, AKernelThatWaitsForWhatCannotCome) {
  const std::string wait = "  while (*static_cast<const volatile float*>(p.A) != 1e9F) {\n  }\n";
  const Ended ended = judge(answer(LOOP, wait + LOOP));
  expect_wrong(ended, "it does not end", "waits for ever");
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("was not done after")));
}

// The file has a byte order mark and line ends as editors on Windows write them. The answer is still right.
TEST_F(BadInput, AFileWithAnotherKindOfLinesIsJudgedAsItIs) {
  std::string source = "\xEF\xBB\xBF";
  for (const char c : answer(LOOP, LOOP)) {
    if (c == '\n') source += '\r';
    source += c;
  }
  for (size_t at = source.find("  "); at != source.npos; at = source.find("  ", at)) {
    source.replace(at, 2, "\t");
  }
  const Ended ended = judge(source);
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("exercise 2: right"));
}

TEST_F(BadInput, ADamagedProgressFileIsKeptAndBegunAnew) {
  const std::string head = R"({"sgemm_workshop_progress": 1, "exercises": )";
  const std::vector<std::string> damaged{
      "",
      "{",
      "[]",
      "nonsense",
      R"({"sgemm_workshop_progress": 2, "exercises": {}})",
      R"({"sgemm_workshop_progress": "1", "exercises": {}})",
      R"({"sgemm_workshop_progress": 1})",
      R"({"sgemm_workshop_progress": 1, "learner": 3, "exercises": {}})",
      head + "4}",
      head + R"({"02_coalesced": 7}})",
      head + R"({"02_coalesced": {"checks": "many"}}})",
      head + R"({"02_coalesced": {"hints": -3}}})",
      head + R"({"02_coalesced": {"checks": 99999999999}}})",
      head + R"({"02_coalesced": {"hole": "abc"}}})",
      head + R"({"02_coalesced": {"endings": [1]}}})",
  };
  write(file, "mine");
  int kept = 0;
  for (const std::string& text : damaged) {
    write(progress, text);
    const Ended ended = run({"hint", "2"});
    const std::string backup = "progress." + std::to_string(++kept) + ".json";
    EXPECT_EQ(ended.code, 0) << text << ended.err;
    EXPECT_THAT(ended.out, StartsWith("Hint 1 of 3")) << text;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("is no progress file: "), HasSubstr(backup),
                                 HasSubstr("'./sgemm_runner check all'")))
        << text;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
    EXPECT_EQ(contents(mine / "backup" / backup), text);
    EXPECT_EQ(nlohmann::json::parse(contents(progress))["exercises"]["02_coalesced"]["hints"], 1);
  }
  fs::remove(progress);
  fs::create_directory(progress);
  EXPECT_EQ(run({"learn"}).code, 0);
  EXPECT_EQ(run({"hint", "2"}).code, 0);
  EXPECT_TRUE(fs::is_regular_file(progress));
  EXPECT_EQ(contents(file), "mine");
}

// The progress file names an exercise and a hole that no longer exist.
TEST_F(BadInput, AProgressFileOfAnotherDayIsRead) {
  write(progress, R"({"sgemm_workshop_progress": 1, "exercises":
                      {"02_coalesced": {"hole": "q", "hints_of_hole": 17}, "99_gone": {"checks": 3}}})");
  EXPECT_EQ(run({"learn", "2"}).code, 0);
  const Ended ended = run({"hint", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(ended.out, StartsWith("Hint 3 of 3"));
  EXPECT_EQ(run({"learn", "2"}).code, 0);
  EXPECT_TRUE(fs::exists(file));
}

// The file is saved, saved with an error, moved away and brought back. Ctrl-C ends the watch.
TEST_F(BadInput, AFileThatIsWatchedMayBeAnything) {
  write(file, "first\n");
  Call watching = call({"check", "2", "--watch"}, mine);
  const auto checks = [this] {
    if (!fs::exists(progress)) return 0;
    const auto json = nlohmann::json::parse(contents(progress), nullptr, false);
    return json.is_discarded() ? 0 : json["exercises"]["02_coalesced"].value("checks", 0);
  };
  watching.meanwhile = [&](const std::stop_token& stop, pid_t child) {
    const auto until = [&](int count) {
      while (!stop.stop_requested() && checks() < count) usleep(10000);
    };
    until(1);
    write(file, "second, longer\n");
    until(2);
    fs::rename(file, folder / "away");
    fs::rename(folder / "away", file);  // the same text is no save, unless the file was seen gone
    write(file, "third, longer still\n");
    until(3);
    kill(child, SIGINT);
  };
  const Ended ended = run_program(watching);
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_GE(checks(), 3);
  EXPECT_EQ(contents(file), "third, longer still\n");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("it does not compile"), HasSubstr("────")));
  EXPECT_THAT(ended.err, HasSubstr("Ctrl-C ends this"));
}

}  // namespace

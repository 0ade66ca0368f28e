// Judged code that misbehaves: it gets its verdict in bounded time and memory, and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/words/text_file.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* LAUNCH = "  const int64_t tiles_m = ceil_div(p.M, BM);\n";  // in host code

struct JudgedCode : testing::Test {
  TemporaryFolder folder;
  fs::path mine = folder / "mine";
  fs::path file = mine / "01_naive.cu";

  JudgedCode() { fs::create_directory(mine); }

  // Returns the rung's own file with one text replaced.
  static std::string with(const std::string& old, const std::string& now) {
    const workshop::Exercise& of = workshop::find_exercise("1");
    std::string source = workshop::cut(of, 'a', workshop::solution_of(of, 'a'));
    const size_t at = source.find(old);
    EXPECT_NE(at, source.npos) << old;
    return source.replace(at, old.size(), now);
  }
  // Returns the rung's own file with a line before the launch.
  static std::string launching(const std::string& line) {
    return with(LAUNCH, "  " + line + "\n" + LAUNCH);
  }
  Call call(const std::string& source, std::vector<std::string> options) const {
    workshop::write_text(file, source);
    std::vector<std::string> words{SGEMM_WORKSHOP, "check", "1", "--folder", mine.string()};
    words.insert(words.end(), options.begin(), options.end());
    return {
        .words = std::move(words),
        .environment = {"LC_ALL=C.UTF-8", "COLUMNS=100", "TMPDIR=" + temporary.path().string()}};
  }
  // Judges the source. `seconds`, the limit for a launch, is small for code that never gets past its first launch.
  json judged(const std::string& source, const char* seconds = "10") const {
    const Ended ended = run_program(call(source, {"--json", "--seconds", seconds}));
    EXPECT_THAT(ended.err, IsEmpty());
    EXPECT_EQ(temporary.entries(), 0) << "it leaves files behind";
    json outcome = json::parse(ended.out, nullptr, false);
    EXPECT_FALSE(outcome.is_discarded()) << ended.out;
    const bool right = outcome.value("ending", "") == "right";
    EXPECT_EQ(ended.code, right ? 0 : 1) << ended.out;
    return outcome;
  }
  bool is_solved() const {
    return contents(mine / "progress.json").find("\"solved\": \"20") != std::string::npos;
  }

  TemporaryFolder temporary;
};

// It is right at every small problem and wrong at the large one. There its counters would keep the promise, or are
// missing.
TEST_F(JudgedCode, ThatIsWrongAtTheLargeProblemAloneIsWrong) {
  const std::string large = "if (p.M == 256 && p.N == 256 && p.K == 256) ";
  const struct {
    const char *instead, *ending, *says;
  } cases[] = {
      {"return cudaSuccess;", "wrong_result", "was never written; all"},
      {"return cudaErrorUnknown;", "fault", "cudaErrorUnknown"},
      {"const_cast<Sgemm&>(p).K -= 1;", "wrong_result", "should be"},
  };
  for (const auto& [instead, ending, says] : cases) {
    const json outcome = judged(launching(large + instead));
    EXPECT_EQ(outcome["ending"], ending) << instead;
    EXPECT_THAT(outcome["message"].get<std::string>(),
                AllOf(HasSubstr(says), HasSubstr("at 256x256x256")))
        << instead;
    EXPECT_FALSE(is_solved());
  }
}

// Without a kernel nothing is counted, so no claim is kept.
TEST_F(JudgedCode, WhoseResultNoKernelComputedIsWithoutTheIdea) {
  const json outcome = judged(launching(R"(if (p.M == 256 && p.N == 256 && p.K == 256) {
    static float a[256 * 256], b[256 * 256], c[256 * 256];
    cudaMemcpy(a, p.A, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, p.B, sizeof b, cudaMemcpyDeviceToHost);
    for (float& element : c) element = 0;
    for (int i = 0; i < 256; ++i)
      for (int k = 0; k < 256; ++k)
        for (int j = 0; j < 256; ++j) c[i * 256 + j] += a[i * 256 + k] * b[k * 256 + j];
    return cudaMemcpy(p.C, c, sizeof c, cudaMemcpyHostToDevice);
  })"));
  EXPECT_EQ(outcome["ending"], "broken_promise");
  EXPECT_THAT(outcome["message"].get<std::string>(),
              HasSubstr("it launched no kernel at 256x256x256"));
  EXPECT_FALSE(is_solved());
}

// A right answer, as a control for the two tests above.
TEST_F(JudgedCode, ThatIsRightIsRight) {
  EXPECT_EQ(judged(with(LAUNCH, LAUNCH))["ending"], "right");
  EXPECT_TRUE(is_solved());
}

// The check that finds the error calls CUDA itself. The message names the kernel's error and problem, and no line of
// ours.
TEST_F(JudgedCode, WhoseErrorACheckFindsIsToldOfItsOwnProblem) {
  const json outcome =
      judged(launching("if (p.K == 0 && p.M >= 4096) return cudaErrorInvalidConfiguration;"));
  EXPECT_EQ(outcome["ending"], "broken_contract");
  EXPECT_THAT(outcome["message"].get<std::string>(),
              AllOf(HasSubstr("cudaErrorInvalidConfiguration"), HasSubstr("at 4096x1x0, lda 1"),
                    Not(HasSubstr(".cpp:")), Not(HasSubstr("called at"))));
}

TEST_F(JudgedCode, ThatThrowsIsToldWhat) {
  const json outcome = judged(launching("if (std::vector<int>(2).at(3) == 0) return cudaSuccess;")
                                  .insert(0, "#include <vector>\n"));
  EXPECT_EQ(outcome["ending"], "crashed");
  EXPECT_THAT(outcome["message"].get<std::string>(),
              HasSubstr("its host code threw std::out_of_range: vector::_M_range_check"));
}

// The code writes to every descriptor, but the verdict goes through none. The code cannot change its own time limit.
TEST_F(JudgedCode, ThatWritesToEveryDescriptorChangesNothing) {
  const json outcome = judged(launching(R"(for (int i = 0; i < 1024; ++i) {
    for (const char* lie : {"s99999 for ever\n", "r{}"}) {
      if (write(i, lie, strlen(lie)) < 0) continue;
    }
  }
  closefrom(0);
  pause();)")
                                  .insert(0, "#include <unistd.h>\n#include <cstring>\n"),
                              "0.2");
  EXPECT_EQ(outcome["ending"], "never_ends");
  EXPECT_THAT(outcome["message"].get<std::string>(),
              StartsWith("it was ended after 2.4 s of: 256x128x64, alpha 1, beta 0;"));
}

TEST_F(JudgedCode, ThatPrintsForEverIsEndedAndToldWithinBounds) {
  const auto begin = std::chrono::steady_clock::now();
  const json outcome = judged(launching("while (true) puts(\"hello \\033[2J\\xff\");"), "0.2");
  EXPECT_EQ(outcome["ending"], "never_ends");
  const std::string printed = outcome["printed"];
  EXPECT_THAT(printed,
              AllOf(StartsWith("hello [2J?\nhello"), HasSubstr(" bytes are left out ...\n")));
  EXPECT_LT(printed.size(), 2200U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  EXPECT_LT(used.ru_maxrss, 700 * 1024) << "what it printed is kept in memory";
}

TEST_F(JudgedCode, ThatLoopsBeforeAnythingIsCalledIsEnded) {
  const json outcome = judged(with("#include",
                                   "static const int loop = [] {\n"
                                   "  for (volatile int i = 0; i < 1;) {\n  }\n"
                                   "  return 0;\n}();\n#include"),
                              "0.2");
  EXPECT_EQ(outcome["ending"], "never_ends");
  EXPECT_THAT(outcome["message"].get<std::string>(),
              HasSubstr("s of: loading it, and constructing its static variables"));
}

// Returns the state of a process from the system; 0 if there is none.
char state_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line[line.find_first_not_of(" \t", 6)];
  }
  return 0;
}

TEST_F(JudgedCode, EndsWithItsJudgeHoweverThatEnds) {
  const std::string note = folder / "number";
  Call check = call(launching("{ FILE* const file = fopen(\"" + note +
                              "\", \"w\"); fprintf(file, \"%d\\n\", getpid()); fclose(file); }\n"
                              "  signal(SIGTERM, SIG_IGN);\n  while (true) pause();")
                        .insert(0, "#include <unistd.h>\n#include <csignal>\n#include <cstdio>\n"),
                    {});
  check.meanwhile = [&](const std::stop_token& stop, pid_t child) {
    while (!stop.stop_requested() && contents(note).find('\n') == std::string::npos) usleep(10000);
    kill(child, SIGKILL);
  };
  EXPECT_EQ(run_program(check).signal, SIGKILL);
  const pid_t judged = std::stoi(contents(note));
  const auto is_there = [&] { return state_of(judged) != 0 && state_of(judged) != 'Z'; };
  for (int looks = 0; looks < 500 && is_there(); ++looks) usleep(10000);
  EXPECT_FALSE(is_there()) << "process " << judged << " goes on";
}

TEST_F(JudgedCode, ThatIsTheLaddersIsToldAsThat) {
  const std::string call = "return ladder::all()[1]->launch(p, stream);";
  std::string rungs_variable = launching("return coalesced.launch(p, stream);");
  rungs_variable.replace(rungs_variable.find("namespace {\n"), 0, "extern const Rung coalesced;\n");
  const struct {
    std::string source;
    const char* says;
  } cases[] = {
      {"#include \"kernels/01_naive.cu\"\n", "it includes src/kernels/01_naive.cu: "},
      {launching(call), "it calls ladder::all(): "},
      {rungs_variable, "it uses ladder::coalesced: "},
  };
  for (const auto& [source, says] : cases) {
    const json outcome = judged(source);
    EXPECT_EQ(outcome["ending"], "not_its_own") << source;
    EXPECT_THAT(outcome["message"].get<std::string>(), StartsWith(says));
    EXPECT_FALSE(is_solved());
  }
}

// Exercise 12's file contains a header's text, which other headers include too. They find it there.
TEST_F(JudgedCode, ThatTakesOutAHeaderOfItsExerciseHasTheLadders) {
  const workshop::Exercise& of = workshop::find_exercise("12");
  std::string source = workshop::cut(of, 'a', workshop::solution_of(of, 'a'));
  const std::string held = "#define LADDER_SPLIT_PLAN\n";
  const size_t begin = source.find("#ifndef LADDER_SPLIT_PLAN"), end = source.find("#endif", begin);
  ASSERT_NE(end, source.npos);
  ASSERT_NE(source.find(held), source.npos);
  source.replace(begin, end - begin, "#ifndef NOTHING\n");
  workshop::write_text(mine / "12_stream_k.cu", source);
  const Ended ended =
      run_program({.words = {SGEMM_WORKSHOP, "check", "12", "--folder", mine.string(), "--json"}});
  EXPECT_EQ(ended.code, 1) << ended.err;
  const json outcome = json::parse(ended.out);
  EXPECT_EQ(outcome["ending"], "not_its_own") << outcome["compiler_output"];
  EXPECT_THAT(outcome["message"].get<std::string>(),
              StartsWith("it includes src/kernels/tuned/split_plan.hpp: "));
}

// "Character for character" refers to the file, not to the part between its marks.
TEST_F(JudgedCode, ThatIsChangedOutsideOfItsMarksIsNotCalledTheRungsOwn) {
  const std::string last = "  return cudaGetLastError();\n";
  const std::string source =
      with(last, "  const cudaError_t error = cudaGetLastError();\n  return error;\n");
  const Ended ended = run_program(call(source, {}));
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out,
              AllOf(Not(HasSubstr("It is the rung's own code")),
                    HasSubstr("Between the marks it is the rung's own code, character for "
                              "character; the rest of the file is\n  changed.")));
}

}  // namespace

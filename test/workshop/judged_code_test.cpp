// Code that is judged, and does what it should not.
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
#include "workshop/cut.hpp"
#include "workshop/exercise.hpp"
#include "workshop/text_file.hpp"

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

  // The rung's own file with one text replaced.
  static std::string with(const std::string& old, const std::string& now) {
    const workshop::Exercise& of = workshop::find_exercise("1");
    std::string source = workshop::cut(of, 'a', workshop::solution_of(of, 'a'));
    const size_t at = source.find(old);
    EXPECT_NE(at, source.npos) << old;
    return source.replace(at, old.size(), now);
  }
  // The same with a line before the launch.
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
  // `seconds` are short for what ends at the first launch, and never gets further.
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

// It is right at every small problem, and wrong at the large one, whose counters would keep the promise or are none.
TEST_F(JudgedCode, ThatIsWrongAtTheLargeProblemAloneIsWrong) {
  const std::string large = "if (p.M == 256 && p.N == 256 && p.K == 256) ";
  const struct {
    const char *instead, *ending, *says;
  } cases[] = {
      {"return cudaSuccess;", "wrong_result", "was never written"},
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

// Then nothing is counted, and no claim is left that could be broken.
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

// An answer that is right, seen by whoever fixes the two tests above.
TEST_F(JudgedCode, ThatIsRightIsRight) {
  EXPECT_EQ(judged(with(LAUNCH, LAUNCH))["ending"], "right");
  EXPECT_TRUE(is_solved());
}

}  // namespace

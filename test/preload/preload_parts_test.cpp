// The preloaded library's decision, its settings, and its log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "preload/choose/decision.hpp"
#include "preload/choose/settings.hpp"
#include "results/files/json.hpp"
#include "test/support/process.hpp"

namespace {

using preload::Decision, preload::Mode, preload::Question, preload::Settings, preload::Verdict;
using testing::HasSubstr, testing::IsEmpty, testing::Not;

Question question_of(int64_t M, int64_t N, int64_t K) {
  return {.shape = ladder::dense_shape(M, N, K),
          .batch = 1,
          .gpu = ladder::H200,
          .has_wgmma = true,
          .allows_reduced = false,
          .beside = {}};
}

bool answers(const Question& q, Mode mode = Mode::automatic) {
  return decide(q, mode).verdict == Verdict::answered;
}

struct Recorded {
  int64_t M, N, K;
  double us, cublas_us;  // `us` by `best`
};

// Returns the recorded times of `best`.
std::vector<Recorded> recorded() {
  std::ifstream file(SGEMM_SHAPES_SEED_3);
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::string kernel;
    Recorded one{};
    if (words >> kernel >> one.M >> one.N >> one.K >> one.us >> one.cublas_us && kernel == "best")
      all.push_back(one);
  }
  return all;
}

// Nobody fitted a number to the shapes of seed 3.
TEST(Decision, IsNeverSlowerOnRecordedShapes) {
  const std::vector<Recorded> all = recorded();
  ASSERT_GE(all.size(), 400U);
  int answered = 0;
  double cublas_us = 0, us = 0, least_us = 0;
  for (const Recorded& one : all) {
    const bool is_answered = answers(question_of(one.M, one.N, one.K));
    answered += is_answered ? 1 : 0;
    if (is_answered)
      EXPECT_GE(one.cublas_us, 0.97 * one.us) << one.M << "x" << one.N << "x" << one.K;
    cublas_us += one.cublas_us;
    us += is_answered ? one.us : one.cublas_us;
    least_us += std::min(one.us, one.cublas_us);
  }
  EXPECT_GE(answered, 80);
  // Most of the time that `best` saves is saved.
  EXPECT_GE(cublas_us - us, 0.95 * (cublas_us - least_us));
}

TEST(Decision, FollowsTheMode) {
  Question small = question_of(40, 40, 40), large = question_of(4096, 4096, 4096);
  EXPECT_FALSE(answers(small));
  EXPECT_TRUE(answers(large));
  EXPECT_EQ(decide(large, Mode::automatic).rung, Decision::BEST);
  EXPECT_EQ(decide(large, Mode::off).verdict, Verdict::off);
  EXPECT_EQ(decide(small, Mode::rung_12).rung, 12);
  EXPECT_EQ(decide(small, Mode::rung_16).rung, 16);
  EXPECT_FALSE(answers(small, Mode::fp32));
  small.allows_reduced = large.allows_reduced = true;
  EXPECT_EQ(decide(large, Mode::automatic).verdict, Verdict::reduced);
  EXPECT_TRUE(answers(small, Mode::fp32));
  EXPECT_TRUE(answers(small, Mode::rung_12));
}

TEST(Decision, KnowsTheGpu) {
  Question large = question_of(4096, 4096, 4096);
  for (const int capability : {80, 89, 100, 120}) {
    large.gpu.compute_capability = capability;
    EXPECT_EQ(decide(large, Mode::automatic).verdict, Verdict::gpu);
    EXPECT_EQ(decide(large, Mode::rung_16).verdict, Verdict::gpu);
    EXPECT_TRUE(answers(large, Mode::rung_12));
  }
  large.gpu.compute_capability = 75;
  EXPECT_FALSE(answers(large, Mode::rung_12));
  large.gpu = ladder::H200;
  large.has_wgmma = false;  // rung 12 alone is no faster than cuBLAS here
  EXPECT_FALSE(answers(large));
  EXPECT_FALSE(answers(large, Mode::rung_16));
}

// Each further pass over C costs time.
TEST(Decision, CountsTheSecondKernel) {
  Question q = question_of(1024, 1024, 320);
  EXPECT_TRUE(answers(q));
  q.beside = {.kernels = 1, .bytes = int64_t{1} << 30};
  EXPECT_FALSE(answers(q));
}

TEST(Decision, LeavesWhatIsSmallBeforeItIsAsked) {
  EXPECT_TRUE(preload::is_small(64, 64, 64, 1));
  EXPECT_FALSE(preload::is_small(64, 64, 64, 4096));
  for (const auto& [M, N, K] : {std::tuple{64, 64, 64}, {400, 400, 400}, {1, 8192, 500}})
    if (preload::is_small(M, N, K, 1)) EXPECT_FALSE(answers(question_of(M, N, K)));
}

TEST(Settings, AreReadFromTheVariables) {
  EXPECT_EQ(preload::settings_of(nullptr, nullptr).mode, Mode::automatic);
  EXPECT_EQ(preload::settings_of("", "").mode, Mode::automatic);
  EXPECT_EQ(preload::settings_of("off", nullptr).mode, Mode::off);
  EXPECT_EQ(preload::settings_of("fp32", nullptr).mode, Mode::fp32);
  EXPECT_EQ(preload::settings_of("12", nullptr).mode, Mode::rung_12);
  EXPECT_EQ(preload::settings_of("16", nullptr).mode, Mode::rung_16);
  EXPECT_FALSE(preload::settings_of(nullptr, "0").has_log);
  EXPECT_TRUE(preload::settings_of(nullptr, "1").has_log);
  EXPECT_EQ(preload::settings_of(nullptr, "x.json").log_file, "x.json");
  EXPECT_THAT(preload::settings_of("16", "1").complaints, IsEmpty());
}

TEST(Settings, SayWhatIsAllowed) {
  const Settings s = preload::settings_of("tf32", "yes");
  EXPECT_EQ(s.mode, Mode::automatic);
  EXPECT_FALSE(s.has_log);
  EXPECT_EQ(s.complaints,
            "libsgemm_ladder_cublas.so: SGEMM_LADDER is 'tf32'; off, fp32, 12 and 16 are allowed; "
            "it counts as unset\n"
            "libsgemm_ladder_cublas.so: SGEMM_LADDER_LOG is 'yes'; 0, 1 and the name of a file "
            "that ends in .json are "
            "allowed; it counts as unset\n");
}

// Runs the test program's calls with the preloaded library.
Ended run_logged(const std::string& log, const std::string& mode = "12") {
  return run_program({.words = {SGEMM_PRELOAD_TEST, "--gtest_filter=Logged.*"},
                      .environment = {"LD_PRELOAD=" SGEMM_PRELOADED, "SGEMM_LADDER=" + mode,
                                      "SGEMM_LADDER_LOG=" + log}});
}

TEST(Log, IsATableOnStderr) {
  const Ended ended = run_logged("1");
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.err, testing::MatchesRegex(
                             "function +ops +m +n +k +batch +calls +ms on the GPU +outcome\n"
                             "cublasSgemm_v2 +TN +8 +9 +40 +1 +3 +[0-9.]+ +answered\n"
                             "cublasSgemmStridedBatched +NN +8 +9 +40 +2 +1 +[0-9.]+ +answered\n"
                             "cublasSgemm_v2 +NN +8 +0 +40 +1 +1 +- +no product\n"
                             "5 calls, 4 answered in [0-9.]+ ms on the GPU\n"));
}

TEST(Log, IsAFileOfResults) {
  const std::filesystem::path folder = testing::TempDir();
  const std::string name = folder / "preload_log_%p.json";
  for (const auto& old : std::filesystem::directory_iterator(folder))
    if (old.path().filename().string().starts_with("preload_log_"))
      std::filesystem::remove(old.path());
  const Ended ended = run_logged(name, "off");
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  std::vector<std::filesystem::path> files;  // of the program; its child made no call
  for (const auto& one : std::filesystem::directory_iterator(folder))
    if (one.path().filename().string().starts_with("preload_log_")) files.push_back(one.path());
  ASSERT_EQ(files.size(), 1U);
  const results::Run run = results::read_run(files.front());
  std::filesystem::remove(files.front());
  EXPECT_TRUE(run.results.empty());
  EXPECT_THAT(run.from.program, HasSubstr("libsgemm_ladder_cublas"));
  EXPECT_THAT(run.from.command_line, testing::Contains(HasSubstr("Logged")));
  ASSERT_EQ(run.calls.size(), 3U);
  const results::LoggedCalls want{.entry = "cublasSgemm_v2",
                                  .M = 8,
                                  .N = 9,
                                  .K = 40,
                                  .transposes_a = true,
                                  .outcome = "SGEMM_LADDER=off",
                                  .calls = 3};
  EXPECT_EQ(run.calls.front(), want);
}

TEST(Log, SaysThatItsFileCannotBeWritten) {
  const Ended ended = run_logged("/nowhere/x.json");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err,
            "libsgemm_ladder_cublas.so: cannot write /nowhere/x.json: No such file or directory\n");
}

TEST(Log, IsEmptyWithoutCalls) {
  const Ended ended = run_program({.words = {"/bin/true"},
                                   .environment = {"LD_PRELOAD=" SGEMM_PRELOADED,
                                                   "SGEMM_LADDER_LOG=1", "SGEMM_LADDER=nonsense"}});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST(Preload, SaysOnceWhatIsWrongWithAVariable) {
  const Ended ended = run_logged("0", "nonsense");
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(ended.err,
            "libsgemm_ladder_cublas.so: SGEMM_LADDER is 'nonsense'; off, fp32, 12 and 16 are "
            "allowed; it counts as unset\n");
}

// Calls without cuBLAS: no crash, no endless recursion.
TEST(Preload, SaysOnceThatThereIsNoCublas) {
  const Ended ended = run_program(
      {.words = {SGEMM_WITHOUT_CUBLAS}, .environment = {"LD_PRELOAD=" SGEMM_PRELOADED}});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(ended.err,
            "libsgemm_ladder_cublas.so: the program called cublasSgemm_v2, but it has loaded "
            "neither version 13 nor "
            "12 of cuBLAS; the call returns CUBLAS_STATUS_NOT_INITIALIZED\n");
}

}  // namespace

#include "runner/baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "runner/error.hpp"

namespace {

using testing::HasSubstr;

class BaselineFile : public testing::Test {
 protected:
  BaselineFile()
      : path(std::filesystem::temp_directory_path() /
             ("sgemm_baseline_test." + std::to_string(getpid()))) {}
  ~BaselineFile() override { std::filesystem::remove(path); }

  runner::Baseline read(const std::string& text) const {
    std::ofstream(path) << text;
    return runner::read_baseline(path.string());
  }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const runner::Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  std::filesystem::path path;
};

TEST_F(BaselineFile, GivesThePercentagesAtItsSize) {
  const auto baseline = read(R"({"context": {"date": "2026-01-02T03:04:05+00:00"}, "benchmarks": [
    {"name": "sgemm/01_naive/4096x4096x4096", "kernel": "naive", "device": "NVIDIA X", "percent_of_cublas": 1.5},
    {"name": "sgemm/01_naive/128x128x128", "kernel": "naive", "device": "NVIDIA X", "percent_of_cublas": 9.5},
    {"name": "sgemm/02_coalesced/4096x4096x4096", "kernel": "coalesced", "device": "NVIDIA X", "percent_of_cublas": null}]})");
  EXPECT_EQ(baseline.device, "NVIDIA X");
  EXPECT_EQ(baseline.date, "2026-01-02");
  EXPECT_THAT(baseline.percent_of_cublas, testing::ElementsAre(testing::Pair("naive", 1.5)));
}

// A cold run, a wrong result and a device's name that would move the cursor.
TEST_F(BaselineFile, TakesOnlyFiguresOfSoundRowsThatWereWarm) {
  const auto baseline = read(R"({"context": {"date": "2026-01-02T03:04:05+00:00"}, "benchmarks": [
    {"name": "sgemm/01_naive/4096x4096x4096", "kernel": "naive", "device": "N\u001b[2J\nX", "percent_of_cublas": 1.5},
    {"name": "sgemm/01_naive/4096x4096x4096", "kernel": "naive", "device": "X", "l2": "cold", "percent_of_cublas": 7},
    {"name": "sgemm/01_naive/4096x4096x4096", "kernel": "naive", "device": "X", "correct": false, "percent_of_cublas": 8}]})");
  EXPECT_THAT(baseline.percent_of_cublas, testing::ElementsAre(testing::Pair("naive", 1.5)));
  EXPECT_EQ(baseline.device, "N[2JX");
}

TEST_F(BaselineFile, RefusesADirectory) {
  try {
    runner::read_baseline(std::filesystem::temp_directory_path().string());
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("cannot be read"));
  }
}

TEST_F(BaselineFile, RefusesWhatItCannotUse) {
  EXPECT_THAT(refusal("{"), HasSubstr("cannot be used"));
  EXPECT_THAT(refusal("{}"), HasSubstr("context"));
  EXPECT_THAT(refusal(R"({"context": {"date": "2026-01-02"}, "benchmarks": []})"),
              HasSubstr("has no percent_of_cublas"));
  EXPECT_THAT(refusal(R"({"context": {"date": 7}, "benchmarks": []})"),
              HasSubstr("cannot be used"));
}

TEST(Baseline, NamesAFileThatIsNotThere) {
  try {
    runner::read_baseline("/nowhere/baseline.json");
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/baseline.json"));
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
  }
}

}  // namespace

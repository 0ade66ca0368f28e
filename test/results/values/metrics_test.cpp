// THE list of metrics.
#include "results/values/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "test/results/made_runs.hpp"

namespace {

using results::Metric;
using results::Result;
using testing::DoubleEq;
using testing::Eq;
using testing::Optional;

TEST(Metrics, HaveKeysOfTheirOwn) {
  std::set<std::string> keys;
  for (const Metric& m : results::metrics()) {
    EXPECT_TRUE(keys.insert(m.key).second) << m.key << " is there twice";
    EXPECT_TRUE(std::regex_match(m.key, std::regex("[a-z][a-z0-9_]*"))) << m.key;
    EXPECT_EQ(results::find_metric(m.key), &m);
    EXPECT_EQ(&results::metric(m.key), &m);
  }
  EXPECT_EQ(results::find_metric("load_sectors"), nullptr);
  EXPECT_EQ(results::find_metric(""), nullptr);
  EXPECT_THROW(results::metric("load_sectors"), std::logic_error);
}

TEST(Metrics, SayWhatTheyAre) {
  for (const Metric& m : results::metrics()) {
    EXPECT_STRNE(m.name, "") << m.key;
    EXPECT_STRNE(m.heading, "") << m.key;
    EXPECT_STRNE(m.hint, "") << m.key;
    EXPECT_NE(m.unit, nullptr) << m.key;
    EXPECT_GE(m.precision, results::SHORT) << m.key;
    EXPECT_LE(m.precision, 3) << m.key;
    EXPECT_LE(std::string(m.heading).size(), 16u) << m.key << ": a heading is for a column";
  }
}

// The expected figures of the run in which no field is left out.
TEST(Metrics, FollowFromTheFacts) {
  results::Run run = made::full();
  Result& r = run.results[0];
  r.seen.timing->is_reference = false;
  // Seven products, which share A.
  const double flop = 7 * 2.0 * 65 * 63 * 61;
  const double bytes = 4.0 * (65 * 61 + 7 * (61 * 63 + 2 * 65 * 63));
  const std::map<std::string, double> want{
      {"load_sectors_per_request", 72.0 / 6},
      {"store_sectors_per_request", 4},
      {"load_lines_per_request", 3},
      {"store_lines_per_request", 2},
      {"load_bytes_per_lane", 2304.0 / 192},
      {"store_bytes_per_lane", 4},
      {"async_copy_share", 1024.0 / 2304},
      {"bytes_used_over_fetched", 0.75},
      {"global_sectors", 100},
      {"flops_per_global_byte", 0x1.8p64 / 3200},
      {"tensor_share", 1.0 / 3},
      {"shared_loads_per_ffma", 2},
      {"shared_load_wavefronts_per_request", 1.5},
      {"shared_store_wavefronts_per_request", 2.5},
      {"shared_wavefronts_per_ffma", 12},
      {"shared_bank_conflicts", 7},
      {"local_bytes", 96},
      {"copies_during_loads", 0},
      {"barriers_per_warp", 36.0 / (6 * 4)},
      {"blocks", 6},
      {"frobenius_error", 0x1p-10},
      {"reference_frobenius_error", 0x1p-22},
      {"largest_error", 0x1p-12},
      {"reference_largest_error", 0x1p-23},
      {"median_ms", 3},
      {"q1_ms", 2},
      {"q3_ms", 4},
      {"spread", 100 * 2.0 / 3},
      {"gflops", flop / 3e6},
      {"percent_of_cublas", 125},  // two runs, with medians of 150 and 100
      {"reference_gflops", flop / 2e6},
      {"percent_of_fp16_roof", 100 * flop / 3e6 / 200000},
      {"joules", 0.5},
      {"reference_joules", 1.75},
      {"reference_clock_mhz", 1860},
      {"percent_of_peak", 100 * flop / 3e6 / 66908.25},
      {"clock_mhz", 1755},
      {"gbytes_per_second", bytes / 3e6},
      {"percent_of_copy", 100 * bytes / 3e6 / 4123.25},
  };
  for (const Metric& m : results::metrics()) {
    ASSERT_TRUE(want.contains(m.key)) << m.key << " is not in this test";
    EXPECT_THAT(m.value(r, "", run.from.roofs), Optional(DoubleEq(want.at(m.key)))) << m.key;
    EXPECT_EQ(results::value(r, m.key, "", run.from.roofs), m.value(r, "", run.from.roofs));
  }
}

TEST(Metrics, OfALabAreHeldAgainstACopyAndNotAgainstCublas) {
  const Result r = made::of_a_lab().results[0];
  EXPECT_THAT(results::value(r, "percent_of_copy"), Optional(DoubleEq(50)));
  EXPECT_THAT(results::value(r, "gbytes_per_second"), Optional(DoubleEq(131072 / 4e6)));
  EXPECT_EQ(results::value(r, "percent_of_cublas"), std::nullopt);
}

TEST(Metrics, OfABufferAreOfThatBufferAlone) {
  const Result r = made::full().results[0];
  const std::map<std::string, std::pair<double, double>> of_a_and_b{
      {"load_sectors_per_request", {16, 4}},
      {"load_lines_per_request", {4, 1}},
      {"load_bytes_per_lane", {16, 4}},
  };
  for (const auto& [key, figures] : of_a_and_b) {
    EXPECT_THAT(results::value(r, key, "A"), Optional(figures.first)) << key;
    EXPECT_THAT(results::value(r, key, "B"), Optional(figures.second)) << key;
    EXPECT_EQ(results::value(r, key, "C"), std::nullopt) << key;
    EXPECT_TRUE(results::metric(key).of_buffer);
  }
  EXPECT_THAT(results::value(r, "store_bytes_per_lane", "C"), Optional(4.0));
  EXPECT_THAT(results::value(r, "async_copy_share", "A"), Optional(0.5));
}

TEST(Metrics, AreNotThereWhereNothingWasSeen) {
  for (const Metric& m : results::metrics())
    EXPECT_EQ(m.value(made::rung(1, "naive"), "", {}), std::nullopt) << m.key;
}

TEST(Metrics, DoNotDivideByNothing) {
  const Result r = made::counted(made::rung(1, "naive"), {{"load_requests", "A", 0},
                                                          {"load_sectors", "A", 0},
                                                          {"global_bytes_fetched", "", 0},
                                                          {"global_bytes_used", "", 0},
                                                          {"ffma", "", 0},
                                                          {"shared_load_lanes", "", 0}});
  for (const char* key : {"load_sectors_per_request", "bytes_used_over_fetched",
                          "flops_per_global_byte", "shared_loads_per_ffma"})
    EXPECT_EQ(results::value(r, key), std::nullopt) << key;
}

TEST(Metrics, OfAnEmptyProductAreNone) {
  Result r = made::timed(made::rung(1, "naive"), 2, 1);
  r.problem = results::dense_problem(0, 64, 64);
  for (const char* key : {"gflops", "percent_of_cublas", "percent_of_peak"})
    EXPECT_EQ(results::value(r, key), std::nullopt) << key;
  EXPECT_THAT(results::value(r, "median_ms"), Optional(2.0)) << "the time it took is a fact";
}

TEST(PercentOfCublas, OfTheReferenceIsAHundred) {
  Result r = made::timed(made::rung(0, "cuBLAS"), 2, 1);
  r.seen.timing->is_reference = true;
  r.seen.timing->reference_samples_ms.clear();
  EXPECT_THAT(results::value(r, "percent_of_cublas"), Optional(100.0));
}

TEST(PercentOfCublas, IsNotThereWithoutAReference) {
  Result r = made::timed(made::rung(1, "naive"), 2, 1);
  r.seen.timing->reference_samples_ms.clear();
  EXPECT_EQ(results::value(r, "percent_of_cublas"), std::nullopt);
}

// A clock that sinks throughout slows both kernels and leaves the ratio unchanged.
TEST(PercentOfCublas, IsThatOfNeighbours) {
  Result r = made::timed(made::rung(1, "naive"), 1, 1);
  r.seen.timing->samples_ms = {10, 20, 30, 40};
  r.seen.timing->reference_samples_ms = {5, 10, 15, 20};
  EXPECT_THAT(results::value(r, "percent_of_cublas"), Optional(50.0));
}

// The median of the ratios 2, 1/4, 2 and 2 is 2. The ratio of the medians is 1.
TEST(PercentOfCublas, IsTheMedianOfTheRatios) {
  Result r = made::timed(made::rung(1, "naive"), 1, 1);
  r.seen.timing->samples_ms = {1, 4, 2, 5};
  r.seen.timing->reference_samples_ms = {2, 1, 4, 10};
  EXPECT_THAT(results::paired_percent(*r.seen.timing), testing::ElementsAre(200, 25, 200, 200));
  EXPECT_THAT(results::value(r, "percent_of_cublas"), Optional(200.0));
}

}  // namespace

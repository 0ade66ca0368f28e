#include "runner/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using runner::StopRule;

TEST(Quartiles, InterpolateBetweenOrderStatistics) {
  const double samples[] = {7, 1, 3, 5};  // 1 3 5 7 in order
  const auto q = runner::quartiles(samples);
  EXPECT_DOUBLE_EQ(q.q1, 2.5);
  EXPECT_DOUBLE_EQ(q.median, 4);
  EXPECT_DOUBLE_EQ(q.q3, 5.5);
}

TEST(Quartiles, OfOneSampleAreThatSample) {
  const double sample[] = {3};
  const auto q = runner::quartiles(sample);
  EXPECT_EQ(q.q1, 3);
  EXPECT_EQ(q.median, 3);
  EXPECT_EQ(q.q3, 3);
}

TEST(Quartiles, OfNothingAreZero) { EXPECT_EQ(runner::quartiles({}).median, 0); }

TEST(Quartiles, AreNotMovedByAnOutlier) {
  const double samples[] = {1, 1, 1, 1, 1, 1, 1, 1000};
  EXPECT_EQ(runner::quartiles(samples).median, 1);
  EXPECT_EQ(runner::quartiles(samples).q3, 1);
}

TEST(Uncertainty, ShrinksWithTheNumberOfSamples) {
  std::vector<double> samples{9, 10, 11, 10};
  const double of_four = runner::relative_uncertainty(samples);
  for (int i = 0; i < 2; ++i) samples.insert(samples.end(), samples.begin(), samples.end());
  EXPECT_LT(runner::relative_uncertainty(samples), of_four);
  EXPECT_GT(of_four, 0);
}

TEST(Uncertainty, IsInfiniteForOneSample) {
  const double sample[] = {3};
  EXPECT_TRUE(std::isinf(runner::relative_uncertainty(sample)));
}

TEST(StopRule, TakesOneSampleWhateverItCosts) {
  const StopRule rule{
      .least_samples = 5, .most_samples = 10, .most_seconds = 1, .target_uncertainty = 0.01};
  EXPECT_FALSE(rule.stop({}, 100));
  const double slow[] = {100.0};
  EXPECT_TRUE(rule.stop(slow, 100));
}

TEST(StopRule, StopsWhenTheMedianIsKnown) {
  const StopRule rule{
      .least_samples = 5, .most_samples = 100, .most_seconds = 1, .target_uncertainty = 0.01};
  const double equal[] = {2, 2, 2, 2, 2};
  EXPECT_FALSE(rule.stop(std::span(equal).first(4), 0)) << "too few to know";
  EXPECT_TRUE(rule.stop(equal, 0));
  const double scattered[] = {1, 2, 3, 4, 5};
  EXPECT_FALSE(rule.stop(scattered, 0));
}

TEST(StopRule, StopsAtTheMostSamples) {
  const StopRule rule{
      .least_samples = 2, .most_samples = 3, .most_seconds = 1, .target_uncertainty = 0};
  const double scattered[] = {1, 2, 3};
  EXPECT_TRUE(rule.stop(scattered, 0));
}

// NVIDIA's datasheet states 66.9 TFLOP/s for the H200: 132 multiprocessors of 128 lanes at 1980 MHz.
TEST(Peak, FollowsTheDatasheet) {
  EXPECT_EQ(runner::fp32_lanes_per_multiprocessor(9, 0), 128);
  EXPECT_NEAR(runner::peak_gflops(132, 128, 1980), 66.9e3, 50);
}

TEST(Peak, IsHalfOnAnA100) { EXPECT_EQ(runner::fp32_lanes_per_multiprocessor(8, 0), 64); }

}  // namespace

#include "results/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(Quartiles, InterpolateBetweenOrderStatistics) {
  const double samples[] = {7, 1, 3, 5};  // 1 3 5 7 in order
  const auto q = results::quartiles(samples);
  EXPECT_DOUBLE_EQ(q.q1, 2.5);
  EXPECT_DOUBLE_EQ(q.median, 4);
  EXPECT_DOUBLE_EQ(q.q3, 5.5);
}

TEST(Quartiles, OfOneSampleAreThatSample) {
  const double sample[] = {3};
  const auto q = results::quartiles(sample);
  EXPECT_EQ(q.q1, 3);
  EXPECT_EQ(q.median, 3);
  EXPECT_EQ(q.q3, 3);
}

TEST(Quartiles, OfNothingAreZero) { EXPECT_EQ(results::quartiles({}).median, 0); }

TEST(Quartiles, AreNotMovedByAnOutlier) {
  const double samples[] = {1, 1, 1, 1, 1, 1, 1, 1000};
  EXPECT_EQ(results::quartiles(samples).median, 1);
  EXPECT_EQ(results::quartiles(samples).q3, 1);
}

// 1.57 * IQR / sqrt(n) / median
TEST(Uncertainty, IsThatOfANotchedBoxPlot) {
  const double samples[] = {9, 10, 11, 10};  // quartiles 9.75, 10, 10.25
  EXPECT_DOUBLE_EQ(results::relative_uncertainty(samples), 1.57 * 0.5 / 2 / 10);
}

TEST(Uncertainty, ShrinksWithTheNumberOfSamples) {
  std::vector<double> samples{9, 10, 11, 10};
  const double of_four = results::relative_uncertainty(samples);
  for (int i = 0; i < 2; ++i) samples.insert(samples.end(), samples.begin(), samples.end());
  EXPECT_LT(results::relative_uncertainty(samples), of_four);
  EXPECT_GT(of_four, 0);
}

TEST(Uncertainty, IsInfiniteForOneSample) {
  const double sample[] = {3};
  EXPECT_TRUE(std::isinf(results::relative_uncertainty(sample)));
}

}  // namespace

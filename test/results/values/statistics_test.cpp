#include "results/values/statistics.hpp"

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

// The uncertainty is 1.57 * IQR / sqrt(n) / median.
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

// The expected values come from SciPy 1.10's mannwhitneyu(method="asymptotic").
TEST(RankTest, OfGroupsThatLieApart) {
  const double a[] = {1, 2, 3, 4, 5, 6, 7}, b[] = {8, 9, 10, 11, 12, 13, 14};
  const auto test = results::rank_test(a, b);
  EXPECT_NEAR(test.p_value, 0.0021650293330383757, 1e-15);
  EXPECT_EQ(test.share_of_a_above_b, 0);
  EXPECT_EQ(results::rank_test(b, a).share_of_a_above_b, 1);
}

TEST(RankTest, OfGroupsWithTies) {
  const double a[] = {1, 1, 2, 5, 7, 7, 9}, b[] = {2, 3, 3, 7, 8, 11};
  const auto test = results::rank_test(a, b);
  EXPECT_NEAR(test.p_value, 0.4707529331099186, 1e-15);
  EXPECT_DOUBLE_EQ(test.share_of_a_above_b, 15.5 / 42);
}

TEST(RankTest, OfEqualSamplesTellsNothingApart) {
  const double a[] = {3, 3, 3}, b[] = {3, 3, 3, 3};
  EXPECT_EQ(results::rank_test(a, b).p_value, 1);
  EXPECT_EQ(results::rank_test(a, b).share_of_a_above_b, 0.5);
  EXPECT_EQ(results::rank_test({}, b).p_value, 1);
}

// For a normal distribution IQR = 1.349 sigma, and the median's standard error is sqrt(pi / 2) sigma / sqrt(n).
TEST(StandardError, OfTheMedian) {
  const double samples[] = {9, 10, 11, 10};  // IQR 0.5
  EXPECT_NEAR(results::standard_error_of_median(samples), std::sqrt(M_PI / 2) * 0.5 / 1.349 / 2,
              1e-4);
  EXPECT_EQ(results::standard_error_of_median(std::span(samples).first(1)), 0);
}

TEST(StandardDeviation, IsThatOfASample) {
  const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(results::standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_EQ(results::standard_deviation(std::span(values).first(1)), 0);
  EXPECT_EQ(results::mean({}), 0);
}

}  // namespace

#include "runner/verify/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using results::Problem;
using runner::Inputs;
using runner::Operand;
using runner::Values;

Problem problem(int64_t K, uint64_t seed = 1) {
  Problem p = results::dense_problem(100, 100, K);
  p.seed = seed;
  return p;
}

TEST(Inputs, AreTheSameElementByElementAndRowByRow) {
  for (const Values values : {Values::reals, Values::integers}) {
    const Inputs inputs(problem(64), values);
    for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
      std::vector<float> row(100);
      inputs.fill_row(operand, 3, row);
      for (size_t j = 0; j < row.size(); ++j) {
        EXPECT_EQ(row[j], inputs.at(operand, 3, static_cast<int64_t>(j)));
      }
    }
  }
}

TEST(Inputs, DifferBySeedMatrixRowAndColumn) {
  const Inputs inputs(problem(64), Values::reals);
  const float value = inputs.at(Operand::A, 5, 6);
  EXPECT_NE(value, inputs.at(Operand::B, 5, 6));
  EXPECT_NE(value, inputs.at(Operand::A, 6, 5));
  EXPECT_NE(value, inputs.at(Operand::A, 5, 7));
  EXPECT_NE(value, Inputs(problem(64, 2), Values::reals).at(Operand::A, 5, 6));
}

TEST(Inputs, RealsFillTheIntervalEvenly) {
  const Inputs inputs(problem(64), Values::reals);
  std::vector<float> row(100000);
  inputs.fill_row(Operand::A, 0, row);
  double sum = 0, squares = 0;
  for (const float x : row) {
    ASSERT_GE(x, -1.0f);
    ASSERT_LT(x, 1.0f);
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.01);
}

// The largest sum that can come about, alpha = 2 and beta = -1 included, must stay below 2^24.
TEST(Inputs, IntegersCannotLeaveWhatFp32HoldsExactly) {
  for (const int64_t K : {1, 7, 1024, 4096, 65536, 1 << 22}) {
    Problem p = problem(K);
    p.alpha = 3.7f;
    p.beta = 0.1f;
    const Inputs inputs(p, Values::integers);
    EXPECT_EQ(inputs.alpha(), 2.0f);
    EXPECT_EQ(inputs.beta(), -1.0f);
    std::vector<float> a(10000), b(10000), c(10000);
    inputs.fill_row(Operand::A, 0, a);
    inputs.fill_row(Operand::B, 0, b);
    inputs.fill_row(Operand::C, 0, c);
    double largest_a = 0, largest_b = 0, largest_c = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i], std::trunc(a[i]));
      largest_a = std::max(largest_a, static_cast<double>(std::abs(a[i])));
      largest_b = std::max(largest_b, static_cast<double>(std::abs(b[i])));
      largest_c = std::max(largest_c, static_cast<double>(std::abs(c[i])));
    }
    EXPECT_GE(largest_a, 1.0);
    EXPECT_LE(2 * static_cast<double>(K) * largest_a * largest_b + largest_c, 0x1p24)
        << "K = " << K;
  }
}

TEST(Inputs, IntegerPassKeepsFactorsOfZeroAndOne) {
  Problem p = problem(8);
  p.alpha = 0.0f;
  p.beta = 1.0f;
  const Inputs inputs(p, Values::integers);
  EXPECT_EQ(inputs.alpha(), 0.0f);
  EXPECT_EQ(inputs.beta(), 1.0f);
}

TEST(Inputs, HaveTheBitsThatTheArithmeticMultipliesExactly) {
  for (const int bits : {12, 10, 3}) {
    ladder::Arithmetic arithmetic = ladder::FP32;
    arithmetic.exact_bits = bits;
    const Inputs inputs(problem(64), Values::integers, arithmetic);
    float largest = 0;
    for (int64_t i = 0; i < 64; ++i) {
      for (int64_t k = 0; k < 64; ++k)
        largest = std::max(largest, std::abs(inputs.at(Operand::A, i, k)));
    }
    const float most = static_cast<float>((1 << bits) - 1);
    EXPECT_LE(largest, most);
    EXPECT_GT(largest, 0.9f * most) << bits;
  }
}

}  // namespace

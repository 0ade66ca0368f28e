#include "runner/verify/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
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

// ---- Other data.

using results::Data;

Inputs inputs_of(Data data, int64_t K = 64, uint64_t seed = 1) {
  Problem p = problem(K, seed);
  p.data = data;
  return {p, Values::reals};
}

std::vector<float> row_of(const Inputs& inputs, Operand operand, int64_t row, size_t length) {
  std::vector<float> elements(length);
  inputs.fill_row(operand, row, elements);
  return elements;
}

TEST(Inputs, OfEveryDataArePureFunctions) {
  for (const Data data : results::EVERY_DATA) {
    const Inputs inputs = inputs_of(data);
    bool differs_by_seed = false;
    for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
      for (int64_t row = 0; row < 24; ++row) {
        const std::vector<float> filled = row_of(inputs, operand, row, 64);
        for (size_t j = 0; j < filled.size(); ++j) {
          const auto col = static_cast<int64_t>(j);
          const float again = inputs_of(data).at(operand, row, col);
          ASSERT_EQ(std::bit_cast<uint32_t>(filled[j]), std::bit_cast<uint32_t>(again))
              << name_of(data);
          differs_by_seed |= again != inputs_of(data, 64, 2).at(operand, row, col);
        }
      }
    }
    EXPECT_TRUE(differs_by_seed) << name_of(data);
  }
}

TEST(Inputs, OfNormalDataHaveMeanZeroAndDeviationOne) {
  double sum = 0, squares = 0, beyond_two = 0;
  for (const float x : row_of(inputs_of(Data::normal), Operand::A, 0, 100000)) {
    sum += static_cast<double>(x) / 1e5;
    squares += static_cast<double>(x) * static_cast<double>(x) / 1e5;
    beyond_two += std::abs(x) > 2 ? 1e-5 : 0;
  }
  EXPECT_NEAR(sum, 0, 0.02);
  EXPECT_NEAR(squares, 1, 0.02);
  EXPECT_NEAR(beyond_two, 0.0455, 0.005);
}

TEST(Inputs, OfLognormalDataSpanTwentyBinadesWithBothSigns) {
  float least = 1, largest = 1;
  double negative = 0, above_one = 0;
  for (const float x : row_of(inputs_of(Data::lognormal), Operand::B, 0, 100000)) {
    least = std::min(least, std::abs(x));
    largest = std::max(largest, std::abs(x));
    negative += x < 0 ? 1e-5 : 0;
    above_one += std::abs(x) > 1 ? 1e-5 : 0;
  }
  EXPECT_EQ(least, 0x1p-10f);
  EXPECT_EQ(largest, 0x1p10f);
  EXPECT_NEAR(negative, 0.5, 0.01);
  EXPECT_NEAR(above_one, 0.5, 0.01);
}

// The data differ from uniform data by these powers of two.
TEST(Inputs, OfScaledDataAreUniformTimesPowersOfTwo) {
  const Inputs uniform = inputs_of(Data::uniform), scaled = inputs_of(Data::scaled),
               inner = inputs_of(Data::inner_scaled);
  int least = 0, largest = 0;
  const auto factor = [&](const Inputs& of, Operand operand, int64_t row, int64_t col) {
    return of.at(operand, row, col) / uniform.at(operand, row, col);
  };
  for (int64_t i = 0; i < 300; ++i) {
    const float of_row = factor(scaled, Operand::A, i, 0),
                of_col = factor(scaled, Operand::B, 0, i);
    EXPECT_EQ(factor(scaled, Operand::A, i, 7), of_row);
    EXPECT_EQ(factor(scaled, Operand::B, 7, i), of_col);
    EXPECT_EQ(factor(scaled, Operand::C, i, i), of_row * of_col);
    const float of_k = factor(inner, Operand::A, 0, i);
    EXPECT_EQ(factor(inner, Operand::A, 9, i), of_k);
    EXPECT_EQ(factor(inner, Operand::B, i, 9) * of_k, 1);
    for (const float one : {of_row, of_col, of_k}) {
      int exponent = 0;
      EXPECT_EQ(std::frexp(one, &exponent), 0.5f);
      least = std::min(least, exponent - 1);
      largest = std::max(largest, exponent - 1);
    }
  }
  EXPECT_EQ(least, -60);
  EXPECT_EQ(largest, 60);
}

TEST(Inputs, OfCancellingDataCancel) {
  for (const int64_t K : {1, 2, 63, 64}) {
    const Inputs inputs = inputs_of(Data::cancelling, K);
    double result = 0, magnitude = 0;
    for (int64_t i = 0; i < 8; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < K; ++k) {
        const double term = static_cast<double>(inputs.at(Operand::A, i, k)) *
                            static_cast<double>(inputs.at(Operand::B, k, i));
        sum += term;
        magnitude += std::abs(term);
      }
      result += std::abs(sum);
    }
    EXPECT_GT(result, 0) << K;
    if (K > 1) {
      EXPECT_LT(result, 0x1p-11 * magnitude) << K;
    }
  }
}

TEST(Inputs, OfIntegersAndPositiveDataAreThat) {
  float largest = 0;
  for (const float x : row_of(inputs_of(Data::integers), Operand::A, 3, 100000)) {
    ASSERT_EQ(x, std::trunc(x));
    largest = std::max(largest, std::abs(x));
  }
  EXPECT_EQ(largest, 4096);
  for (const float x : row_of(inputs_of(Data::positive), Operand::B, 3, 100000)) {
    ASSERT_GT(x, 0);
    ASSERT_LE(x, 1);
  }
}

TEST(Inputs, OfSpecialDataHaveEveryKindInRowsAndColumns) {
  for (const int64_t K : {1, 64, 4096}) {
    const Inputs inputs = inputs_of(Data::special, K);
    for (const Operand operand : {Operand::A, Operand::B}) {
      int nans = 0, infinities = 0, negative = 0, subnormal = 0, huge = 0, zero_lines = 0,
          usual_lines = 0;
      for (int64_t line = 0; line < runner::SPECIAL_KINDS; ++line) {
        bool all_zero = true, all_usual = true;
        for (int64_t k = 0; k < K; ++k) {
          const float x =
              operand == Operand::A ? inputs.at(operand, line, k) : inputs.at(operand, k, line);
          nans += std::isnan(x);
          infinities += std::isinf(x);
          negative += std::isinf(x) && x < 0;
          subnormal += std::fpclassify(x) == FP_SUBNORMAL;
          huge += std::isfinite(x) && std::abs(x) > 0x1p120f;
          all_zero = all_zero && x == 0;
          all_usual = all_usual && std::abs(x) <= 1 && std::abs(x) > 0x1p-30f;
        }
        zero_lines += all_zero;
        usual_lines += all_usual;
      }
      EXPECT_EQ(nans, 1) << K;
      EXPECT_GE(infinities, 3) << K;
      EXPECT_GE(negative, 1) << K;
      EXPECT_GE(subnormal, 1) << K;
      EXPECT_GE(huge, 1) << K;
      EXPECT_EQ(zero_lines, 1) << K;
      EXPECT_GE(usual_lines, 1) << K;
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

// Products of a batch differ, except in a matrix that they share. A shared B of inner_scaled data fits each A.
TEST(Inputs, DifferByProductButForSharedMatrices) {
  for (const results::Data data : results::EVERY_DATA) {
    Problem p = problem(64);
    p.data = data;
    p.batch = 3;
    p.make_strides_dense();
    p.stride_b = 0;
    const Inputs one(p, Values::reals), other(p, Values::reals, ladder::FP32, 2);
    std::vector<float> x(64), y(64);
    for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
      one.fill_row(operand, 6, x);
      other.fill_row(operand, 6, y);
      EXPECT_EQ(x == y, operand == Operand::B) << name_of(data);
      std::ranges::fill(x, 0.0f);
      for (size_t col = 0; col < x.size(); ++col)
        x[col] = other.at(operand, 6, static_cast<int64_t>(col));
      EXPECT_EQ(x, y) << "at() and fill_row() agree";
    }
  }
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

// The largest possible sum, with alpha = 2 and beta = -1 included, must stay below 2^24.
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

// The values that an element may have if FP32 overflows on the way to it.
#include "runner/verify/yardstick.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using results::Problem;
using runner::Inputs;
using runner::Operand;
using runner::Values;
using runner::Yardstick;

constexpr float INFINITE = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t ALL = 1 << 30;

struct Case {
  Problem problem = results::dense_problem(64, 64, 32);
  Inputs inputs;
  Yardstick yardstick;

  explicit Case(float alpha, float beta)
      : problem([&] {
          Problem p = results::dense_problem(64, 64, 32);
          p.alpha = alpha;
          p.beta = beta;
          return p;
        }()),
        inputs(problem, Values::reals),
        yardstick(problem, inputs, ALL) {}

  double addend(size_t i, size_t j) const {
    return static_cast<double>(inputs.beta()) *
           static_cast<double>(
               inputs.at(Operand::C, static_cast<int64_t>(i), static_cast<int64_t>(j)));
  }
  double product(size_t i, size_t j) const { return yardstick.want(i, j) - addend(i, j); }
};

bool is_large(double value) { return std::abs(value) > 1.01 * 0x1p128; }
bool is_small(double value) { return std::abs(value) < 0.5 * 0x1p128; }

TEST(Yardstick, WantsWhatIsRightWithinItsBound) {
  const Case of(1.5f, 0.5f);
  const double want = of.yardstick.want(3, 4), bound = of.yardstick.bound(3, 4);
  EXPECT_GT(bound, 0);
  EXPECT_TRUE(of.yardstick.is_right(3, 4, static_cast<float>(want)));
  EXPECT_TRUE(of.yardstick.is_right(3, 4, static_cast<float>(want + 0.9 * bound)));
  EXPECT_FALSE(of.yardstick.is_right(3, 4, static_cast<float>(want + 1.5 * bound)));
  EXPECT_FALSE(of.yardstick.is_right(3, 4, static_cast<float>(want - 1.5 * bound)));
}

TEST(Yardstick, TakesNoInfinityWhereEverythingFits) {
  const Case of(1.5f, 0.5f);
  for (const float wrong : {INFINITE, -INFINITE, NOT_A_NUMBER})
    EXPECT_FALSE(of.yardstick.is_right(3, 4, wrong)) << wrong;
}

// alpha * sum overflows, although alpha * sum + beta * C would fit: FP32 gives the infinity of the product.
TEST(Yardstick, FollowsFp32WhereTheProductOverflows) {
  const Case of(3e38f, 3e38f);
  int products = 0, addends = 0, opposite = 0;
  for (size_t i = 0; i < 64; ++i) {
    for (size_t j = 0; j < 64; ++j) {
      const double product = of.product(i, j), want = of.yardstick.want(i, j);
      if (is_large(product)) {
        ++products;
        const float right = product > 0 ? INFINITE : -INFINITE;
        EXPECT_TRUE(of.yardstick.is_right(i, j, right));
        EXPECT_FALSE(of.yardstick.is_right(i, j, NOT_A_NUMBER)) << "only one of the two overflows";
        if (is_small(want)) {
          ++opposite;
          EXPECT_FALSE(of.yardstick.is_right(i, j, -right)) << "the other infinity";
          EXPECT_TRUE(of.yardstick.is_right(i, j, static_cast<float>(want)))
              << "a kernel that scales first";
        }
      }
      if (is_small(product) && is_small(of.addend(i, j)) && is_small(want)) {
        ++addends;
        EXPECT_FALSE(of.yardstick.is_right(i, j, INFINITE));
        EXPECT_FALSE(of.yardstick.is_right(i, j, -INFINITE));
        EXPECT_FALSE(of.yardstick.is_right(i, j, NOT_A_NUMBER));
      }
    }
  }
  EXPECT_GT(products, 100) << "the problem has such elements";
  EXPECT_GT(addends, 50);
  EXPECT_GT(opposite, 0);
}

// |beta * C| cannot overflow with |C| < 1 and a finite beta. A NaN needs both terms to overflow, so no NaN is right
// here.
TEST(Yardstick, TakesNoNaNWhereOneTermIsFinite) {
  const Case of(3e38f, 3e38f);
  for (size_t i = 0; i < 64; ++i) {
    for (size_t j = 0; j < 64; ++j) EXPECT_FALSE(of.yardstick.is_right(i, j, NOT_A_NUMBER));
  }
}

TEST(Yardstick, IsExactForIntegers) {
  Problem p = results::dense_problem(8, 8, 8);
  p.beta = 2;
  const Inputs inputs(p, Values::integers);
  const Yardstick yardstick(p, inputs, ALL);
  EXPECT_EQ(yardstick.bound(1, 2), 0);
  const auto want = static_cast<float>(yardstick.want(1, 2));
  EXPECT_TRUE(yardstick.is_right(1, 2, want));
  EXPECT_FALSE(yardstick.is_right(1, 2, want + 1));
  EXPECT_FALSE(yardstick.is_right(1, 2, INFINITE));
}

// ---- Special data.

struct Special {
  Problem problem;
  Inputs inputs;
  Yardstick lenient, strict;

  static Problem of() {
    Problem p = results::dense_problem(33, 33, 40);
    p.data = results::Data::special;
    return p;
  }
  static ladder::Arithmetic with_limits() {
    ladder::Arithmetic arithmetic = ladder::FP32;
    arithmetic.limits = {1e-7, 1e-7, 0x1p-21};
    return arithmetic;
  }
  Special()
      : problem(of()),
        inputs(problem, Values::reals),
        lenient(problem, inputs, ALL),
        strict(problem, inputs, ALL, with_limits()) {}

  // Returns the result with products and sums in double, rounded to float at the end: no FP32 sum on the way spoils it.
  float exact(size_t i, size_t j) const {
    double sum = 0;
    for (int64_t k = 0; k < problem.K; ++k) {
      sum += static_cast<double>(inputs.at(Operand::A, static_cast<int64_t>(i), k)) *
             static_cast<double>(inputs.at(Operand::B, k, static_cast<int64_t>(j)));
    }
    return static_cast<float>(sum);
  }
};

TEST(Yardstick, OfSpecialDataTakesTheClassOfTheExactValue) {
  const Special of;
  int nans = 0, infinities = 0, overflows = 0, ordinary = 0;
  for (size_t i = 0; i < 33; ++i) {
    for (size_t j = 0; j < 33; ++j) {
      const float exact = of.exact(i, j);
      for (const Yardstick* yardstick : {&of.lenient, &of.strict}) {
        EXPECT_TRUE(yardstick->is_right(i, j, exact)) << i << " " << j;
        EXPECT_FALSE(yardstick->is_right(i, j, std::bit_cast<float>(runner::POISON_BITS)));
        if (std::isnan(exact)) {
          for (const float wrong : {0.0f, INFINITE, -INFINITE})
            EXPECT_FALSE(yardstick->is_right(i, j, wrong)) << i << " " << j;
        } else if (std::isinf(of.lenient.want(i, j))) {
          for (const float wrong : {0.0f, -exact})
            EXPECT_FALSE(yardstick->is_right(i, j, wrong)) << i << " " << j;
        }
      }
      nans += std::isnan(exact);
      infinities += std::isinf(of.lenient.want(i, j));
      if (of.lenient.is_ordinary(i, j)) {
        ++ordinary;
        for (const float wrong : {NOT_A_NUMBER, INFINITE, -INFINITE})
          EXPECT_FALSE(of.lenient.is_right(i, j, wrong));
      } else if (std::isfinite(of.lenient.want(i, j)) && of.lenient.want(i, j) != 0) {
        ++overflows;  // a sum on the way may overflow, to either value unless the rung has limits
        const float other = of.lenient.want(i, j) > 0 ? -INFINITE : INFINITE;
        EXPECT_TRUE(of.lenient.is_right(i, j, other));
        EXPECT_TRUE(of.strict.is_right(i, j, -other));
        EXPECT_FALSE(of.strict.is_right(i, j, other)) << i << " " << j;
        EXPECT_FALSE(of.strict.is_right(i, j, NOT_A_NUMBER)) << i << " " << j;
      }
    }
  }
  EXPECT_GT(nans, 50);
  EXPECT_GT(infinities, 50);
  EXPECT_GT(overflows, 20);
  EXPECT_GT(ordinary, 200);
}

TEST(Yardstick, SamplesWhatIsLarge) {
  const Problem p = results::dense_problem(300, 400, 20);
  const Inputs inputs(p, Values::reals);
  const Yardstick whole(p, inputs, ALL), sampled(p, inputs, 1000);
  EXPECT_TRUE(whole.is_complete());
  EXPECT_EQ(whole.rows().size(), 300u);
  EXPECT_FALSE(sampled.is_complete());
  EXPECT_EQ(sampled.rows().size(), static_cast<size_t>(runner::SAMPLED_ROWS));
  EXPECT_EQ(sampled.cols().size(), static_cast<size_t>(runner::SAMPLED_COLS));
  EXPECT_EQ(sampled.rows().front(), 0);
  EXPECT_EQ(sampled.rows().back(), 299) << "the first and the last are always among them";
  EXPECT_EQ(sampled.cols().back(), 399);
  const auto row = static_cast<size_t>(sampled.rows()[7]),
             col = static_cast<size_t>(sampled.cols()[9]);
  EXPECT_EQ(sampled.want(7, 9), whole.want(row, col));
}

}  // namespace

#include "runner/verify/yardstick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "app/interrupt.hpp"
#include "kernels/ladder.hpp"

namespace runner {
namespace {

constexpr double LARGEST = std::numeric_limits<float>::max();

// Indices in [0, count), sorted: all of them, or the first, the last and others from the seed.
std::vector<int64_t> sample(int64_t count, int64_t most, uint64_t seed) {
  std::vector<int64_t> chosen;
  if (count <= most) {
    for (int64_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  std::set<int64_t> set{0, count - 1};
  for (uint64_t i = 0; static_cast<int64_t>(set.size()) < most; ++i) {
    set.insert(static_cast<int64_t>(random_bits(seed, i) % static_cast<uint64_t>(count)));
  }
  chosen.assign(set.begin(), set.end());
  return chosen;
}

bool same_sign(double a, double b) { return std::signbit(a) == std::signbit(b); }

}  // namespace

Yardstick::Yardstick(const results::Problem& p, const Inputs& inputs,
                     int64_t most_complete_products, const ladder::Arithmetic& arithmetic)
    : inputs_(inputs) {
  complete_ = std::max(p.flops() / 2, static_cast<double>(p.M) * static_cast<double>(p.N)) <=
              static_cast<double>(most_complete_products);
  rows_ = sample(p.M, complete_ ? p.M : SAMPLED_ROWS, p.seed);
  cols_ = sample(p.N, complete_ ? p.N : SAMPLED_COLS, p.seed + 1);

  const bool with_product = ladder::has_product(inputs.alpha(), p.K);
  const int64_t K = with_product ? p.K : 0;
  const auto M = static_cast<Eigen::Index>(rows_.size());
  const auto N = static_cast<Eigen::Index>(cols_.size());
  RowMajor A(M, K), B(K, N), C(M, N);
  for (Eigen::Index i = 0; i < M; ++i) {
    stop_if_interrupted();
    const int64_t row = rows_[static_cast<size_t>(i)];
    for (int64_t k = 0; k < K; ++k) A(i, k) = inputs.at(Operand::A, row, k);
    for (Eigen::Index j = 0; j < N; ++j) {
      C(i, j) = inputs.at(Operand::C, row, cols_[static_cast<size_t>(j)]);
    }
  }
  for (int64_t k = 0; k < K; ++k) {
    for (Eigen::Index j = 0; j < N; ++j) {
      B(k, j) = inputs.at(Operand::B, k, cols_[static_cast<size_t>(j)]);
    }
  }

  stop_if_interrupted();
  const double alpha = inputs.alpha();
  const double beta = inputs.beta();
  want_ = beta * C;
  if (K > 0) want_.noalias() += alpha * (A * B);
  if (inputs.values() == Values::integers) {
    bound_ = RowMajor::Zero(M, N);
    return;
  }
  RowMajor magnitude = std::abs(beta) * C.cwiseAbs();
  if (K > 0) magnitude.noalias() += std::abs(alpha) * (A.cwiseAbs() * B.cwiseAbs());
  const double roundings = arithmetic.bound_factor * static_cast<double>(std::max<int64_t>(1, K));
  bound_ = roundings * (arithmetic.epsilon * magnitude.array() +
                        static_cast<double>(std::numeric_limits<float>::denorm_min()));
}

bool Yardstick::is_right(size_t i, size_t j, float got) const {
  const double error = std::abs(static_cast<double>(got) - want(i, j));
  if (error <= bound(i, j)) return true;  // false for a NaN
  if (std::isfinite(got)) return false;

  const double addend = static_cast<double>(inputs_.beta()) *
                        static_cast<double>(inputs_.at(Operand::C, rows_[i], cols_[j]));
  const double product = want(i, j) - addend;
  const auto overflows = [&](double term) { return std::abs(term) + bound(i, j) > LARGEST; };
  if (std::isnan(got))
    return overflows(product) && overflows(addend) && !same_sign(product, addend);
  return std::ranges::any_of(std::array{want(i, j), product, addend},
                             [&](double term) { return overflows(term) && same_sign(term, got); });
}

}  // namespace runner

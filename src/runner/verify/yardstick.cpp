#include "runner/verify/yardstick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "app/interrupt.hpp"
#include "app/parallel.hpp"
#include "kernels/ladder.hpp"

namespace runner {
namespace {

constexpr double LARGEST = std::numeric_limits<float>::max();
constexpr double SAFE_SUM = 0x1p126;  // below this |A||B|, no sum of any of the terms overflows
constexpr int64_t PIECE = 4096;       // steps of K
constexpr int64_t GRAIN = 64;         // rows of B for which a thread is worth its start

// Returns indices in [0, count), sorted: all of them, or the first, the last and others from the seed.
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
    : inputs_(inputs), is_strict_(arithmetic.limits.has_value()) {
  complete_ = std::max(p.flops() / 2, static_cast<double>(p.batch) * static_cast<double>(p.M) *
                                          static_cast<double>(p.N)) <=
              static_cast<double>(most_complete_products);
  rows_ = sample(p.M, complete_ ? p.M : SAMPLED_ROWS, p.seed);
  cols_ = sample(p.N, complete_ ? p.N : SAMPLED_COLS, p.seed + 1);

  const auto M = static_cast<Eigen::Index>(rows_.size());
  const auto N = static_cast<Eigen::Index>(cols_.size());
  RowMajor C(M, N);
  for (Eigen::Index i = 0; i < M; ++i) {
    const int64_t row = rows_[static_cast<size_t>(i)];
    for (Eigen::Index j = 0; j < N; ++j)
      C(i, j) = inputs.at(Operand::C, row, cols_[static_cast<size_t>(j)]);
  }
  want_ = static_cast<double>(inputs.beta()) * C;
  magnitude_ = std::abs(static_cast<double>(inputs.beta())) * C.cwiseAbs();
  sum_magnitude_ = RowMajor::Zero(M, N);
  if (ladder::has_product(inputs.alpha(), p.K)) add_product(p.K);

  if (inputs.values() == Values::integers) {
    bound_ = RowMajor::Zero(M, N);
    return;
  }
  const double roundings = arithmetic.bound_factor * static_cast<double>(std::max<int64_t>(1, p.K));
  bound_ = roundings * (arithmetic.epsilon * magnitude_.array() +
                        static_cast<double>(std::numeric_limits<float>::denorm_min()));
}

// Adds alpha * A * B to want_; for reals, also sums their magnitudes. Takes a piece of K at a time, which bounds the
// memory.
void Yardstick::add_product(int64_t K) {
  const auto M = static_cast<Eigen::Index>(rows_.size());
  const auto N = static_cast<Eigen::Index>(cols_.size());
  RowMajor sum = RowMajor::Zero(M, N);
  for (int64_t first = 0; first < K; first += PIECE) {
    stop_if_interrupted();
    const int64_t piece = std::min(PIECE, K - first);
    RowMajor A(M, piece), B(piece, N);
    parallel_for(M, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t k = 0; k < piece; ++k)
          A(i, k) = inputs_.at(Operand::A, rows_[static_cast<size_t>(i)], first + k);
      }
    });
    parallel_for(piece, GRAIN, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        for (Eigen::Index j = 0; j < N; ++j)
          B(k, j) = inputs_.at(Operand::B, first + k, cols_[static_cast<size_t>(j)]);
      }
    });
    sum.noalias() += A * B;
    if (inputs_.values() == Values::integers)
      continue;  // integers have exact sums: no bound, no overflow
    const auto finite_magnitude = [](double x) { return std::isfinite(x) ? std::abs(x) : 0.0; };
    A = A.unaryExpr(finite_magnitude).eval();
    B = B.unaryExpr(finite_magnitude).eval();
    sum_magnitude_.noalias() += A * B;
  }
  const double alpha = inputs_.alpha();
  want_ += alpha * sum;
  magnitude_ += std::abs(alpha) * sum_magnitude_;
}

double Yardstick::addend(size_t i, size_t j) const {
  return static_cast<double>(inputs_.beta()) *
         static_cast<double>(inputs_.at(Operand::C, rows_[i], cols_[j]));
}

bool Yardstick::sums_may_overflow(size_t i, size_t j) const {
  return !(sum_magnitude_(index(i), index(j)) < SAFE_SUM);
}

bool Yardstick::is_ordinary(size_t i, size_t j) const {
  return std::isfinite(want(i, j)) && magnitude(i, j) < SAFE_SUM && !sums_may_overflow(i, j);
}

bool Yardstick::is_right(size_t i, size_t j, float got) const {
  if (is_poison(got)) return false;
  const bool is_finite = std::isfinite(want(i, j));
  if (is_finite && std::isfinite(got))
    return std::abs(static_cast<double>(got) - want(i, j)) <= bound(i, j);
  const bool depends_on_order = is_finite && !std::isfinite(got) && sums_may_overflow(i, j);
  return (depends_on_order && !is_strict_) || is_exact_class(i, j, got);
}

bool Yardstick::is_exact_class(size_t i, size_t j, float got) const {
  const double exact = want(i, j);
  if (std::isnan(exact)) return std::isnan(got);
  if (std::isinf(exact))
    return exact == static_cast<double>(got) || (std::isnan(got) && sums_may_overflow(i, j));
  if (std::isfinite(got)) return true;
  if (!sums_may_overflow(i, j)) return overflows_after_the_sum(i, j, got);
  const double addend = this->addend(i, j), sum = exact - addend;
  const auto gives = [&](double term) { return term != 0 && same_sign(term, got); };
  return std::isinf(got) && (gives(sum) || (std::abs(addend) > LARGEST && gives(addend)));
}

// True if this infinity or NaN follows from a product or addend beyond FP32's range.
bool Yardstick::overflows_after_the_sum(size_t i, size_t j, float got) const {
  const double addend = this->addend(i, j), product = want(i, j) - addend;
  const auto overflows = [&](double term) { return std::abs(term) + bound(i, j) > LARGEST; };
  if (std::isnan(got))
    return overflows(product) && overflows(addend) && !same_sign(product, addend);
  return std::ranges::any_of(std::array{want(i, j), product, addend},
                             [&](double term) { return overflows(term) && same_sign(term, got); });
}

}  // namespace runner

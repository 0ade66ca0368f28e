#include "runner/verify/projection.hpp"

#include <atomic>
#include <cmath>

#include "app/interrupt.hpp"
#include "app/parallel.hpp"
#include "kernels/ladder.hpp"

namespace runner {
namespace {

using results::Mismatch;

constexpr int64_t GRAIN = 64;  // rows for which a thread is worth its start

bool is_integer(float value) { return std::abs(value) <= 0x1p24f && value == std::trunc(value); }

// Returns the value for arithmetic modulo 2^64, which is exact for any size of the problem.
uint64_t as_integer(float value) { return static_cast<uint64_t>(static_cast<int64_t>(value)); }

uint64_t dot(const std::vector<float>& values, const std::vector<uint64_t>& weights) {
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += as_integer(values[i]) * weights[i];
  return sum;
}

}  // namespace

Projection::Projection(const results::Problem& p, const Inputs& inputs)
    : K_(ladder::has_product(inputs.alpha(), p.K) ? p.K : 0), inputs_(inputs) {
  x_.resize(static_cast<size_t>(p.N));
  for (size_t j = 0; j < x_.size(); ++j) x_[j] = random_bits(p.seed + 2, j) | 1;

  std::vector<uint64_t> Bx(static_cast<size_t>(K_));
  parallel_for(K_, GRAIN, [&](int64_t first, int64_t last) {
    std::vector<float> b(x_.size());
    for (int64_t k = first; k < last && !interrupted(); ++k) {
      inputs.fill_row(Operand::B, k, b);
      Bx[static_cast<size_t>(k)] = dot(b, x_);
    }
  });
  stop_if_interrupted();
  want_.resize(static_cast<size_t>(p.M));
  parallel_for(p.M, GRAIN, [&](int64_t first, int64_t last) {
    std::vector<float> a(Bx.size());
    std::vector<float> c(inputs.beta() == 0.0f ? 0 : x_.size());
    for (int64_t i = first; i < last && !interrupted(); ++i) {
      inputs.fill_row(Operand::A, i, a);
      inputs.fill_row(Operand::C, i, c);
      want_[static_cast<size_t>(i)] =
          as_integer(inputs.alpha()) * dot(a, Bx) + as_integer(inputs.beta()) * dot(c, x_);
    }
  });
  stop_if_interrupted();
}

std::optional<Mismatch> Projection::first_mismatch(int64_t first, int64_t rows,
                                                   const float* elements, int64_t ldc) const {
  std::atomic<int64_t> wrong = rows;
  parallel_for(rows, GRAIN, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && i < wrong; ++i) {
      if (is_right(first + i, elements + i * ldc)) continue;
      int64_t lowest = wrong;
      while (i < lowest && !wrong.compare_exchange_weak(lowest, i)) {
      }
    }
  });
  if (wrong == rows) return std::nullopt;
  return find(first + wrong, elements + wrong * ldc);
}

bool Projection::is_right(int64_t i, const float* row) const {
  uint64_t sum = 0;
  bool integers = true;
  for (size_t j = 0; j < x_.size(); ++j) {
    integers = integers && is_integer(row[j]);
    sum += (integers ? as_integer(row[j]) : 0) * x_[j];
  }
  return integers && sum == want_[static_cast<size_t>(i)];
}

std::optional<Mismatch> Projection::find(int64_t i, const float* row) const {
  std::vector<double> want(x_.size(), 0.0);
  std::vector<float> values(x_.size());
  for (int64_t k = 0; k < K_; ++k) {
    const double a = inputs_.at(Operand::A, i, k);
    inputs_.fill_row(Operand::B, k, values);
    for (size_t j = 0; j < want.size(); ++j) want[j] += a * static_cast<double>(values[j]);
  }
  inputs_.fill_row(Operand::C, i, values);
  for (size_t j = 0; j < want.size(); ++j) {
    want[j] = static_cast<double>(inputs_.alpha()) * want[j] +
              static_cast<double>(inputs_.beta()) * static_cast<double>(values[j]);
    if (!(static_cast<double>(row[j]) == want[j])) {
      return Mismatch{i, static_cast<int64_t>(j), row[j], want[j], 0.0};
    }
  }
  return std::nullopt;
}

}  // namespace runner

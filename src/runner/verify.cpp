#include "runner/verify.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "runner/error.hpp"
#include "runner/interrupt.hpp"
#include "runner/parallel.hpp"

namespace runner {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int64_t FLOATS_PER_PIECE = int64_t{1} << 24;  // 64 MiB of host memory at a time
constexpr int64_t ALIGNMENT = 64;                       // floats in 256 bytes

bool is_poison(float value) { return std::bit_cast<uint32_t>(value) == POISON_BITS; }

// Preparing a large problem takes seconds; the user need not wait for its end.
void stop_if_interrupted() {
  if (interrupted()) throw Error(ExitCode::interrupted, "interrupted");
}

int64_t round_up(int64_t value, int64_t multiple) {
  return ladder::ceil_div(value, multiple) * multiple;
}

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

// What the compared elements must be, and how far off they may be.
struct Yardstick {
  std::vector<int64_t> rows, cols;  // sorted
  RowMajor want, bound;

  Yardstick(const Problem& p, const Inputs& inputs, int64_t most_complete_products) {
    const bool complete =
        std::max(p.flops() / 2, static_cast<double>(p.M) * static_cast<double>(p.N)) <=
        static_cast<double>(most_complete_products);
    rows = sample(p.M, complete ? p.M : SAMPLED_ROWS, p.seed);
    cols = sample(p.N, complete ? p.N : SAMPLED_COLS, p.seed + 1);

    const bool with_product = ladder::has_product(inputs.alpha(), p.K);
    const int64_t K = with_product ? p.K : 0;
    const auto M = static_cast<Eigen::Index>(rows.size());
    const auto N = static_cast<Eigen::Index>(cols.size());
    RowMajor A(M, K), B(K, N), C(M, N);
    for (Eigen::Index i = 0; i < M; ++i) {
      stop_if_interrupted();
      const int64_t row = rows[static_cast<size_t>(i)];
      for (int64_t k = 0; k < K; ++k) A(i, k) = inputs.at(Operand::A, row, k);
      for (Eigen::Index j = 0; j < N; ++j) {
        C(i, j) = inputs.at(Operand::C, row, cols[static_cast<size_t>(j)]);
      }
    }
    for (int64_t k = 0; k < K; ++k) {
      for (Eigen::Index j = 0; j < N; ++j) {
        B(k, j) = inputs.at(Operand::B, k, cols[static_cast<size_t>(j)]);
      }
    }

    stop_if_interrupted();
    const double alpha = inputs.alpha();
    const double beta = inputs.beta();
    want = beta * C;
    if (K > 0) want.noalias() += alpha * (A * B);
    if (inputs.values() == Values::integers) {
      bound = RowMajor::Zero(M, N);
      return;
    }
    RowMajor magnitude = std::abs(beta) * C.cwiseAbs();
    if (K > 0) magnitude.noalias() += std::abs(alpha) * (A.cwiseAbs() * B.cwiseAbs());
    const double roundings = BOUND_FACTOR * static_cast<double>(std::max<int64_t>(1, K));
    bound = roundings *
            (static_cast<double>(std::numeric_limits<float>::epsilon()) * magnitude.array() +
             static_cast<double>(std::numeric_limits<float>::denorm_min()));
  }
};

// The larger of the two; a NaN, once met, stays.
double worse(double so_far, double next) {
  return std::isnan(so_far) || next <= so_far ? so_far : next;
}

// Beyond FLT_MAX the right answer is an infinity, and near it either is.
bool is_right_overflow(float got, double want, double bound) {
  return std::isinf(got) && std::signbit(got) == std::signbit(want) &&
         std::abs(want) + bound > static_cast<double>(std::numeric_limits<float>::max());
}

// The integer pass over every row without an FP64 product: C x against alpha * A (B x) + beta * C0 x.
class Projection {
 public:
  Projection(const Problem& p, const Inputs& inputs)
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

  // The first wrong element of some rows of C, starting with row `first`.
  std::optional<Mismatch> first_mismatch(int64_t first, int64_t rows, const float* elements,
                                         int64_t ldc) const {
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

 private:
  static constexpr int64_t GRAIN = 64;  // rows that are worth a thread

  bool is_right(int64_t i, const float* row) const {
    uint64_t sum = 0;
    bool integers = true;
    for (size_t j = 0; j < x_.size(); ++j) {
      integers = integers && is_integer(row[j]);
      sum += (integers ? as_integer(row[j]) : 0) * x_[j];
    }
    return integers && sum == want_[static_cast<size_t>(i)];
  }

  std::optional<Mismatch> find(int64_t i, const float* row) const {
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

  static bool is_integer(float value) {
    return std::abs(value) <= 0x1p24f && value == std::trunc(value);
  }
  // Arithmetic modulo 2^64 is exact whatever the size of the problem.
  static uint64_t as_integer(float value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  static uint64_t dot(const std::vector<float>& values, const std::vector<uint64_t>& weights) {
    uint64_t sum = 0;
    for (size_t i = 0; i < values.size(); ++i) sum += as_integer(values[i]) * weights[i];
    return sum;
  }

  int64_t K_;
  Inputs inputs_;
  std::vector<uint64_t> x_;
  std::vector<uint64_t> want_;
};

std::string describe(const Mismatch& m, Values values) {
  const char* pass = values == Values::reals ? "reals" : "integers";
  if (is_poison(m.got)) {
    return fmt::format("C[{}][{}] was never written ({})", m.row, m.col, pass);
  }
  return fmt::format("C[{}][{}] is {:.9g}, should be {:.9g} within {:.2g} ({})", m.row, m.col,
                     m.got, m.want, m.bound, pass);
}

}  // namespace

GuardedMatrix::GuardedMatrix(int64_t rows, int64_t cols, int64_t ld, Layout layout)
    : rows_(cols == 0 ? 0 : rows),
      cols_(cols),
      ld_(ld),
      before_(round_up(layout.guard, ALIGNMENT) + layout.offset),
      after_(layout.guard) {
  const int64_t elements = floats_in_rows(rows_);
  if (elements > 0) buffer_ = DeviceBuffer<float>(before_ + elements + after_);
}

int64_t GuardedMatrix::rows_per_piece() const {
  return std::clamp<int64_t>(FLOATS_PER_PIECE / std::max<int64_t>(1, ld_), 1,
                             std::max<int64_t>(1, rows_));
}

void GuardedMatrix::poison() {
  if (buffer_.size() == 0) return;
  check(cudaMemset(buffer_.data(), POISON_BITS & 0xFF,
                   static_cast<size_t>(buffer_.size()) * sizeof(float)));
}

void GuardedMatrix::fill(const Inputs& inputs, Operand operand) {
  poison();
  const int64_t most = rows_per_piece();
  std::vector<float> piece(static_cast<size_t>(floats_in_rows(most)),
                           std::bit_cast<float>(POISON_BITS));
  for (int64_t first = 0; first < rows_; first += most) {
    stop_if_interrupted();
    const int64_t rows = std::min(most, rows_ - first);
    parallel_for(rows, std::max<int64_t>(1, (1 << 16) / cols_), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        inputs.fill_row(operand, first + i, {piece.data() + i * ld_, static_cast<size_t>(cols_)});
      }
    });
    check(cudaMemcpy(data() + first * ld_, piece.data(),
                     static_cast<size_t>(floats_in_rows(rows)) * sizeof(float),
                     cudaMemcpyHostToDevice));
  }
}

void GuardedMatrix::read(
    const std::function<void(int64_t first, int64_t rows, const float* elements)>& visit) const {
  const int64_t most = rows_per_piece();
  std::vector<float> piece(static_cast<size_t>(floats_in_rows(most)));
  for (int64_t first = 0; first < rows_; first += most) {
    const int64_t rows = std::min(most, rows_ - first);
    check(cudaMemcpy(piece.data(), data() + first * ld_,
                     static_cast<size_t>(floats_in_rows(rows)) * sizeof(float),
                     cudaMemcpyDeviceToHost));
    visit(first, rows, piece.data());
  }
}

std::optional<std::string> GuardedMatrix::damage_around() const {
  if (buffer_.size() == 0) return std::nullopt;
  if (auto found = damage_in(0, before_)) return found;
  return damage_in(before_ + floats_in_rows(rows_), buffer_.size());
}

std::optional<std::string> GuardedMatrix::damage_between_rows() const {
  if (buffer_.size() == 0 || ld_ == cols_) return std::nullopt;
  return damage_in(before_, before_ + floats_in_rows(rows_));
}

// Looks through the floats [first, last) of the allocation.
std::optional<std::string> GuardedMatrix::damage_in(int64_t first, int64_t last) const {
  const int64_t end_of_elements = before_ + floats_in_rows(rows_);
  std::vector<float> piece(
      static_cast<size_t>(std::clamp<int64_t>(last - first, 0, FLOATS_PER_PIECE)));
  for (int64_t start = first; start < last; start += FLOATS_PER_PIECE) {
    const int64_t floats = std::min(FLOATS_PER_PIECE, last - start);
    check(cudaMemcpy(piece.data(), buffer_.data() + start,
                     static_cast<size_t>(floats) * sizeof(float), cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < floats; ++i) {
      const int64_t at = start + i;
      if (is_poison(piece[static_cast<size_t>(i)])) continue;
      if (at < before_) return fmt::format("{} floats before its first element", before_ - at);
      if (at >= end_of_elements)
        return fmt::format("{} floats past its last element", at - end_of_elements + 1);
      const int64_t row = (at - before_) / ld_;
      const int64_t col = (at - before_) % ld_;
      if (col >= cols_) return fmt::format("in the padding behind row {}, at column {}", row, col);
    }
  }
  return std::nullopt;
}

struct Verifier::Pass {
  Inputs inputs;
  GuardedMatrix a, b;
  Yardstick yardstick;
  std::optional<Projection> projection;  // where the yardstick does not cover every element

  Pass(const Problem& p, Layout layout, Values values, int64_t most_complete_products)
      : inputs(p, values),
        a(p.M, p.K, p.lda, layout),
        b(p.K, p.N, p.ldb, layout),
        yardstick(p, inputs, most_complete_products) {
    a.fill(inputs, Operand::A);
    b.fill(inputs, Operand::B);
    const bool complete = static_cast<int64_t>(yardstick.rows.size()) == p.M &&
                          static_cast<int64_t>(yardstick.cols.size()) == p.N;
    if (values == Values::integers && !complete) projection.emplace(p, inputs);
  }

  // Compares what of the yardstick lies in these rows of C.
  void compare(int64_t first, int64_t rows, const float* elements, int64_t ldc,
               Verdict& verdict) const {
    const auto begin = std::ranges::lower_bound(yardstick.rows, first);
    const auto end = std::ranges::lower_bound(yardstick.rows, first + rows);
    for (auto row = begin; row != end; ++row) {
      const auto i = row - yardstick.rows.begin();
      for (size_t j = 0; j < yardstick.cols.size(); ++j) {
        const int64_t col = yardstick.cols[j];
        const float got = elements[(*row - first) * ldc + col];
        const double want = yardstick.want(i, static_cast<Eigen::Index>(j));
        const double bound = yardstick.bound(i, static_cast<Eigen::Index>(j));
        if (is_right_overflow(got, want, bound)) continue;

        const double error = std::abs(static_cast<double>(got) - want);
        const bool right = error <= bound;  // false for a NaN
        if (inputs.values() == Values::reals) {
          verdict.max_abs_error = worse(verdict.max_abs_error, error);
          verdict.error_over_bound =
              worse(verdict.error_over_bound, error == 0 ? 0 : error / bound);
        }
        if (!right && !verdict.first_mismatch) {
          verdict.first_mismatch = Mismatch{*row, col, got, want, bound};
        }
      }
    }
    if (inputs.values() == Values::reals) {
      verdict.compared += (end - begin) * static_cast<int64_t>(yardstick.cols.size());
    }
  }
};

Verifier::Verifier(const Problem& problem, Layout layout, int64_t most_complete_products)
    : problem_(problem), c_(problem.M, problem.N, problem.ldc, layout) {
  passes_.reserve(2);
  passes_.emplace_back(problem_, layout, Values::reals, most_complete_products);
  passes_.emplace_back(problem_, layout, Values::integers, most_complete_products);
}

Verifier::~Verifier() = default;

ladder::Sgemm Verifier::prepare(Values values) {
  const Pass& pass = passes_[values == Values::reals ? 0 : 1];
  if (pass.inputs.beta() == 0.0f) {
    c_.poison();
  } else {
    c_.fill(pass.inputs, Operand::C);
  }
  return {.M = problem_.M,
          .N = problem_.N,
          .K = problem_.K,
          .alpha = pass.inputs.alpha(),
          .A = pass.a.data(),
          .lda = problem_.lda,
          .B = pass.b.data(),
          .ldb = problem_.ldb,
          .beta = pass.inputs.beta(),
          .C = c_.data(),
          .ldc = problem_.ldc};
}

Verdict Verifier::check(const Trial& trial) {
  Verdict verdict;
  for (const Pass& pass : passes_) {
    const Values values = pass.inputs.values();
    verdict.error = trial(prepare(values), values);
    if (verdict.error != cudaSuccess) {
      verdict.complaint = fmt::format("{} ({})", cudaGetErrorString(verdict.error),
                                      cudaGetErrorName(verdict.error));
      return verdict;
    }

    c_.read([&](int64_t first, int64_t rows, const float* elements) {
      pass.compare(first, rows, elements, problem_.ldc, verdict);
      if (!pass.projection || verdict.first_mismatch) return;
      verdict.first_mismatch = pass.projection->first_mismatch(first, rows, elements, problem_.ldc);
    });
    if (verdict.first_mismatch) {
      verdict.complaint = describe(*verdict.first_mismatch, values);
      return verdict;
    }
    using Named = std::pair<const GuardedMatrix*, char>;
    for (const auto& [matrix, name] : {Named{&c_, 'C'}, Named{&pass.a, 'A'}, Named{&pass.b, 'B'}}) {
      auto damage = matrix == &c_ ? matrix->damage_between_rows() : std::nullopt;
      if (!damage) damage = matrix->damage_around();
      if (damage) {
        verdict.complaint = fmt::format("wrote beside {}: {}", name, *damage);
        return verdict;
      }
    }
  }
  verdict.correct = true;
  return verdict;
}

}  // namespace runner

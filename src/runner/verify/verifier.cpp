#include "runner/verify/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "app/interrupt.hpp"
#include "runner/verify/projection.hpp"
#include "runner/verify/wrong_elements.hpp"

namespace runner {
namespace {

using results::Mismatch;

// Returns the larger of the two; a NaN, once met, stays.
double worse(double so_far, double next) {
  return std::isnan(so_far) || next <= so_far ? so_far : next;
}

// Errors are relative to FP32's normal numbers: below the least of them, steps are as wide as there.
constexpr double LEAST_NORMAL = std::numeric_limits<float>::min();

}  // namespace

// Adds up the errors of elements.
class Verifier::ErrorSum {
 public:
  // `unit`: of this element in the Frobenius norm.
  void add(double error, double want, double magnitude, double unit) {
    squared_error_ += error / unit * (error / unit);
    squared_value_ += want / unit * (want / unit);
    largest_ = worse(largest_, error / std::max(magnitude, LEAST_NORMAL));
    is_empty_ = false;
  }
  void add_wrong_infinity() { ++wrong_infinities_; }

  // Returns the errors. Leaves out infinite errors and NaN: their elements are wrong.
  results::Errors errors() const {
    results::Errors errors{.wrong_infinities = wrong_infinities_};
    const double frobenius = std::sqrt(squared_error_ / squared_value_);
    if (std::isfinite(frobenius)) errors.frobenius = frobenius;
    if (!is_empty_ && std::isfinite(largest_)) errors.largest = largest_;
    return errors;
  }

 private:
  double squared_error_ = 0, squared_value_ = 0, largest_ = 0;
  int64_t wrong_infinities_ = 0;
  bool is_empty_ = true;
};

std::string describe(const Mismatch& m, bool names_pass) {
  std::string text = m.product ? fmt::format("C[{}][{}] of product {} ", m.row, m.col, *m.product)
                               : fmt::format("C[{}][{}] ", m.row, m.col);
  text += is_poison(m.got)
              ? "was never written"
              : fmt::format("is {:.9g}, should be {:.9g} within {:.2g}", m.got, m.want, m.bound);
  if (names_pass) text += m.of_integers ? " (integers)" : " (reals)";
  return m.pattern.empty() ? text : text + "; " + m.pattern;
}

// One product's numbers and its right results.
struct Verifier::Product {
  Inputs inputs;
  Yardstick yardstick;
  std::optional<Projection> projection;  // only if the yardstick does not cover every element

  Product(const results::Problem& p, Values values, const ladder::Arithmetic& arithmetic,
          int64_t most_complete_products, int64_t number)
      : inputs(p, values, arithmetic, number),
        yardstick(p, inputs, most_complete_products, arithmetic) {
    if (values == Values::integers && !yardstick.is_complete()) projection.emplace(p, inputs);
  }

  // Calls visit(i, j, got) for the yardstick's elements in these rows of C.
  template <typename Visit>
  void for_each(int64_t first, int64_t rows, const float* elements, int64_t ldc,
                Visit&& visit) const {
    const auto begin = std::ranges::lower_bound(yardstick.rows(), first);
    const auto end = std::ranges::lower_bound(yardstick.rows(), first + rows);
    for (auto row = begin; row != end; ++row) {
      const auto i = static_cast<size_t>(row - yardstick.rows().begin());
      for (size_t j = 0; j < yardstick.cols().size(); ++j)
        visit(i, j, elements[(*row - first) * ldc + yardstick.cols()[j]]);
    }
  }

  // Adds the error of one of the yardstick's elements.
  void add_error(size_t i, size_t j, float got, ErrorSum& sum) const {
    if (!yardstick.is_exact_class(i, j, got)) sum.add_wrong_infinity();
    if (!yardstick.is_ordinary(i, j)) return;
    const double want = yardstick.want(i, j);
    sum.add(std::abs(static_cast<double>(got) - want), want, yardstick.magnitude(i, j),
            inputs.unit(yardstick.rows()[i], yardstick.cols()[j]));
  }

  // Compares one of the yardstick's elements.
  void compare(size_t i, size_t j, float got, Verdict& verdict, WrongElements& wrong,
               ErrorSum& sum) const {
    const double want = yardstick.want(i, j), bound = yardstick.bound(i, j);
    const bool right = yardstick.is_right(i, j, got);
    if (inputs.values() == Values::reals) {
      ++verdict.compared;
      add_error(i, j, got, sum);
    }
    if (right && !std::isfinite(got)) return;  // an overflow has no error to measure

    if (inputs.values() == Values::reals) {
      const double error = std::abs(static_cast<double>(got) - want);
      verdict.max_abs_error = worse(verdict.max_abs_error, error);
      verdict.error_over_bound = worse(verdict.error_over_bound, error == 0 ? 0 : error / bound);
    }
    if (right) return;
    wrong.add(static_cast<int64_t>(i), static_cast<int64_t>(j));
    if (!verdict.first_mismatch) {
      verdict.first_mismatch = Mismatch{yardstick.rows()[i], yardstick.cols()[j], got, want, bound};
    }
  }
};

struct Verifier::Pass {
  Values values;
  const results::Problem& problem;
  ladder::Arithmetic arithmetic;
  int64_t most_complete_products;
  std::optional<Product> only;  // of a single product, to be judged for many kernels
  GuardedMatrix a, b;

  Pass(const results::Problem& p, Layout layout, Values of, const ladder::Arithmetic& of_rung,
       int64_t most_complete)
      : values(of),
        problem(p),
        arithmetic(of_rung),
        most_complete_products(most_complete),
        a(p.rows_of_a(), p.cols_of_a(), p.lda, layout, p.offset_a, copies(p.batch, p.stride_a)),
        b(p.rows_of_b(), p.cols_of_b(), p.ldb, layout, p.offset_b, copies(p.batch, p.stride_b)) {
    if (!p.is_batch()) only.emplace(p, values, arithmetic, most_complete_products, 0);
    a.poison();
    b.poison();
    if (p.is_empty()) return;
    for (int64_t i = 0; i < a.count(); ++i) a.fill(i, inputs(i), Operand::A, p.transposes_a);
    for (int64_t i = 0; i < b.count(); ++i) b.fill(i, inputs(i), Operand::B, p.transposes_b);
  }

  Inputs inputs(int64_t i) const { return {problem, values, arithmetic, i}; }

  // Calls visit(product) with the i-th product. The right results of a batch's products are computed anew each time: together they
  // could be larger than the host's memory.
  template <typename Visit>
  void with_product(int64_t i, const Visit& visit) const {
    stop_if_interrupted();
    if (only) return visit(*only);
    visit(Product(problem, values, arithmetic, most_complete_products, i));
  }

  // Returns the copies of a matrix: one if all products share it.
  static Copies copies(int64_t batch, int64_t stride) {
    return {.count = stride == 0 ? 1 : batch, .stride = stride};
  }
};

Verifier::Verifier(const results::Problem& problem, Layout layout,
                   const ladder::Arithmetic& arithmetic, int64_t most_complete_products,
                   const std::vector<Values>& passes)
    : problem_(problem),
      c_(problem.M, problem.N, problem.ldc, layout, problem.offset_c,
         {.count = problem.batch, .stride = problem.stride_c}) {
  passes_.reserve(passes.size());
  for (const Values values : passes)
    passes_.emplace_back(problem_, layout, values, arithmetic, most_complete_products);
}

Verifier::~Verifier() = default;

const Verifier::Pass& Verifier::pass_of(Values values) const {
  const auto found = std::ranges::find(passes_, values, &Pass::values);
  if (found == passes_.end()) throw std::logic_error("the verifier has no such pass");
  return *found;
}

ladder::Call Verifier::prepare_call(Values values) {
  const auto operation = [](bool transposes) {
    return transposes ? ladder::Op::transpose : ladder::Op::none;
  };
  const Pass& pass = pass_of(values);
  const Inputs inputs = pass.inputs(0);
  c_.poison();
  if (inputs.beta() != 0.0f) {
    for (int64_t i = 0; i < products(); ++i) c_.fill(i, pass.inputs(i), Operand::C);
  }
  ladder::Call call({.M = problem_.M,
                     .N = problem_.N,
                     .K = problem_.K,
                     .alpha = inputs.alpha(),
                     .A = pass.a.data(),
                     .lda = problem_.lda,
                     .B = pass.b.data(),
                     .ldb = problem_.ldb,
                     .beta = inputs.beta(),
                     .C = c_.data(),
                     .ldc = problem_.ldc,
                     .op_a = operation(problem_.transposes_a),
                     .op_b = operation(problem_.transposes_b)});
  call.batch = problem_.batch;
  call.stride_a = problem_.stride_a;
  call.stride_b = problem_.stride_b;
  call.stride_c = problem_.stride_c;
  return call;
}

Verdict Verifier::check(const CallTrial& trial) {
  Verdict verdict;
  for (const Pass& pass : passes_) {
    const Values values = pass.values;
    verdict.error = trial(prepare_call(values), values);
    if (verdict.error != cudaSuccess) {
      verdict.complaint = runner::describe(verdict.error);
      return verdict;
    }

    ErrorSum sum;
    for (int64_t i = 0; i < products() && !verdict.first_mismatch; ++i)
      pass.with_product(i,
                        [&](const Product& product) { compare_product(product, i, verdict, sum); });
    if (values == Values::reals) verdict.errors = sum.errors();
    if (verdict.first_mismatch) {
      verdict.complaint = describe(*verdict.first_mismatch, true);
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

// Compares the C of the i-th product.
void Verifier::compare_product(const Product& product, int64_t i, Verdict& verdict,
                               ErrorSum& sum) const {
  WrongElements wrong(static_cast<int64_t>(product.yardstick.rows().size()),
                      static_cast<int64_t>(product.yardstick.cols().size()));
  c_.read(i, [&](int64_t first, int64_t rows, const float* elements) {
    product.for_each(first, rows, elements, problem_.ldc, [&](size_t row, size_t col, float got) {
      product.compare(row, col, got, verdict, wrong, sum);
    });
    if (!product.projection || verdict.first_mismatch) return;
    verdict.first_mismatch =
        product.projection->first_mismatch(first, rows, elements, problem_.ldc);
  });
  if (!verdict.first_mismatch) return;
  if (problem_.batch > 1) verdict.first_mismatch->product = i;
  verdict.first_mismatch->of_integers = product.inputs.values() == Values::integers;
  if (wrong.count() > 0 && product.yardstick.is_complete())
    verdict.first_mismatch->pattern = wrong.describe();
}

std::optional<results::Errors> Verifier::errors_of(const CallTrial& trial) {
  if (trial(prepare_call(Values::reals), Values::reals) != cudaSuccess) return std::nullopt;
  const Pass& pass = pass_of(Values::reals);
  ErrorSum sum;
  for (int64_t i = 0; i < products(); ++i) {
    pass.with_product(i, [&](const Product& product) {
      c_.read(i, [&](int64_t first, int64_t rows, const float* elements) {
        product.for_each(
            first, rows, elements, problem_.ldc,
            [&](size_t row, size_t col, float got) { product.add_error(row, col, got, sum); });
      });
    });
  }
  return sum.errors();
}

}  // namespace runner

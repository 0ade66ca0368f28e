// Verifies results. Lays out the matrices so that a kernel cannot be right by accident, and judges C afterwards.
//
// Two passes, each over a fresh C:
//
//   reals     random reals. The yardstick is an FP64 product, and each element must satisfy
//                 |got - want| <= c * max(K, 1) * eps * (|alpha| |A||B| + |beta| |C|)
//             with c and eps of the rung's arithmetic; of FP32 they are 2 and 2^-23.
//             An element is K products, their sum in some order, a scaling and the addition of beta * C:
//             at most K + 2 roundings lie between an input and the result, each of relative size eps / 2.
//             The classical bound (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) is then
//             (K + 2) / 2 * eps to first order, at most 1.5 * max(K, 1) * eps; c = 2 leaves room for the
//             higher orders up to K of some millions. It holds for every order of summation. Results in the
//             subnormal range may be off by one of its steps for each rounding, which is added.
//   integers  small integers (inputs.hpp), which FP32 must get exactly right: the bound is 0.
//
// Up to MOST_COMPLETE_PRODUCTS multiplications every element is compared. Beyond that, the real pass compares
// SAMPLED_ROWS x SAMPLED_COLS elements: the first and last row and column, and others drawn from the seed. The integer
// pass still judges every element, by Freivalds' check (projection.hpp). A single wrong element in a row always shows.
// The chance that several cancel can be neglected.
//
// NaN lies in the padding of A and B (a leading dimension beyond the row), around all three matrices, and in C if beta
// is 0. The memory around C must be unchanged afterwards.
//
// Each product of a batch has its own numbers and is judged like a single one. What is counted is the multiplications of the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "results/values/run.hpp"
#include "runner/verify/guarded_matrix.hpp"
#include "runner/verify/inputs.hpp"
#include "runner/verify/yardstick.hpp"

namespace runner {

inline constexpr int64_t MOST_COMPLETE_PRODUCTS = int64_t{1} << 27;

/// The verifier's findings about one rung on one problem.
struct Verdict {
  bool correct = false;
  cudaError_t error = cudaSuccess;                  // of the launch or its execution
  std::string complaint;                            // the error and its extent; empty if correct
  std::optional<results::Mismatch> first_mismatch;  // in the order of rows, if an element is wrong
  double max_abs_error = 0;                         // over the compared elements of the real pass
  double error_over_bound = 0;                      // over the same elements; at most 1 if correct
  int64_t compared = 0;                             // elements that the real pass compared
  results::Errors errors;  // over the same elements, without the reference's
};

/// Returns "C[0][31] was never written (reals); 512 of 16384 elements are wrong: ...", with or without the pass's name.
std::string describe(const results::Mismatch& mismatch, bool names_pass);

/// Calls the kernel under test on a prepared problem of one product and waits for it.
using Trial = std::function<cudaError_t(const ladder::Sgemm& sgemm, Values values)>;
/// Does the same with a problem of one or more products.
using CallTrial = std::function<cudaError_t(const ladder::Call& call, Values values)>;

class Verifier {
 public:
  /// Lays out and fills the matrices of the passes, for rungs of this arithmetic. Throws Error if memory does not suffice.
  Verifier(const results::Problem& problem, Layout layout,
           const ladder::Arithmetic& arithmetic = ladder::FP32,
           int64_t most_complete_products = MOST_COMPLETE_PRODUCTS,
           const std::vector<Values>& passes = {Values::reals, Values::integers});
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  /// Runs `trial` once for each pass and judges C. Stops at the first trial that returns an error. A Trial gets the first product of
  /// a batch, so it is for problems of one product.
  Verdict check(const CallTrial& trial);
  Verdict check(const Trial& trial) { return check(of_call(trial)); }
  /// Returns the errors of the real pass alone. Nothing if the trial returns an error.
  std::optional<results::Errors> errors_of(const CallTrial& trial);
  std::optional<results::Errors> errors_of(const Trial& trial) { return errors_of(of_call(trial)); }

  /// Returns the matrices of one pass with a fresh C, for running a kernel: the whole call, or its first product.
  ladder::Call prepare_call(Values values);
  ladder::Sgemm prepare(Values values) { return prepare_call(values).product; }

 private:
  struct Product;
  struct Pass;
  class ErrorSum;
  static CallTrial of_call(const Trial& trial) {
    return [trial](const ladder::Call& call, Values values) { return trial(call.product, values); };
  }
  const Pass& pass_of(Values values) const;
  void compare_product(const Product& product, int64_t i, Verdict& verdict, ErrorSum& sum) const;
  int64_t products() const { return problem_.is_empty() ? 0 : problem_.batch; }
  results::Problem problem_;
  GuardedMatrix c_;
  std::vector<Pass> passes_;
};

}  // namespace runner

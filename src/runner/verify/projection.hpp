// The integer pass over every row without an FP64 product.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/values/run.hpp"
#include "runner/verify/inputs.hpp"

namespace runner {

/// Freivalds' check: for a random vector x of odd 64-bit integers, C x must equal alpha * A (B x) + beta * C0 x in each
/// row, modulo 2^64. A single wrong element in a row always shows. The chance that several cancel can be neglected.
class Projection {
 public:
  /// Computes the right side of the check. `inputs` are integers. Throws Error(ExitCode::interrupted) if the user
  /// interrupts.
  Projection(const results::Problem& problem, const Inputs& inputs);

  /// Returns the first wrong element of some rows of C, starting with row `first`.
  std::optional<results::Mismatch> first_mismatch(int64_t first, int64_t rows,
                                                  const float* elements, int64_t ldc) const;

 private:
  bool is_right(int64_t i, const float* row) const;
  std::optional<results::Mismatch> find(int64_t i, const float* row) const;

  int64_t K_;
  Inputs inputs_;
  std::vector<uint64_t> x_;
  std::vector<uint64_t> want_;
};

}  // namespace runner

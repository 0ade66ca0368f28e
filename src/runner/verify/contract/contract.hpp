// BLAS's contract as one list of checks. Every rung must keep all of it, and so must a kernel that somebody
// brings along; the tests and the program put them through the same list.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/ladder.hpp"

namespace runner {

/// One thing that BLAS's contract asks of a kernel, and a check of it.
struct ContractCheck {
  const char* name;  // "dense shapes"

  /// What is wrong, for people: the shape, leading dimensions, alpha, beta and alignment, and what came of
  /// them. Empty where the kernel keeps the contract. Waits for the device. Where a CUDA error is what is wrong
  /// the device may be unusable afterwards, and the checks that follow would say no more than that. Throws
  /// Error if the device lacks the memory for the problem or the user interrupts.
  std::string (*complaint)(const ladder::Rung& rung);
};

/// All checks: those of shapes, of values, of order, and of far places (trial.hpp), the plainest first in each.
std::span<const ContractCheck> contract();

/// Free device memory that indices beyond 32 bits ask for. A CUDA device that has less is not asked; the simulated GPU
/// always has it, since it takes only what is touched.
inline constexpr int64_t CONTRACT_MEMORY_BYTES = int64_t{18} << 30;

}  // namespace runner

// BLAS's contract as one list of checks. Every rung and every user's kernel must pass all of them. The tests and the program use
// the same list.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/ladder.hpp"

namespace runner {

/// One requirement of BLAS's contract, and its check.
struct ContractCheck {
  const char* name;  // "dense shapes"

  /// Returns the failure, for people: the shape, leading dimensions, alpha, beta and alignment, and the wrong result.
  /// Empty if the kernel passes. Waits for the device. After a CUDA error the device may be unusable, and later checks
  /// would only report that error. Throws Error if the device lacks memory for the problem, or if the user interrupts.
  std::string (*complaint)(const ladder::Rung& rung);

  /// The usual mistake, for a check that mostly fails by a fault with a meaningless address; otherwise nullptr.
  const char* usual_reason = nullptr;
};

/// Returns all checks: first the checks of shapes, then of values, of order, and of far places (trial.hpp). In each
/// group the plainest comes first.
std::span<const ContractCheck> contract();

/// Free device memory needed to check indices beyond 32 bits. A CUDA device with less memory skips the check. The
/// simulated GPU always has it: untouched memory costs nothing.
inline constexpr int64_t CONTRACT_MEMORY_BYTES = int64_t{18} << 30;

}  // namespace runner

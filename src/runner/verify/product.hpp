// Runs a rung's product, or a batch of products, on the machine: launches it, watches it, and times it beside the reference.
#pragma once

#include <vector>

#include "kernels/best/best.hpp"
#include "kernels/ladder.hpp"
#include "runner/machine/machine.hpp"

namespace runner {

/// Returns the call as a launch on a stream. The rung must outlive it.
machine::Launch launch_of(const ladder::Rung& rung, const ladder::Call& call);
/// Returns one product as a launch on a stream.
inline machine::Launch launch_of(const ladder::Rung& rung, const ladder::Sgemm& problem) {
  return launch_of(rung, ladder::Call(problem));
}

/// Names the product's matrices for the machine: A, B and C. (Of a batch the first product's: all lie in the same allocations.)
void name_matrices(const ladder::Sgemm& problem);

/// Returns the rungs that `best` can choose from for a call on this device, the chosen one first, with the times that it expects.
std::vector<results::ExpectedRung> expected_rungs(const ladder::Call& call);
/// Returns the same for `batch` products of this shape on any GPU.
std::vector<results::ExpectedRung> expected_rungs(const ladder::ProductShape& shape, int64_t batch,
                                                  const ladder::Gpu& gpu);

/// Runs the rung with its matrices called A, B and C. See machine::run.
cudaError_t run_product(const ladder::Rung& rung, const ladder::Call& call,
                        results::Observation& seen);
/// Runs the rung on one product.
inline cudaError_t run_product(const ladder::Rung& rung, const ladder::Sgemm& problem,
                               results::Observation& seen) {
  return run_product(rung, ladder::Call(problem), seen);
}

/// Times the rung in turns with the ladder's reference. Returns nothing for an empty product, or on a machine that does not
/// measure.
std::optional<results::Timing> time_product(const ladder::Rung& rung, const ladder::Call& call,
                                            const results::MeasureOptions& options);

}  // namespace runner

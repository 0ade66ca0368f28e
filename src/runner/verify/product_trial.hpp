// Runs a rung's product on the machine and verifies the result.
#pragma once

#include <memory>
#include <optional>

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"
#include "runner/verify/verifier.hpp"
#include "runner/verify/workload_trial.hpp"

namespace runner {

/// The matrices of the current problem. All rungs on one problem share them.
class Matrices {
 public:
  /// True if verifier() of this problem and arithmetic lays out new matrices.
  bool are_new(const results::Problem& problem, const ladder::Arithmetic& arithmetic) const {
    return !verifier_ || problem_ != problem || arithmetic_ != arithmetic;
  }

  /// The verifier of the problem, valid until the next call with another one. Throws Error if memory does not suffice.
  Verifier& verifier(const results::Problem& problem, const ladder::Arithmetic& arithmetic);

 private:
  std::unique_ptr<Verifier> verifier_;
  std::optional<results::Problem> problem_;
  std::optional<ladder::Arithmetic> arithmetic_;
};

class ProductTrial : public WorkloadTrial {
 public:
  /// The rung and the matrices must outlive it.
  ProductTrial(const ladder::Rung& rung, const results::Problem& problem, Matrices& matrices)
      : rung_(rung), verifier_(matrices.verifier(problem, rung.arithmetic)) {}

  void check(results::Result& result) override;
  machine::Launch launch() override;
  std::optional<results::Timing> time(const results::MeasureOptions& options) override;

 private:
  const ladder::Rung& rung_;
  Verifier& verifier_;
};

/// The judgement that follows from a verdict and the result's problem and observation.
results::Judgement judgement_of(const results::Result& result, const Verdict& verdict);

/// A complaint if the kernel reads C although beta is 0; otherwise empty.
std::string reading_of_c(const results::Result& result);

/// Verifies the rung on the verifier's problem. The path and the counters go to `result`.
Verdict verify_product(const ladder::Rung& rung, Verifier& verifier, results::Result& result);

}  // namespace runner

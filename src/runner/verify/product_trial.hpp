// Runs a rung's product on the machine and verifies the result.
#pragma once

#include <memory>
#include <optional>

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"
#include "runner/verify/verifier.hpp"
#include "runner/verify/workload_trial.hpp"

namespace runner {

/// What to tell of each product beside its judgement.
struct Extras {
  bool errors = false;  // its errors beside the reference's, compared with the rung's limits
  bool left_to_fp64 =
      false;  // what the rung leaves to FP64 of a single product, from one more launch
};

/// The matrices of the current problem. All rungs on one problem share them.
class Matrices {
 public:
  explicit Matrices(Extras extras = {}) : extras_(extras) {}

  /// True if verifier() of this problem and arithmetic lays out new matrices.
  bool are_new(const results::Problem& problem, const ladder::Arithmetic& arithmetic) const {
    return !verifier_ || problem_ != problem || arithmetic_ != arithmetic;
  }

  /// Returns the verifier of the problem, valid until the next call with another one. Throws Error if memory does not
  /// suffice.
  Verifier& verifier(const results::Problem& problem, const ladder::Arithmetic& arithmetic);

  const Extras& extras() const { return extras_; }
  /// Returns the reference's errors in the current verifier, from one run of it. Nothing if it fails.
  const std::optional<results::Errors>& reference_errors();

 private:
  Extras extras_;
  std::unique_ptr<Verifier> verifier_;
  std::optional<results::Problem> problem_;
  std::optional<ladder::Arithmetic> arithmetic_;
  std::optional<std::optional<results::Errors>> reference_errors_;
};

class ProductTrial : public WorkloadTrial {
 public:
  /// Keeps references to the rung and the matrices, which must outlive the trial.
  ProductTrial(const ladder::Rung& rung, const results::Problem& problem, Matrices& matrices)
      : rung_(rung), matrices_(matrices), verifier_(matrices.verifier(problem, rung.arithmetic)) {}

  void check(results::Result& result) override;
  machine::Launch launch() override;
  std::optional<results::Timing> time(const results::MeasureOptions& options) override;

 private:
  std::optional<results::LeftToFP64> left_to_fp64();

  const ladder::Rung& rung_;
  Matrices& matrices_;
  Verifier& verifier_;
};

/// Returns the judgement that follows from a verdict and the result's problem and observation.
results::Judgement judgement_of(const results::Result& result, const Verdict& verdict);

/// Returns a kernel's errors on this data, with the reference's errors and the rung's floors.
results::Errors errors_beside(const std::optional<results::Errors>& reference,
                              results::Errors errors, const ladder::Arithmetic& arithmetic,
                              results::Data data);

/// Returns a complaint if an error exceeds both its floor and the reference's error; otherwise empty.
std::string excess_of(const results::Errors& errors);

/// Returns a complaint if the wrong element is a computed NaN, beta is 0 and the kernel loads from C; otherwise empty.
std::string reading_of_c(const results::Result& result,
                         const std::optional<results::Mismatch>& mismatch);

/// Verifies the rung on the verifier's problem. Fills in the path and the counters of `result`.
Verdict verify_product(const ladder::Rung& rung, Verifier& verifier, results::Result& result);

}  // namespace runner

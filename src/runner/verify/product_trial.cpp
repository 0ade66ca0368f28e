#include "runner/verify/product_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/values/counts.hpp"
#include "results/values/line_figures.hpp"
#include "results/values/metrics.hpp"
#include "runner/verify/product.hpp"

namespace runner {

using results::Problem;
using results::Result;

std::string reading_of_c(const Result& result, const std::optional<results::Mismatch>& mismatch) {
  // A kernel may store parts of a sum in C and read them again. Only the NaN that lay in C before the call spoils a
  // result: arithmetic with it gives another NaN.
  const bool is_spoiled = mismatch && std::isnan(mismatch->got) && !is_poison(mismatch->got);
  if (!is_spoiled) return "";
  if (!result.seen.traffic || !result.problem || result.problem->beta != 0.0f) return "";
  const double loads = result.seen.traffic->count(results::counts::LOAD_REQUESTS, "C").value_or(0);
  if (loads == 0) return "";
  std::string where;
  for (const results::Line& line : result.seen.lines) {
    if (line.buffer == "C" && results::action_of(line) == "load") {
      where = fmt::format(", in {}:{}", line.file, line.line);
      break;
    }
  }
  return fmt::format(
      "C is read although beta is 0 ({:.0f} loads{}): 0 times a NaN that lies there is NaN, so "
      "load "
      "C only if beta is not 0. ",
      loads, where);
}

results::Judgement judgement_of(const Result& result, const Verdict& verdict) {
  results::Judgement judgement{.correct = verdict.correct,
                               .complaint = verdict.complaint,
                               .first_mismatch = verdict.first_mismatch,
                               .compared = verdict.compared,
                               .max_abs_error = verdict.max_abs_error,
                               .error_over_bound = verdict.error_over_bound};
  if (verdict.error != cudaSuccess) {
    judgement.error = cudaGetErrorName(verdict.error);
    judgement.failure = machine::last_failure().text;
  } else if (!verdict.correct) {
    judgement.complaint = reading_of_c(result, verdict.first_mismatch) + judgement.complaint;
  }
  return judgement;
}

Verifier& Matrices::verifier(const Problem& problem, const ladder::Arithmetic& arithmetic) {
  if (are_new(problem, arithmetic)) {
    verifier_.reset();  // frees its memory for the next one
    problem_.reset();
    verifier_ = std::make_unique<Verifier>(problem, Layout{.guard = machine::GUARD}, arithmetic);
    problem_ = problem;
    arithmetic_ = arithmetic;
    reference_errors_.reset();
  }
  return *verifier_;
}

const std::optional<results::Errors>& Matrices::reference_errors() {
  if (!reference_errors_) {
    reference_errors_ = verifier_->errors_of([](const ladder::Call& call, Values) {
      results::Observation unseen;
      return run_product(*ladder::all().front(), call, unseen);
    });
  }
  return *reference_errors_;
}

results::Errors errors_beside(const std::optional<results::Errors>& reference,
                              results::Errors errors, const ladder::Arithmetic& arithmetic,
                              results::Data data) {
  if (reference) {
    errors.reference_frobenius = reference->frobenius;
    errors.reference_largest = reference->largest;
    errors.reference_wrong_infinities = reference->wrong_infinities;
  }
  if (const auto& limits = arithmetic.limits) {
    errors.frobenius_floor =
        data == results::Data::positive ? limits->frobenius_all_positive : limits->frobenius;
    errors.largest_floor = limits->largest;
    if (limits->share_of_reference != 1) errors.frobenius_share = limits->share_of_reference;
  }
  return errors;
}

std::string excess_of(const results::Errors& errors) {
  const auto excess = [](const char* what, std::optional<double> error,
                         std::optional<double> reference, double share,
                         std::optional<double> floor) {
    if (!error || !floor) return std::string();
    const double most = std::max(share * reference.value_or(0), *floor);
    if (*error <= most) return std::string();
    return fmt::format("its {} is {:.3g}, and at most {:.3g} is promised (the reference's is {})",
                       what, *error, most,
                       reference ? fmt::format("{:.3g}", *reference) : "unknown");
  };
  const std::string frobenius =
      excess("relative Frobenius error", errors.frobenius, errors.reference_frobenius,
             errors.frobenius_share.value_or(1), errors.frobenius_floor);
  if (!frobenius.empty()) return frobenius;
  return excess("largest |error| / (|A||B|)", errors.largest, errors.reference_largest, 1,
                errors.largest_floor);
}

Verdict verify_product(const ladder::Rung& rung, Verifier& verifier, Result& result) {
  const Verdict verdict = verifier.check([&](const ladder::Call& call, Values values) {
    // A batch may take another path than its first product alone.
    if (const char* path = call.batch == 1 ? ladder::path(rung, call.product) : nullptr)
      result.path = path;
    if (&rung == &ladder::best) result.expected = expected_rungs(call);
    results::Observation unseen;
    return run_product(rung, call, values == Values::reals ? result.seen : unseen);
  });
  if (verdict.error != cudaSuccess) result.seen = {};  // the launch was cut short
  return verdict;
}

void ProductTrial::check(Result& result) {
  const Verdict verdict = verify_product(rung_, verifier_, result);
  result.judged = judgement_of(result, verdict);
  if (verdict.error != cudaSuccess) return;
  if (matrices_.extras().left_to_fp64 && !result.problem->is_batch())
    result.seen.left_to_fp64 = left_to_fp64();
  if (!matrices_.extras().errors) return;
  const bool is_reference = &rung_ == ladder::all().front();
  const std::optional<results::Errors> reference =
      is_reference ? verdict.errors : matrices_.reference_errors();
  results::Judgement& judged = result.judged;
  judged.errors = errors_beside(reference, verdict.errors, rung_.arithmetic, result.problem->data);
  if (!judged.correct) return;
  judged.complaint = excess_of(*judged.errors);
  judged.correct = judged.complaint.empty();
}

std::optional<results::LeftToFP64> ProductTrial::left_to_fp64() {
  const ladder::Sgemm sgemm = verifier_.prepare(Values::reals);
  ladder::LeftToFP64 left;
  if (ladder::launch_and_tell(rung_, sgemm, nullptr, &left) != cudaSuccess) return std::nullopt;
  return results::LeftToFP64{
      .rows = left.rows,
      .cols = left.cols,
      .bands = left.bands,
      .share = results::ratio(static_cast<double>(left.elements),
                              static_cast<double>(sgemm.M) * static_cast<double>(sgemm.N))
                   .value_or(0)};
}

machine::Launch ProductTrial::launch() {
  return launch_of(rung_, verifier_.prepare_call(Values::reals));
}

std::optional<results::Timing> ProductTrial::time(const results::MeasureOptions& options) {
  return time_product(rung_, verifier_.prepare_call(Values::reals), options);
}

}  // namespace runner

#include "runner/trial/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/counts.hpp"
#include "results/metrics.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/machine.hpp"
#include "runner/machine/sampling.hpp"

namespace runner {
namespace {

using device::Claim;
using device::Relation;
using results::CheckedClaim;

const char* sign_of(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "=";
    case Relation::at_most:
      return "<=";
    case Relation::at_least:
      return ">=";
  }
  return "?";
}

// What the NaN in C cannot tell from an element that was never written, the counters can.
std::string reading_of_c(const results::Result& result) {
  if (!result.seen.traffic || !result.problem || result.problem->beta != 0.0f) return "";
  const double loads = result.seen.traffic->count(results::counts::LOAD_REQUESTS, "C").value_or(0);
  if (loads == 0) return "";
  std::string where;
  for (const results::Line& line : result.seen.lines) {
    if (line.buffer == "C" && line.instruction.starts_with("ld")) {
      where = fmt::format(", in {}:{}", line.file, line.line);
      break;
    }
  }
  return fmt::format(
      "C is read though beta is 0 ({:.0f} loads{}): what lay there, a NaN for one, survives a "
      "multiplication by 0. ",
      loads, where);
}

}  // namespace

std::optional<double> counted(const results::Result& result, const Claim& claim) {
  const results::Metric* metric = results::find_metric(claim.counter);
  return metric == nullptr ? std::nullopt : metric->value(result, claim.buffer, {});
}

CheckedClaim check_claim(const Claim& claim, std::optional<double> counted) {
  CheckedClaim check{.counter = claim.counter,
                     .buffer = claim.buffer,
                     .relation = sign_of(claim.relation),
                     .value = claim.value,
                     .counted = counted};
  if (!counted) return check;
  const double slack = 1e-9 * std::abs(claim.value);
  switch (claim.relation) {
    case Relation::equal:
      check.kept = std::abs(*counted - claim.value) <= slack;
      break;
    case Relation::at_most:
      check.kept = *counted <= claim.value + slack;
      break;
    case Relation::at_least:
      check.kept = *counted >= claim.value - slack;
      break;
  }
  return check;
}

results::Judgement judge(const results::Result& result, const Verdict& verdict,
                         const device::Promise& promise) {
  results::Judgement judgement{.correct = verdict.correct,
                               .complaint = verdict.complaint,
                               .first_mismatch = verdict.first_mismatch,
                               .compared = verdict.compared,
                               .max_abs_error = verdict.max_abs_error,
                               .error_over_bound = verdict.error_over_bound};
  if (verdict.error != cudaSuccess) {
    judgement.error = cudaGetErrorName(verdict.error);
  } else if (!verdict.correct) {
    judgement.complaint = reading_of_c(result) + judgement.complaint;
  }
  const bool promised = result.problem && applies(promise, *result.problem);
  judge(result, promised ? promise.claims : std::vector<Claim>{}, judgement);
  return judgement;
}

void judge(const results::Result& result, const std::vector<Claim>& claims,
           results::Judgement& judgement) {
  // Where all launches are counted, a right result of which nothing was counted came without a kernel: none of its claims is
  // kept.
  const bool came_without_a_kernel = !machine::MEASURES_TIME && judgement.correct;
  if (result.seen.traffic || came_without_a_kernel) {
    for (const Claim& claim : claims)
      judgement.claims.push_back(check_claim(claim, counted(result, claim)));
  }
  if (result.seen.timing) judgement.doubts = doubts(*result.seen.timing);
}

}  // namespace runner

#include "runner/trial/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/values/metrics.hpp"
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

void judge(const std::vector<Claim>& claims, results::Result& result) {
  results::Judgement& judgement = result.judged;
  // On a machine that counts all launches, a right result without counts came without a kernel. It keeps no claim.
  const bool came_without_a_kernel = !machine::MEASURES_TIME && judgement.correct;
  if (result.seen.traffic || came_without_a_kernel) {
    for (const Claim& claim : claims)
      judgement.claims.push_back(check_claim(claim, counted(result, claim)));
  }
  if (result.seen.timing) judgement.doubts = doubts(*result.seen.timing);
}

}  // namespace runner

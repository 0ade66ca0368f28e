#include "runner/promise.hpp"

#include <fmt/format.h>

#include <cmath>

namespace runner {
namespace {

using ladder::Relation;

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

bool applies(const ladder::Promise& promise, const ladder::Sgemm& p) {
  if (promise.claims.empty() || p.M == 0 || p.N == 0 || p.K == 0) return false;
  if (!ladder::has_product(p.alpha, p.K) || p.beta != 0.0f) return false;
  const int64_t tile = promise.whole_tiles;
  return p.M % tile == 0 && p.N % tile == 0 && p.K % tile == 0 && p.lda == p.K && p.ldb == p.N &&
         p.ldc == p.N;
}

ClaimCheck check_claim(const ladder::Claim& claim, std::optional<double> counted) {
  ClaimCheck check{claim, counted, false};
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

std::string text(const ladder::Claim& claim) {
  const std::string of = *claim.buffer == '\0' ? "" : fmt::format(" of {}", claim.buffer);
  return fmt::format("{}{} {} {:.6g}", claim.counter, of, sign_of(claim.relation), claim.value);
}

std::string text(const ClaimCheck& check) {
  return fmt::format("{}: counted {}", text(check.claim),
                     check.counted ? fmt::format("{:.6g}", *check.counted) : "nothing");
}

}  // namespace runner

#include "runner/report/promise_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "runner/trial/judge.hpp"

namespace runner {

nlohmann::ordered_json promise_as_json(std::span<const device::Claim> claims) {
  auto promise = nlohmann::ordered_json::array();
  for (const device::Claim& claim : claims) {
    const results::CheckedClaim unchecked = check_claim(claim, std::nullopt);
    promise.push_back({{"counter", unchecked.counter},
                       {"buffer", unchecked.buffer},
                       {"relation", unchecked.relation},
                       {"value", unchecked.value}});
  }
  return promise;
}

}  // namespace runner

#include "runner/verify/contract/contract.hpp"

#include <vector>

#include "runner/verify/contract/trial.hpp"

namespace runner {

std::span<const ContractCheck> contract() {
  static const std::vector<ContractCheck> ALL = [] {
    std::vector<ContractCheck> all;
    for (const auto& some : {contract_checks::of_shapes(), contract_checks::of_values(),
                             contract_checks::of_accuracy(), contract_checks::of_order(),
                             contract_checks::of_far_places()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return ALL;
}

}  // namespace runner

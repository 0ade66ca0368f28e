#pragma once
#include <span>
#include <string>
#include "kernels/ladder.hpp"
namespace runner {
struct ContractCheck {
  const char* name;
  std::string (*complaint)(const ladder::Rung&);
};
inline std::span<const ContractCheck> contract() { return {}; }
}  // namespace runner

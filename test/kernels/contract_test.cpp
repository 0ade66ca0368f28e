// Every rung keeps BLAS's contract, check by check; and each check finds the fault that it is there for.
#include "runner/contract.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <ostream>
#include <string>

#include "kernels/ladder.hpp"
#include "runner/machine.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace runner {

void PrintTo(const ContractCheck& check, std::ostream* out) { *out << check.name; }

}  // namespace runner

namespace {

using ladder::Rung;
using runner::ContractCheck;

// Addresses for rows that lie far apart; what is not touched of them costs nothing.
[[maybe_unused]] const int memory_set = setenv("SIMULATOR_MEMORY", "64G", 1);

// "64_bit_indices_into_A"
std::string identifier(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      text += letter;
    } else if (!text.empty() && text.back() != '_') {
      text += '_';
    }
  }
  return text;
}

class Contract : public testing::TestWithParam<std::tuple<const Rung*, ContractCheck>> {};

TEST_P(Contract, IsKept) {
  const auto& [rung, check] = GetParam();
  EXPECT_EQ(check.complaint(*rung), "");
}

std::string test_name(const testing::TestParamInfo<Contract::ParamType>& tested) {
  return identifier(std::get<ContractCheck>(tested.param).name) + "_" +
         runner::label(*std::get<const Rung*>(tested.param));
}

const auto CHECKS = runner::contract();
INSTANTIATE_TEST_SUITE_P(Ladder, Contract,
                         testing::Combine(rungs_from(0),
                                          testing::ValuesIn(CHECKS.begin(), CHECKS.end())),
                         test_name);

// With less, the checks of 64-bit indices would find nothing to complain of.
TEST(ContractChecks, HaveTheMemoryThatTheyAskFor) {
  if (runner::machine::measures_time) GTEST_SKIP() << "a CUDA device has what it has";
  size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_GE(free, static_cast<size_t>(runner::CONTRACT_MEMORY_BYTES));
}

}  // namespace

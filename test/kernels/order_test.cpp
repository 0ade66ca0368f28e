// The contract varies the order of blocks and warps reliably.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "runner/verify/contract/contract.hpp"
#include "simulator/execute/launch/module.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

// One host thread runs the blocks in their order, always the same. A sum whose parts are added as they come changes its
// bits only if the contract's check shuffles the order.
TEST(Order, IsVariedByTheContract) {
  simulator::set_worker_threads(1);
  simulator::set_schedule(5);
  for (const runner::ContractCheck& check : runner::contract()) {
    if (std::string_view(check.name) != "the same result in every order") continue;
    EXPECT_THAT(check.complaint(faulty::adds_in_any_order), testing::HasSubstr("another order"));
    EXPECT_EQ(simulator::schedule(), 5U) << "the order that was asked for must come back";
  }
  simulator::set_schedule(0);
  simulator::set_worker_threads(0);
}

}  // namespace

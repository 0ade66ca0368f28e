#include "runner/machine/peak.hpp"

#include <gtest/gtest.h>

namespace {

// NVIDIA's datasheet states 66.9 TFLOP/s for the H200: 132 multiprocessors of 128 lanes at 1980 MHz.
TEST(Peak, FollowsTheDatasheet) {
  EXPECT_EQ(runner::fp32_lanes_per_multiprocessor(9, 0), 128);
  EXPECT_NEAR(runner::peak_gflops(132, 128, 1980), 66.9e3, 50);
}

TEST(Peak, IsHalfOnAnA100) { EXPECT_EQ(runner::fp32_lanes_per_multiprocessor(8, 0), 64); }

}  // namespace

// Resident blocks per multiprocessor equal NVIDIA's occupancy calculator for compute capability 9.0. Figures that
// depend only on threads and shared memory are compared with an H200's figures in runtime_answers_test.
#include "simulator/execute/launch/occupancy.hpp"

#include <gtest/gtest.h>

namespace simulator::runtime {
namespace {

int blocks(int threads, int registers, size_t shared = 0) {
  return resident_blocks(
      device_limits(),
      {.threads = threads, .registers_per_thread = registers, .shared_bytes = shared});
}

TEST(Occupancy, IsLimitedByRegisters) {
  EXPECT_EQ(blocks(1024, 32), 2);
  EXPECT_EQ(blocks(1024, 33), 1);
  EXPECT_EQ(blocks(1024, 64), 1);
  EXPECT_EQ(blocks(1024, 65), 0) << "65 registers x 1024 threads do not fit at all";
  EXPECT_EQ(blocks(256, 128), 2);
  EXPECT_EQ(blocks(256, 255), 1);
  EXPECT_EQ(blocks(128, 255), 2);
  EXPECT_EQ(blocks(384, 168), 1);
  EXPECT_EQ(blocks(128, 168), 3);
  EXPECT_EQ(blocks(256, 41), 5) << "1312 registers to a warp are given as 1536";
  EXPECT_EQ(blocks(64, 40), 24) << "48 warps of 1280 registers, two to a block";
}

constexpr size_t KIB = 1024;

TEST(Occupancy, IsLimitedByThreadsBlocksAndSharedMemory) {
  EXPECT_EQ(blocks(32, 0), 32);
  EXPECT_EQ(blocks(768, 16), 2);
  EXPECT_EQ(blocks(256, 16, 100 * KIB), 2);
  EXPECT_EQ(blocks(256, 16, 227 * KIB), 1);
  EXPECT_EQ(blocks(256, 16, 227 * KIB + 1), 0);
}

TEST(Occupancy, OfAnImpossibleBlockIsZero) {
  EXPECT_EQ(blocks(0, 32), 0);
  EXPECT_EQ(blocks(-1, 32), 0);
  EXPECT_EQ(blocks(1025, 16), 0);
}

}  // namespace
}  // namespace simulator::runtime

#include "results/values/distributed.hpp"

#include <gtest/gtest.h>

#include "test/results/made_runs.hpp"

namespace {

using results::DistributedProduct;
using results::least_bytes_of;

DistributedProduct two_processes() { return made::of_two_processes().distributed[0]; }

TEST(Distributed, SecondsAreTheMedianOfTheRepetitions) {
  DistributedProduct p = two_processes();
  p.samples_s = {4, 1, 2};
  EXPECT_EQ(results::seconds_of(p), 2);
  p.samples_s.clear();
  EXPECT_EQ(results::seconds_of(p), 0);
}

// One GPU takes 6 s. Six GPUs without any loss would take 1 s; these take 2 s.
TEST(Distributed, EfficiencyIsOneGpusTimeOverThatOfAllGpus) {
  DistributedProduct p = two_processes();
  p.grid_rows = 2;
  p.grid_cols = 3;
  p.samples_s = {2, 2, 9};
  p.one_gpu_samples_s = {5, 6, 7};
  p.cublas_samples_s = {3};
  EXPECT_DOUBLE_EQ(results::efficiency_of(p).value(), 0.5);
  EXPECT_DOUBLE_EQ(results::share_of_cublas(p).value(), 0.25);
}

TEST(Distributed, EfficiencyIsUnknownWithoutATimeOfOneGpu) {
  DistributedProduct p = two_processes();
  p.one_gpu_samples_s.clear();
  EXPECT_FALSE(results::efficiency_of(p));
  EXPECT_TRUE(results::share_of_cublas(p));
  p.cublas_samples_s.clear();
  EXPECT_FALSE(results::share_of_cublas(p));
}

TEST(Distributed, EfficiencyIsUnknownIfTilesCameFromACheckpoint) {
  DistributedProduct p = two_processes();
  EXPECT_TRUE(results::efficiency_of(p));
  p.tiles_found = 1;
  EXPECT_FALSE(results::efficiency_of(p));
  EXPECT_FALSE(results::share_of_cublas(p));
}

TEST(Distributed, EfficiencyDoesNotDivideByNothing) {
  DistributedProduct p = two_processes();
  p.samples_s = {0};
  EXPECT_FALSE(results::efficiency_of(p));
  EXPECT_FALSE(results::share_of_cublas(p));
}

// The first process shows 2 s of 8 s of messages, the second 4 s of 8 s.
TEST(Distributed, HiddenShareIsThatOfTheProcessThatHidesLeast) {
  DistributedProduct p;
  p.processes = {{.whole_s = 12, .product_s = 10, .messages_s = 8},
                 {.whole_s = 12, .product_s = 8, .messages_s = 8}};
  EXPECT_DOUBLE_EQ(results::hidden_share(p), 0.5);
  std::swap(p.processes[0], p.processes[1]);
  EXPECT_DOUBLE_EQ(results::hidden_share(p), 0.5);
}

TEST(Distributed, HiddenShareLiesBetweenNoneAndAll) {
  DistributedProduct p;
  p.processes = {{.whole_s = 10, .product_s = 11, .messages_s = 4}};
  EXPECT_EQ(results::hidden_share(p), 1) << "the products took longer than the whole";
  p.processes = {{.whole_s = 10, .product_s = 1, .messages_s = 4}};
  EXPECT_EQ(results::hidden_share(p), 0) << "more time is lost than the messages took";
}

TEST(Distributed, AProcessWithoutMessagesHasNothingToHide) {
  DistributedProduct p;
  EXPECT_EQ(results::hidden_share(p), 1);
  p.processes = {{.whole_s = 10, .product_s = 2, .messages_s = 0},
                 {.whole_s = 10, .product_s = 9, .messages_s = 4}};
  EXPECT_DOUBLE_EQ(results::hidden_share(p), 0.75);
}

TEST(Distributed, ReceivedBytesAreThoseOfAllProcesses) {
  EXPECT_EQ(results::received_bytes(two_processes()), 196608 + 200000);
  EXPECT_EQ(results::received_bytes({}), 0);
}

TEST(Distributed, GpusFillTheGrid) {
  EXPECT_EQ((DistributedProduct{.grid_rows = 2, .grid_cols = 3}.gpus()), 6);
}

TEST(LeastBytes, OfOneProcessAreNone) { EXPECT_EQ(least_bytes_of(1000, 2000, 3000, 1), 0); }

// On 2x2 a matrix moves to one other column, another to one other row. On 1x4 one matrix would move three times.
TEST(LeastBytes, OfASquareOnFourProcessesAreTwoMatrices) {
  EXPECT_EQ(least_bytes_of(100, 100, 100, 4), 2 * 4 * 100 * 100);
}

// A and B have 40000 bytes each, C has 400. On 1x4 the others' sums of C move.
TEST(LeastBytes, OfATinyCAreItsOwn) { EXPECT_EQ(least_bytes_of(10, 10, 1000, 4), 3 * 400); }

TEST(LeastBytes, OfATinyFactorAreItsOwn) {
  EXPECT_EQ(least_bytes_of(1000, 10, 10, 4), 3 * 400) << "B";
  EXPECT_EQ(least_bytes_of(10, 1000, 10, 4), 3 * 400) << "A";
}

// A has 120000 bytes, B 240000, C 80000. On 2x3 C moves twice and A once; on 1x6 C would move five times.
TEST(LeastBytes, AreThoseOfTheBestGrid) {
  EXPECT_EQ(least_bytes_of(100, 200, 300, 6), 2 * 80000 + 120000);
  EXPECT_EQ(least_bytes_of(100, 200, 300, 5), 4 * 80000) << "five processes have no other grid";
}

TEST(LeastBytes, OfALargeProductFitIn64Bits) {
  EXPECT_EQ(least_bytes_of(1 << 20, 1 << 20, 1 << 20, 4), int64_t{2} << 42);
}

}  // namespace

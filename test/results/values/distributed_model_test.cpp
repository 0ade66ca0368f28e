#include "results/values/distributed_model.hpp"

#include <gtest/gtest.h>

#include "test/results/made_runs.hpp"

namespace {

using results::DistributedProduct, results::predict, results::Prediction, results::Rates;

constexpr Rates RATES{.flops = 1e12,
                      .nvlink_bytes = 4e9,
                      .network_bytes = 1e9,
                      .memory_bytes = 8e9,
                      .panel_s = 0.25,
                      .gpus_per_host = 4};

DistributedProduct cube(int64_t size, int grid_rows, int grid_cols, int64_t panel) {
  return {.M = size,
          .N = size,
          .K = size,
          .grid_rows = grid_rows,
          .grid_cols = grid_cols,
          .panel = panel};
}

TEST(DistributedModel, OneGpuMultipliesAndBringsNothing) {
  const Prediction said = predict(cube(10'000, 1, 1, 2'500), RATES);
  EXPECT_DOUBLE_EQ(said.products_s, 2);
  EXPECT_DOUBLE_EQ(said.messages_s, 0);
  EXPECT_DOUBLE_EQ(said.seconds, 2 + 4 * 0.25);
}

// A panel of A has 1e8 floats in 4e8 bytes, and half of them come over the link in 0.05 s. The bytes of the copies are 3 x 2e8 of the
// own half, 2e8 of the other, and 4 x 4e8 of the whole: 2.4e9 in 0.3 s.
TEST(DistributedModel, MessagesLieBehindTheProductBefore) {
  const Prediction said = predict(cube(10'000, 1, 2, 10'000), RATES);
  EXPECT_DOUBLE_EQ(said.products_s, 1);
  EXPECT_DOUBLE_EQ(said.messages_s, 0.05 + 0.3);
  EXPECT_DOUBLE_EQ(said.seconds, 0.05 + 1 + 0.3 + 0.25);

  const Prediction in_four = predict(cube(10'000, 1, 2, 2'500), RATES);
  EXPECT_DOUBLE_EQ(in_four.messages_s, said.messages_s);
  EXPECT_DOUBLE_EQ(in_four.seconds, 0.05 / 4 + 1 + 0.3 + 4 * 0.25);  // three of four lie behind
}

TEST(DistributedModel, MessagesThatTakeLongerThanProductsShow) {
  Rates slow_link = RATES;
  slow_link.nvlink_bytes = 0.08e9;  // 2.5 s
  EXPECT_DOUBLE_EQ(predict(cube(10'000, 1, 2, 5'000), slow_link).seconds,
                   1.25 + 0.5 + (1.25 - 0.5) + 0.5 + 0.3 + 2 * 0.25);
}

// A row of the grid lies on one host if the hosts' GPUs are whole rows.
TEST(DistributedModel, RowsWithinAHostUseItsLinks) {
  const auto messages = [](int rows, int cols) {
    Rates only_wire = RATES;
    only_wire.memory_bytes = 1e30;
    return predict(cube(12'000, rows, cols, 12'000), only_wire).messages_s;
  };
  const double bytes = 4.0 * 12'000 * 12'000;
  EXPECT_DOUBLE_EQ(messages(2, 2), (bytes / 2 / 2 + bytes / 2 / 2) / 4e9);
  EXPECT_DOUBLE_EQ(messages(2, 4), bytes / 2 * 3 / 4 / 4e9 + bytes / 4 / 2 / 1e9);
  EXPECT_DOUBLE_EQ(messages(1, 6), bytes * 5 / 6 / 1e9);  // 6 on hosts of 4
}

TEST(DistributedModel, CoversWhatWasMeasuredOverNcclInTheGpusMemory) {
  DistributedProduct p = made::of_two_processes().distributed[0];
  EXPECT_FALSE(results::modelled_seconds(p));
  p.reproducible = false;
  p.device_bytes = 0;
  ASSERT_TRUE(results::modelled_seconds(p));
  DistributedProduct over_mpi = p, without_one_gpu = p, without_processes = p;
  over_mpi.carrier = "mpi";
  without_one_gpu.one_gpu_samples_s.clear();
  without_processes.processes.clear();
  for (const DistributedProduct& other : {over_mpi, without_one_gpu, without_processes})
    EXPECT_FALSE(results::modelled_seconds(other));
}

}  // namespace

#include "results/tables/distributed_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "results/tables/table.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::DistributedProduct;

std::vector<DistributedProduct> made_products() {
  std::vector<DistributedProduct> products(3, made::of_two_processes().distributed[0]);
  products[1].N = products[1].K = products[1].M;
  products[2].reproducible = false;
  products[2].device_bytes = 0;
  products[2].correct = true;
  products[2].model_s = 0.25;
  return products;
}

TEST(DistributedTable, HasALineAndNotesForEachProduct) {
  EXPECT_EQ(results::to_table(made_products(), {.unicode = true, .width = 120}),
            "grid 2x1 · best · NCCL · A transposed · B transposed · reproducible · in the host's "
            "memory\n"
            "       size  seconds  TFLOP/s eff. % cuBLAS% hidden moved  slowest  error right\n"
            "512x384x256   0.5000     0.00   81.2    75.0    50%  1.01  0 +16.7 0.0625   yes\n"
            "  panels of 128, blocks of 64 · products 0.4375 s, messages 0.5000 s · cuBLASMp "
            "1.2500 s, so 2.50 times as fast · the\n"
            "  model says 0.3750 s (-25.0 %) · bits of C 0123456789abcdef, which take +14.3 % "
            "· 3 tiles of C\n"
            "        512   0.5000     0.00   81.2    75.0    50%  1.01  0 +16.7 0.0625   yes\n"
            "  panels of 128, blocks of 64 · products 0.4375 s, messages 0.5000 s · cuBLASMp "
            "1.2500 s, so 2.50 times as fast · the\n"
            "  model says 0.3750 s (-25.0 %) · bits of C 0123456789abcdef, which take +14.3 % "
            "· 3 tiles of C\n"
            "\n"
            "grid 2x1 · best · NCCL · A transposed · B transposed\n"
            "       size  seconds  TFLOP/s eff. % cuBLAS% hidden moved  slowest  error right\n"
            "512x384x256   0.5000     0.00   81.2    75.0    50%  1.01  0 +16.7 0.0625   yes\n"
            "  panels of 128, blocks of 64 · products 0.4375 s, messages 0.5000 s · cuBLASMp "
            "1.2500 s, so 2.50 times as fast · the\n"
            "  model says 0.2500 s (-50.0 %) · 3 tiles of C\n");
}

TEST(DistributedTable, FitsNarrowPages) {
  for (const int width : {50, 60, 80}) {
    const std::string text = results::to_table(made_products(), {.width = width});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), static_cast<size_t>(width)) << line;
    EXPECT_EQ(text.find("not shown at this width") != std::string::npos, width < 80);
  }
}

TEST(DistributedTable, IsPartOfARunsTables) {
  const results::Run run = made::of_two_processes();
  EXPECT_EQ(results::to_table(run, {}, {.width = 100}),
            results::to_table(run.distributed, {.width = 100}));
}

TEST(DistributedTable, IsMarkdownToo) {
  const std::string text = results::to_markdown(made::of_two_processes(), {});
  EXPECT_TRUE(text.starts_with("grid 2x1 · best · NCCL · A transposed")) << text;
  EXPECT_NE(text.find("| 512x384x256 | 0.5000 |"), std::string::npos) << text;
}

TEST(DistributedTable, PredictionsSayThatTheyAreAModel) {
  const std::vector<DistributedProduct> products{
      {.M = 100'000, .N = 100'000, .K = 10'000, .grid_rows = 1, .grid_cols = 1, .panel = 10'000}};
  const results::Rates rates{.flops = 1e14, .panel_s = 0};
  EXPECT_EQ(results::to_predictions(products, rates, {.width = 120}),
            "a model, not a measurement: GPUs of 100 TFLOP/s, 360 GB/s within a host of 8, 50 GB/s "
            "between hosts\n"
            "               size  grid  panel  seconds  TFLOP/s  eff. %  products s  messages s\n"
            "100000x100000x10000   1x1  10000   2.0000    100.0   100.0      2.0000      0.0000\n");
}

}  // namespace

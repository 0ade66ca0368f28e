// The tile that rung 11 chooses, and the plan by which rung 12 divides the work: pure functions of the shape.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "device/tensor_map.hpp"
#include "kernels/best/choice.hpp"
#include "kernels/tensor/tile_rows.hpp"
#include "kernels/tuned/choose_tile.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/split_search.hpp"
#include "kernels/tuned/stream_k_plan.hpp"
#include "kernels/tuned/tile.hpp"
#include "kernels/tuned/tile_fields.hpp"
#include "kernels/tuned/tile_table.hpp"

namespace ladder {
namespace {

constexpr Device H200 = ladder::H200.device;

constexpr TimedTiles DIVIDED = divided_tiles(true);

// Returns an H200 with another number of multiprocessors.
constexpr Device with(int multiprocessors) { return {multiprocessors, H200.shared_bytes}; }

const Tile& chosen(int64_t M, int64_t N, const Device& device = H200) {
  return TUNED_TABLE[choose_tile(TUNED_TABLE, M, N, device)].tile;
}

TEST(TileTable, HoldsOnlyTilesThatTheKernelTakes) {
  for (const TunedTile& entry : TUNED_TABLE) EXPECT_TRUE(is_valid(entry.tile));
  for (const TunedTile& entry : STREAM_K_TABLE) EXPECT_TRUE(is_valid(entry.tile));
}

TEST(IsValid, RefusesTilesThatDoNotDivide) {
  const Tile good = TUNED_TABLE[0].tile;
  ASSERT_TRUE(is_valid(good));
  for (const auto& [field, value] :
       std::vector<std::pair<int Tile::*, int>>{{&Tile::BM, good.BM + 4},
                                                {&Tile::WN, good.WN * 3},
                                                {&Tile::TM, 6},
                                                {&Tile::BK, 6},
                                                {&Tile::stages, 1},
                                                {&Tile::copy_groups, 0}}) {
    Tile bad = good;
    bad.*field = value;
    EXPECT_FALSE(is_valid(bad));
  }
}

TEST(ChooseTile, TakesTheLargestForALargeProblem) {
  EXPECT_EQ(chosen(16384, 16384).BM * chosen(16384, 16384).BN, 128 * 256);
}

TEST(ChooseTile, KeepsTheDeviceBusyOnASmallOne) {
  const Tile& t = chosen(1024, 1024);
  EXPECT_LE(t.BM * t.BN, 1024 * 1024 / H200.multiprocessors + t.BM * t.BN / 2);
  EXPECT_EQ(tiles_of_busiest(t, 1024, 1024, H200.multiprocessors), 1);
}

TEST(ChooseTile, MinimisesTheTimeOfTheBusiestMultiprocessor) {
  // Two rates for one shape: the small tile needs 2 rounds of a quarter of the work.
  const std::vector<TunedTile> table = {{{.BM = 128,
                                          .BN = 128,
                                          .BK = 8,
                                          .WM = 64,
                                          .WN = 64,
                                          .TM = 16,
                                          .TN = 8,
                                          .stages = 4,
                                          .copy_groups = 1,
                                          .blocks = 2,
                                          .slices = 1,
                                          .chain = 0},
                                         50.0},
                                        {{.BM = 64,
                                          .BN = 64,
                                          .BK = 8,
                                          .WM = 32,
                                          .WN = 64,
                                          .TM = 8,
                                          .TN = 8,
                                          .stages = 4,
                                          .copy_groups = 1,
                                          .blocks = 6,
                                          .slices = 1,
                                          .chain = 0},
                                         30.0}};
  EXPECT_EQ(choose_tile(table, 128, 128, with(1)), 0U);  // 1 x 16384 / 50 against 4 x 4096 / 30
  EXPECT_EQ(choose_tile(table, 64, 64, with(1)), 1U);    // 1 x 16384 / 50 against 1 x 4096 / 30
  EXPECT_EQ(choose_tile(table, 128, 128, with(4)), 1U);  // the small tiles run side by side
}

TEST(ChooseTile, LetsWarpsDivideKWhereATileMustKeepAMultiprocessorBusy) {
  EXPECT_GT(chosen(256, 256).slices, 1);
  EXPECT_GT(chosen(1024, 1024).slices, 1);
  EXPECT_EQ(chosen(16384, 16384).slices, 1);
}

// An H200, an A100 and a GeForce, with the limits that CUDA's programming guide gives for compute capability 9.0, 8.0
// and 8.6.
TEST(Device, IsNeverGivenATileThatItsSharedMemoryCannotHold) {
  for (const Device device : {H200, Device{108, 163 * 1024}, Device{128, 99 * 1024}}) {
    for (int64_t size = 16; size <= 16384; size += size / 3) {
      for (const int64_t K : {int64_t{64}, size, int64_t{65536}}) {
        SCOPED_TRACE(testing::Message() << size << " and K " << K << " in " << device.shared_bytes);
        EXPECT_LE(chosen(size, size, device).shared_bytes(), device.shared_bytes);
        const SplitPlan plan = plan_split(DIVIDED, size, size, K, device);
        EXPECT_LE(STREAM_K_TABLE[plan.choice].tile.shared_bytes(), device.shared_bytes);
        EXPECT_GE(plan.blocks, 1);
      }
    }
  }
}

TEST(RateWith, IsTheMeasuredOneWithAllBlocksAndLessWithFewer) {
  for (const TunedTile& entry : STREAM_K_TABLE) {
    EXPECT_DOUBLE_EQ(rate_with(entry, entry.tile.blocks), entry.tflops);
    EXPECT_DOUBLE_EQ(rate_with(entry, entry.tile.blocks + 5), entry.tflops);
    for (int blocks = 1; blocks < entry.tile.blocks; ++blocks) {
      EXPECT_LE(rate_with(entry, blocks), rate_with(entry, blocks + 1));
    }
  }
}

TEST(BandHeight, MakesTheRegionAtWorkAboutSquare) {
  const Tile t = chosen(16384, 16384);
  const int rows = band_height(t, H200.multiprocessors);
  const double height = rows * t.BM;
  const double width = static_cast<double>(H200.multiprocessors) * t.blocks / rows * t.BN;
  EXPECT_NEAR(height / width, 1.0, 0.3);
  EXPECT_EQ(band_height(t, 1), 1) << "where one tile is at work, it is the region";
}

// Expects that each step of each tile belongs to one block, and that the shares differ by at most one step.
void expect_complete(const SplitPlan& plan) {
  ASSERT_TRUE(plan.is_possible());
  ASSERT_GE(plan.blocks, 1);
  ASSERT_GE(plan.rounds, 0);
  ASSERT_LE(plan.whole_tiles(), plan.tiles());
  EXPECT_EQ(plan.begin(0), 0);
  EXPECT_EQ(plan.begin(plan.blocks), plan.line());
  const int64_t share = plan.line() / plan.blocks;
  bool parts = false;
  for (int64_t block = 0; block < plan.blocks; ++block) {
    const int64_t begin = plan.begin(block), end = plan.begin(block + 1);
    EXPECT_GE(end - begin, share);
    EXPECT_LE(end - begin, share + 1);
    if (begin < end) {
      EXPECT_EQ(plan.owner(begin), block);
      EXPECT_EQ(plan.owner(end - 1), block);
      EXPECT_LE(plan.rounds + (end - 1) / plan.steps - begin / plan.steps + 1,
                plan.most_tiles_of_block());
    }
    parts |= begin % plan.steps != 0;
  }
  if (parts) {
    EXPECT_TRUE(plan.has_parts());
  }
}

TEST(SplitPlan, GivesEachStepToOneBlock) {
  for (const int64_t M : {1, 17, 64, 128, 1000, 3072}) {
    for (const int64_t N : {1, 160, 2049}) {
      for (const int64_t K : {0, 1, 16, 7168, 65536}) {
        for (const int multiprocessors : {1, 3, H200.multiprocessors}) {
          SCOPED_TRACE(testing::Message()
                       << M << "x" << N << "x" << K << " on " << multiprocessors);
          expect_complete(plan_split(DIVIDED, M, N, K, with(multiprocessors)));
        }
      }
    }
  }
}

TEST(SplitPlan, IsNotPossibleWhereABlockHasNoStepOrTheLineNoTile) {
  const SplitPlan plan{
      .choice = 0, .tiles_m = 5, .tiles_n = 1, .steps = 4, .blocks = 20, .rounds = 0};
  EXPECT_TRUE(plan.is_possible());
  SplitPlan other = plan;
  other.blocks = 21;
  EXPECT_FALSE(other.is_possible());
  other.blocks = 0;
  EXPECT_FALSE(other.is_possible());
  other.blocks = 5;
  other.rounds = 1;
  EXPECT_FALSE(other.is_possible());
  other.blocks = 2;
  EXPECT_TRUE(other.is_possible());
  other.rounds = -1;
  EXPECT_FALSE(other.is_possible());
}

// Blocks 1 and 4 of 6 work on two tiles, though a share is as long as a tile is: 5 * 4 steps are not 6 * 4.
TEST(SplitPlan, CountsTheTilesOfABlockWhereSharesDiffer) {
  const SplitPlan plan{
      .choice = 0, .tiles_m = 5, .tiles_n = 1, .steps = 4, .blocks = 6, .rounds = 0};
  expect_complete(plan);
  EXPECT_EQ(plan.most_tiles_of_block(), 2);
}

// Three tiles of five steps for six blocks: two pieces a tile, of two and three steps. No block works on two
// tiles, but the estimate counts two.
TEST(SplitPlan, IsChargedForPiecesThatDivideATileUnevenly) {
  SplitPlan plan{.choice = 0, .tiles_m = 3, .tiles_n = 1, .steps = 5, .blocks = 6, .rounds = 0};
  expect_complete(plan);
  EXPECT_EQ(plan.most_tiles_of_block(), 1);
  EXPECT_EQ(tiles_charged_to_block(plan), 2);
  plan.steps = 6;  // two pieces of three
  EXPECT_EQ(tiles_charged_to_block(plan), 1);
  plan.blocks = 2;  // which share the second tile
  EXPECT_EQ(plan.most_tiles_of_block(), tiles_charged_to_block(plan));
  EXPECT_EQ(plan.most_tiles_of_block(), 3);
}

TEST(SplitPlan, DividesKWhereThereAreFewTiles) {
  const SplitPlan plan = plan_split(DIVIDED, 64, 64, 65536, H200);
  EXPECT_GE(plan.blocks, H200.multiprocessors);
  EXPECT_TRUE(plan.has_parts());
  // The shape on which promise_test sees rung 12 divide the work.
  EXPECT_TRUE(plan_split(DIVIDED, 128, 128, 2048, H200).has_parts());
}

TEST(SplitPlan, GivesOutWholeTilesFirstWhereThereAreMany) {
  const SplitPlan plan = plan_split(DIVIDED, 16384, 16384, 16384, H200);
  EXPECT_GT(plan.whole_tiles(), plan.tiles() * 9 / 10);
}

TEST(SplitPlan, DividesNothingForAShortK) {
  EXPECT_FALSE(plan_split(DIVIDED, 4096, 4096, 16, H200).has_parts());
  EXPECT_FALSE(plan_split(DIVIDED, 100, 100, 0, H200).has_parts());
}

// Many small products fill the device together. Two long sums do not: each is divided among all blocks.
TEST(BatchPlan, PutsSmallProductsTogether) {
  const auto plan = [](int64_t M, int64_t N, int64_t K, int64_t batch) {
    return plan_batch(M, N, K, true, batch, H200);
  };
  EXPECT_TRUE(plan(128, 128, 128, 64).is_together);
  EXPECT_TRUE(plan(32, 32, 32, 1000).is_together);
  EXPECT_TRUE(plan(128, 128, 128, 2).is_together);
  EXPECT_FALSE(plan(128, 128, 128, 1).is_together);
  EXPECT_FALSE(plan(64, 64, 65536, 2).is_together);
  EXPECT_LE(TUNED_TABLE[plan(32, 32, 32, 1000).choice].tile.BM, 32);
  // A long K takes no tile that adds it in one chain.
  for (const BatchPlan& of_long : {plan(344, 744, 30736, 73), plan(476, 1778, 6062, 14)})
    EXPECT_TRUE(!of_long.is_together || TUNED_TABLE[of_long.choice].tile.chain > 0);
  // 64 products of 512 x 512 fill the device with large tiles.
  EXPECT_GE(TUNED_TABLE[plan(512, 512, 512, 64).choice].tile.BM, 64);
  // Recorded on an H200 on 2026-11-27.
  EXPECT_NEAR(plan(128, 128, 128, 64).us, 9.28, 1);
  EXPECT_NEAR(plan(32, 32, 32, 1000).us, 8.67, 2);
  EXPECT_NEAR(plan(512, 512, 512, 32).us, 172.3, 10);
  EXPECT_NEAR(plan(1024, 1024, 1024, 8).us, 331.7, 15);
}

TEST(WholePlan, TakesNoTileThatAddsALongKInOneChain) {
  for (const int64_t size : {256, 1000, 4096, 8192}) {
    for (const bool vector : {false, true}) {
      const WholePlan plan = plan_whole(whole_tiles(vector), size, size, 4096, 1, H200);
      EXPECT_GT(TUNED_TABLE[plan.choice].tile.chain, 0) << size;
    }
  }
}

// A short K is not divided, and a product with few tiles and a long K is.
TEST(ProductPlan, DividesWhatIsLong) {
  const auto is_whole = [](int64_t M, int64_t N, int64_t K) {
    return plan_product(whole_tiles(true), divided_tiles(true), M, N, K, H200).is_whole;
  };
  EXPECT_TRUE(is_whole(4096, 4096, 16));
  EXPECT_TRUE(is_whole(100, 100, 0));
  EXPECT_FALSE(is_whole(64, 64, 65536));
}

// More blocks side by side take longer for a step, but not as long as one after the other; and no kind of work takes less than no time.
TEST(TileTimes, ArePlausible) {
  for (const bool vector : {false, true}) {
    for (const TimedTiles& tiles : {whole_tiles(vector), divided_tiles(vector)}) {
      ASSERT_EQ(tiles.tiles.size(), tiles.us.size());
      for (const double us : tiles.call_us.of) EXPECT_GE(us, 0);
      for (const Works<TileWork>& us : tiles.us) {
        for (const double one : us.of) EXPECT_GE(one, 0);
        for (auto i = static_cast<size_t>(TileWork::steps_of_two);
             i <= static_cast<size_t>(TileWork::steps_of_four); ++i) {
          EXPECT_GE(us.of[i], us.of[i - 1]);
          EXPECT_LE(us.of[i], static_cast<double>(i) * us.of[1] * 1.2);
        }
      }
    }
  }
}

// Each key has its own result, and the last one of a key is not computed again.
TEST(LastResults, AreThoseOfTheKey) {
  LastResults<PlanKey, int64_t> last;
  int computed = 0;
  const auto of = [&](int64_t M) {
    return last.of({M, 1, 1, true, H200}, [&] {
      ++computed;
      return 10 * M;
    });
  };
  for (const int64_t M : {1, 1, 2, 1, 2}) EXPECT_EQ(of(M), 10 * M);
  EXPECT_LE(computed, 4) << "two keys may share a place";
  EXPECT_GE(computed, 2);
  for (int64_t M = 0; M < 1000; ++M) EXPECT_EQ(of(M), 10 * M);
  const int before = computed;
  EXPECT_EQ(of(999), 9990);
  EXPECT_EQ(computed, before);
}

TEST(StrideForCopies, BeginsLongRowsAtALineOfL2) {
  for (const auto& [elements, stride] : {std::pair<int64_t, int64_t>{1, 8},
                                         {8, 8},
                                         {9, 16},
                                         {64, 64},
                                         {65, 128},
                                         {2048, 2048},
                                         {2049, 2112}})
    EXPECT_EQ(device::stride_for_copies(elements), stride) << elements;
}

}  // namespace
// Rung 16's tiles: the highest one that leaves no multiprocessor idle for longer than a lower one.
TEST(RowsOfTile, FillTheDevice) {
  const std::pair<int64_t, int> squares[] = {{1, 64},     {512, 64},   {1024, 64},  {1536, 192},
                                             {2048, 128}, {3072, 192}, {4096, 128}, {8192, 192}};
  for (const auto& [size, rows] : squares)
    EXPECT_EQ(ladder::rows_of_tile(size, size, 1, 132), rows) << size;
  EXPECT_EQ(ladder::rows_of_tile(8960, 1, 1, 132), 128);
  EXPECT_EQ(ladder::rows_of_tile(17024, 1, 1, 132), 192);
  EXPECT_EQ(ladder::rows_of_tile(1, 17024, 1, 132),
            64);  // a tile has few rows of the matrix anyway
  EXPECT_EQ(ladder::rows_of_tile(1536, 1536, 1, 40), 128);  // a smaller device
}
TEST(RowsOfTile, FillTheDeviceWithABatch) {
  EXPECT_EQ(ladder::rows_of_tile(512, 512, 8, 132), ladder::rows_of_tile(4096, 512, 1, 132));
  EXPECT_EQ(ladder::rows_of_tile(192, 128, 264, 132), 192);
  EXPECT_EQ(ladder::rows_of_tile(100, 128, 132, 132), 128);
}

TEST(ProductsTogether, TakeAGigabyteAtMost) {
  EXPECT_EQ(ladder::products_together(128, 128, 128, 64), 64);
  EXPECT_EQ(ladder::products_together(1024, 1024, 1024, 1000), 85);
  EXPECT_EQ(ladder::products_together(8192, 8192, 8192, 8), 1);
  EXPECT_EQ(ladder::products_together(32768, 32768, 32, 8), 1) << "one product takes more";
  EXPECT_EQ(ladder::products_together(1, 1, 32, 1 << 20), (1 << 28) / (2 * 64 * 64 + 1));
}

}  // namespace ladder

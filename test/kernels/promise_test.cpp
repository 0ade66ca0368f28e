// Every rung keeps its promise, as far as this machine can count.
#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "runner/machine.hpp"
#include "runner/promise.hpp"
#include "runner/verify.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using runner::Traffic;
using runner::Values;

// The traffic of one launch on a problem that the promise speaks of, or nothing where nothing is counted.
std::optional<Traffic> traffic_of(const Rung& rung, int64_t M, int64_t N, int64_t K) {
  std::optional<Traffic> traffic;
  runner::Verifier verifier(runner::dense_problem(M, N, K), {.guard = 0});
  const Sgemm sgemm = verifier.prepare(Values::reals);
  runner::machine::name_matrices(sgemm);
  EXPECT_EQ(runner::machine::run(rung, sgemm, traffic), cudaSuccess);
  return traffic;
}

class Promise : public testing::TestWithParam<const Rung*> {
 protected:
  void expect_kept(int64_t M, int64_t N, int64_t K) {
    const auto traffic = traffic_of(*GetParam(), M, N, K);
    if (!traffic) GTEST_SKIP() << "this machine does not count";
    ASSERT_EQ(traffic->promise.size(), GetParam()->promise.claims.size());
    for (const runner::ClaimCheck& check : traffic->promise) {
      EXPECT_TRUE(check.kept) << runner::text(check) << " at " << M << "x" << N << "x" << K;
    }
  }
};

TEST_P(Promise, IsKeptOnOneTile) {
  const int64_t tile = GetParam()->promise.whole_tiles;
  expect_kept(tile, tile, tile);
}

TEST_P(Promise, IsKeptOnSeveralTiles) {
  const int64_t tile = GetParam()->promise.whole_tiles;
  expect_kept(2 * tile, tile, 3 * tile);
}

TEST_P(Promise, IsKeptOnManyTilesAndAShortK) {
  const int64_t tile = GetParam()->promise.whole_tiles;
  expect_kept(3 * tile, 2 * tile, tile);
}

// Here rung 12 divides the work (tile_choice_test.cpp).
TEST_P(Promise, IsKeptOnOneTileAndALongK) {
  const int64_t tile = GetParam()->promise.whole_tiles;
  expect_kept(tile, tile, 8 * tile);
}

INSTANTIATE_TEST_SUITE_P(Ladder, Promise, rungs_from(1), name_of);

TEST(BrokenPromise, IsFound) {
  const auto traffic = traffic_of(faulty::breaks_promise, 32, 32, 32);
  if (!traffic) GTEST_SKIP() << "this machine does not count";
  EXPECT_FALSE(traffic->promise_kept());
}

// The padding of a tile that cp.async fills: without it the lanes of a warp write to the same banks.
TEST(BrokenPromise, IsFoundInWhatCpAsyncWrites) {
  const auto padded = traffic_of(faulty::padded_copy, 32, 32, 32);
  if (!padded) GTEST_SKIP() << "this machine does not count";
  EXPECT_TRUE(padded->promise_kept());
  EXPECT_FALSE(traffic_of(faulty::unpadded_copy, 32, 32, 32)->promise_kept());
}

TEST(PromiseRules, SpeakOnlyOfWholeDenseTiles) {
  const ladder::Promise& promise = faulty::breaks_promise.promise;  // tiles of 16
  const Sgemm whole{.M = 32,
                    .N = 16,
                    .K = 48,
                    .alpha = 1,
                    .A = nullptr,
                    .lda = 48,
                    .B = nullptr,
                    .ldb = 16,
                    .beta = 0,
                    .C = nullptr,
                    .ldc = 16};
  EXPECT_TRUE(runner::applies(promise, whole));
  for (void (*change)(Sgemm&) : {+[](Sgemm& p) { p.M = 33; }, +[](Sgemm& p) { p.K = 0; },
                                 +[](Sgemm& p) { p.lda = 49; }, +[](Sgemm& p) { p.ldc = 20; },
                                 +[](Sgemm& p) { p.alpha = 0; }, +[](Sgemm& p) { p.beta = 1; }}) {
    Sgemm p = whole;
    change(p);
    EXPECT_FALSE(runner::applies(promise, p));
  }
}

TEST(PromiseRules, CompareByRelation) {
  using ladder::Relation;
  const auto kept = [](Relation relation, std::optional<double> counted) {
    return runner::check_claim({"load_bytes_per_lane", "A", relation, 4.0}, counted).kept;
  };
  EXPECT_TRUE(kept(Relation::equal, 4.0));
  EXPECT_FALSE(kept(Relation::equal, 4.001));
  EXPECT_TRUE(kept(Relation::at_most, 3.9));
  EXPECT_FALSE(kept(Relation::at_most, 4.1));
  EXPECT_TRUE(kept(Relation::at_least, 4.0));
  EXPECT_FALSE(kept(Relation::at_least, 3.9));
  for (const Relation relation : {Relation::equal, Relation::at_most, Relation::at_least}) {
    EXPECT_FALSE(kept(relation, std::nullopt)) << "nothing counted keeps no promise";
  }
}

}  // namespace

// Every rung keeps its promise, as far as this machine can count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/ladder.hpp"
#include "promise/can_be_broken.hpp"
#include "runner/choose/workload.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/judge.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/verifier.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::CheckedClaim;
using results::Judgement;
using runner::Values;

// Returns the judgement of one launch on a problem that the promise covers. Nothing on a machine that does not count.
std::optional<Judgement> judgement_of(const Rung& rung, int64_t M, int64_t N, int64_t K) {
  results::Result result{.problem = results::dense_problem(M, N, K)};
  runner::Verifier verifier(*result.problem, {.guard = 0});
  const Sgemm sgemm = verifier.prepare(Values::reals);
  EXPECT_EQ(runner::run_product(rung, sgemm, result.seen), cudaSuccess);
  if (!result.seen.traffic) return std::nullopt;
  runner::judge(runner::product(rung, *result.problem).claims, result);
  return result.judged;
}

// A multiple of whole_tiles in each dimension.
struct Multiple {
  int64_t M, N, K;
};
constexpr Multiple MULTIPLES[] = {{1, 1, 1}, {2, 1, 3}, {3, 2, 1}, {1, 3, 1}, {1, 1, 5}, {5, 1, 2}};

class Promise : public testing::TestWithParam<const Rung*> {
 protected:
  const int64_t whole_ = GetParam()->promise.whole_tiles;
  const int64_t tile_ = std::max<int64_t>(whole_, 128);  // of the block, or several of them

  void expect_kept(int64_t M, int64_t N, int64_t K) {
    const auto judgement = judgement_of(*GetParam(), M, N, K);
    if (!judgement) GTEST_SKIP() << "this machine does not count";
    ASSERT_EQ(judgement->claims.size(), std::ranges::distance(GetParam()->promise));
    for (const CheckedClaim& claim : judgement->claims) {
      EXPECT_TRUE(claim.kept) << claim.counter << " of " << claim.buffer << " counted "
                              << claim.counted.value_or(-1) << " at " << M << "x" << N << "x" << K;
    }
  }
};

// The smallest shapes that the promise covers, and shapes whose dimensions have no larger common divisor.
TEST_P(Promise, IsKeptOnTheSmallestShapes) {
  for (const Multiple& of : MULTIPLES) expect_kept(of.M * whole_, of.N * whole_, of.K * whole_);
}

TEST_P(Promise, IsKeptOnSeveralTiles) {
  expect_kept(tile_, tile_, tile_);
  expect_kept(2 * tile_, tile_, 3 * tile_);
}

TEST_P(Promise, IsKeptOnManyTilesAndAShortK) { expect_kept(6 * tile_, 4 * tile_, tile_); }

// Rung 12 divides the work of this shape (tile_choice_test.cpp).
TEST_P(Promise, IsKeptOnOneTileAndALongK) { expect_kept(tile_, tile_, 16 * tile_); }

// A promise that covers fewer shapes than it could leaves the others unchecked.
TEST_P(Promise, IsBrokenOnSmallerShapes) {
  Rung bold = *GetParam();
  bold.promise.whole_tiles = whole_ / 2;
  ASSERT_GT(bold.promise.whole_tiles, 0);
  bool broken = false;
  for (const Multiple& of : MULTIPLES) {
    const auto judgement =
        judgement_of(bold, of.M * whole_ / 2, of.N * whole_ / 2, of.K * whole_ / 2);
    if (!judgement) GTEST_SKIP() << "this machine does not count";
    broken = broken || !judgement->promise_kept();
  }
  EXPECT_TRUE(broken) << "kept with multiples of " << whole_ / 2 << " too: whole_tiles is no more";
}

INSTANTIATE_TEST_SUITE_P(Ladder, Promise, rungs_from(1), name_of);

TEST(BrokenPromise, IsFound) {
  const auto judgement = judgement_of(faulty::breaks_promise, 32, 32, 32);
  if (!judgement) GTEST_SKIP() << "this machine does not count";
  EXPECT_FALSE(judgement->promise_kept());
}

// The padded and unpadded tile that cp.async fills. Without padding the lanes of a warp write to the same banks.
TEST(BrokenPromise, IsFoundInWhatCpAsyncWrites) {
  const auto padded = judgement_of(faulty::padded_copy, 32, 32, 32);
  if (!padded) GTEST_SKIP() << "this machine does not count";
  EXPECT_TRUE(padded->promise_kept());
  EXPECT_FALSE(judgement_of(faulty::unpadded_copy, 32, 32, 32)->promise_kept());
}

// The numbers decide the path of rung 14, so its promise covers uniform data only. Other promises cover any data.
TEST(PromiseRules, LeaveOtherDataOutIfTheKernelsWayDependsOnThem) {
  results::Problem problem = results::dense_problem(256, 256, 256);
  problem.data = results::Data::special;
  for (const Rung* rung : ladder::all()) {
    if (rung->promise.empty()) continue;
    EXPECT_EQ(runner::product(*rung, problem).claims.empty(), rung->promise.uniform_data_only)
        << rung->number;
  }
  problem.data = results::Data::uniform;
  EXPECT_FALSE(runner::product(*ladder::all()[14], problem).claims.empty());
}

// A claim that no kernel can break is not a claim.
TEST(PromiseRules, KnowClaimsThatSayNothing) {
  using ladder::Relation;
  const auto says = [](const char* counter, Relation relation, double value) {
    return ladder::can_be_broken({counter, "A", relation, value});
  };
  EXPECT_FALSE(says("shared_bank_conflicts", Relation::at_least, 0));
  EXPECT_FALSE(says("flops_per_global_byte", Relation::at_least, -1));
  EXPECT_FALSE(says("load_sectors_per_request", Relation::at_least, 1));
  EXPECT_FALSE(says("load_sectors_per_request", Relation::at_most, 32));
  EXPECT_FALSE(says("async_copy_share", Relation::at_most, 1));
  EXPECT_FALSE(says("local_bytes", Relation::at_most, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(says("local_bytes", Relation::at_most, std::nan("")));
  EXPECT_FALSE(says("local_bytes", Relation::at_least, std::nan("")));

  EXPECT_TRUE(says("shared_bank_conflicts", Relation::at_least, 1));
  EXPECT_TRUE(says("shared_bank_conflicts", Relation::equal, 0));
  EXPECT_TRUE(says("local_bytes", Relation::at_most, 0));
  EXPECT_TRUE(says("load_sectors_per_request", Relation::at_most, 31));
  EXPECT_TRUE(says("async_copy_share", Relation::at_least, 1));
}

}  // namespace

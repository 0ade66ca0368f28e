// The one judge, on results made by hand.
#include "runner/trial/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/ladder.hpp"
#include "promise/can_be_broken.hpp"
#include "results/values/metrics.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/product_trial.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using device::Claim;
using device::Promise;
using device::Relation;
using results::Problem;
using runner::Values;
using runner::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

const Promise PROMISE{.whole_tiles = 16,
                      .claims = {{"load_sectors_per_request", "A", Relation::equal, 4},
                                 {"shared_bank_conflicts", "", Relation::at_most, 0}}};

// A result whose counts equal the promise.
results::Result counted() {
  results::Result r{.who = {.set = "sgemm", .number = 1, .name = "mine"},
                    .problem = results::dense_problem(32, 16, 48)};
  r.seen.traffic = results::Traffic{.counts = {{"load_requests", "A", 10},
                                               {"load_sectors", "A", 40},
                                               {"load_requests", "B", 10},
                                               {"load_sectors", "B", 320},
                                               {"shared_bank_conflicts", "", 0}}};
  return r;
}

Verdict wrong(const std::string& complaint, cudaError_t error = cudaSuccess) {
  Verdict verdict;
  verdict.error = error;
  verdict.complaint = complaint;
  return verdict;
}

results::Judgement judged(results::Result r, const Verdict& verdict) {
  r.judged = runner::judgement_of(r, verdict);
  const bool speaks = runner::applies(PROMISE, *r.problem);
  runner::judge(speaks ? std::vector(PROMISE.begin(), PROMISE.end()) : std::vector<Claim>(), r);
  return r.judged;
}

results::Judgement judged(const results::Result& r) {
  Verdict right;
  right.correct = true;
  right.compared = 5;
  right.max_abs_error = 0.5;
  return judged(r, right);
}

TEST(Promise, SpeaksOnlyOfWholeDenseTiles) {
  const Problem whole = results::dense_problem(32, 16, 48);
  EXPECT_TRUE(runner::applies(PROMISE, whole));
  const std::pair<const char*, void (*)(Problem&)> changes[] = {
      {"part of a tile, M", [](Problem& p) { p.M = 33; }},
      {"part of a tile, N", [](Problem& p) { p.N = 15, p.ldb = p.ldc = 15; }},
      {"part of a tile, K", [](Problem& p) { p.K = 47, p.lda = 47; }},
      {"no rows", [](Problem& p) { p.M = 0; }},
      {"no columns", [](Problem& p) { p.N = 0; }},
      {"no K", [](Problem& p) { p.K = 0; }},
      {"padded A", [](Problem& p) { p.lda = 49; }},
      {"A off its boundary", [](Problem& p) { p.offset_a = 1; }},
      {"padded B", [](Problem& p) { p.ldb = 20; }},
      {"padded C", [](Problem& p) { p.ldc = 20; }},
      {"no product", [](Problem& p) { p.alpha = 0; }},
      {"C is read", [](Problem& p) { p.beta = 1; }},
      {"a product off its boundary", [](Problem& p) { p.batch = 2, p.stride_b = 48 * 16 + 4; }},
  };
  for (const auto& [what, change] : changes) {
    Problem p = whole;
    change(p);
    EXPECT_FALSE(runner::applies(PROMISE, p)) << what;
  }
  EXPECT_FALSE(runner::applies(Promise{.whole_tiles = 16, .claims = {}}, whole)) << "no claims";
}

TEST(Claim, IsComparedByItsRelation) {
  const auto kept = [](Relation relation, std::optional<double> counted) {
    return runner::check_claim({"load_bytes_per_lane", "A", relation, 4.0}, counted).kept;
  };
  EXPECT_TRUE(kept(Relation::equal, 4.0));
  EXPECT_FALSE(kept(Relation::equal, 4.001));
  EXPECT_FALSE(kept(Relation::equal, 3.999));
  EXPECT_TRUE(kept(Relation::at_most, 4.0));
  EXPECT_TRUE(kept(Relation::at_most, 3.9));
  EXPECT_FALSE(kept(Relation::at_most, 4.1));
  EXPECT_TRUE(kept(Relation::at_least, 4.0));
  EXPECT_TRUE(kept(Relation::at_least, 4.1));
  EXPECT_FALSE(kept(Relation::at_least, 3.9));
  for (const Relation relation : {Relation::equal, Relation::at_most, Relation::at_least}) {
    EXPECT_FALSE(kept(relation, std::nullopt)) << "nothing counted keeps no promise";
    EXPECT_FALSE(kept(relation, std::nan("")));
  }
  EXPECT_TRUE(
      runner::check_claim({"shared_loads_per_ffma", "", Relation::equal, 1.0 / 3}, 1.0 / 3 + 1e-12)
          .kept)
      << "a division's rounding";
}

TEST(Claim, IsShownAsItWasMade) {
  const auto check = runner::check_claim({"local_bytes", "", Relation::at_most, 7}, 8.0);
  EXPECT_EQ(check.counter, "local_bytes");
  EXPECT_EQ(check.buffer, "");
  EXPECT_EQ(check.relation, "<=");
  EXPECT_EQ(check.value, 7);
  EXPECT_THAT(check.counted, Optional(8.0));
  EXPECT_EQ(runner::check_claim({"local_bytes", "A", Relation::equal, 7}, {}).relation, "=");
  EXPECT_EQ(runner::check_claim({"local_bytes", "A", Relation::at_least, 7}, {}).relation, ">=");
}

TEST(Ladder, ClaimsWhatIsCountedAndCanFail) {
  int claims = 0;
  for (const ladder::Rung* rung : ladder::all()) {
    for (const Claim& claim : rung->promise) {
      ++claims;
      const results::Metric* metric = results::find_metric(claim.counter);
      ASSERT_NE(metric, nullptr) << rung->name << " claims " << claim.counter;
      EXPECT_TRUE(device::can_be_broken(claim)) << rung->name << ": " << claim.counter;
      EXPECT_TRUE(std::string(claim.buffer).empty() || metric->of_buffer)
          << rung->name << ": " << claim.counter << " of " << claim.buffer;
      EXPECT_GE(rung->promise.whole_tiles, 1) << rung->name;
    }
    EXPECT_EQ(rung->promise.empty(), rung->number == 0) << rung->name;
  }
  EXPECT_GT(claims, 12);
}

TEST(Judge, ChecksEachClaimWithWhatWasCounted) {
  const results::Judgement j = judged(counted());
  ASSERT_EQ(j.claims.size(), 2u);
  EXPECT_THAT(j.claims[0].counted, Optional(4.0)) << "of A alone";
  EXPECT_TRUE(j.promise_kept());
  results::Result wasteful = counted();
  wasteful.seen.traffic->counts[1].value = 41;
  EXPECT_FALSE(judged(wasteful).promise_kept());
  EXPECT_TRUE(judged(wasteful).claims[1].kept);
}

TEST(Judge, HoldsNobodyToAPromiseThatDoesNotApply) {
  results::Result ragged = counted();
  ragged.problem = results::dense_problem(33, 16, 48);
  EXPECT_THAT(judged(ragged).claims, IsEmpty());
}

// Host code computed the result, or copied it, so no claim was kept. (A device counts nothing in any case.)
TEST(Judge, FindsEveryClaimBrokenOfARightResultThatNoKernelMade) {
  results::Result uncounted = counted();
  uncounted.seen.traffic.reset();
  const results::Judgement j = judged(uncounted);
  if (runner::machine::MEASURES_TIME) {
    EXPECT_THAT(j.claims, IsEmpty());
  } else {
    ASSERT_EQ(j.claims.size(), 2u);
    EXPECT_FALSE(j.promise_kept());
    EXPECT_EQ(j.claims[0].counted, std::nullopt);
  }
  EXPECT_THAT(judged(uncounted, wrong("C[0][0] was never written")).claims, IsEmpty())
      << "what is wrong is told by itself";
}

TEST(Judge, FindsAClaimOfWhatWasNotCountedBroken) {
  results::Result r = counted();
  r.seen.traffic->counts.clear();
  EXPECT_FALSE(judged(r).promise_kept());
  EXPECT_EQ(judged(r).claims[0].counted, std::nullopt);
}

TEST(Judge, TakesTheVerdictOver) {
  const results::Judgement right = judged(counted());
  EXPECT_TRUE(right.correct);
  EXPECT_EQ(right.compared, 5);
  EXPECT_EQ(right.max_abs_error, 0.5);
  EXPECT_EQ(right.error, "");
  const results::Judgement j =
      judged(counted(), wrong("an illegal memory access", cudaErrorIllegalAddress));
  EXPECT_FALSE(j.correct);
  EXPECT_EQ(j.error, "cudaErrorIllegalAddress");
  EXPECT_EQ(j.complaint, "an illegal memory access");
}

TEST(Judge, DoubtsATiming) {
  results::Result r = counted();
  r.seen.timing = results::Timing{.samples_ms = {1, 1}};
  EXPECT_THAT(judged(r).doubts, testing::ElementsAre(HasSubstr("only 2 samples")));
  r.seen.timing->samples_ms = {1, 1, 1, 1, 1};
  EXPECT_THAT(judged(r).doubts, IsEmpty());
}

// The NaN that lay in C spoils the result: 0 times NaN is NaN.
TEST(Judge, SaysThatCIsReadThoughBetaIsZero) {
  Verdict spoiled = wrong("C[0][0] is nan");
  spoiled.first_mismatch = results::Mismatch{.got = std::bit_cast<float>(0x7FFFFFFFu)};
  results::Result r = counted();
  r.seen.traffic->counts.push_back({"load_requests", "C", 12});
  r.seen.lines = {{.file = "mine.cu", .line = 7, .instruction = "st.global.f32", .buffer = "C"},
                  {.file = "mine.cu", .line = 6, .instruction = "ld.global.f32", .buffer = "C"}};
  EXPECT_THAT(judged(r, spoiled).complaint,
              AllOf(HasSubstr("C is read although beta is 0 (12 loads, in mine.cu:6)"),
                    HasSubstr("load C only if beta is not 0"), HasSubstr("C[0][0] is nan")));
  r.problem->beta = 1;
  EXPECT_EQ(judged(r, spoiled).complaint, spoiled.complaint) << "C may be read";
  EXPECT_EQ(judged(counted(), spoiled).complaint, spoiled.complaint) << "it is not read";
  r.problem->beta = 0;
  EXPECT_EQ(judged(r).complaint, "") << "a right result needs no reading";
}

// A kernel that adds up parts of the sum in C reads its own stores. Its result is wrong by another mistake.
TEST(Judge, DoesNotBlameTheReadingOfCForANumberOrAnElementThatWasNeverWritten) {
  results::Result r = counted();
  r.seen.traffic->counts.push_back({"load_requests", "C", 12});
  for (const float got : {1.5F, std::bit_cast<float>(runner::POISON_BITS)}) {
    Verdict other = wrong("C[0][0] is another");
    other.first_mismatch = results::Mismatch{.got = got};
    EXPECT_EQ(judged(r, other).complaint, other.complaint) << got;
  }
}

// The same fault of a kernel that runs.
TEST(Judge, SaysWhichLineReadsC) {
  results::Result r{.problem = results::dense_problem(50, 40, 30)};
  runner::Verifier verifier(*r.problem, {.guard = runner::machine::GUARD});
  const Verdict verdict = verifier.check([&](const ladder::Sgemm& sgemm, Values values) {
    results::Observation unseen;
    return runner::run_product(faulty::reads_c_always, sgemm,
                               values == Values::reals ? r.seen : unseen);
  });
  const std::string complaint = runner::judgement_of(r, verdict).complaint;
  EXPECT_THAT(complaint, HasSubstr("all 2000 elements are wrong"));
  if (runner::machine::MEASURES_TIME) {  // a machine that does not count cannot know
    EXPECT_THAT(complaint, Not(HasSubstr("C is read")));
  } else {
    EXPECT_THAT(complaint,
                AllOf(HasSubstr("C is read although beta is 0"), HasSubstr("faulty_kernels.cu:")));
  }
}

}  // namespace

// The verdicts on the GPUs of a cluster.
#include "results/compare/acceptance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>

#include "results/values/counts.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::Change;
using results::GpuRun;
using results::GpuVerdict;
using results::JudgedGpu;
using results::JudgedRow;
using results::Machine;
using results::Result;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns a rung whose samples scatter by a hundredth of a per cent, beside a reference, at a clock.
Result row(double ms, int number = 12, double mhz = 1980) {
  Result r = made::timed(made::rung(number, number == 12 ? "stream_k" : "tuned", 4096), ms, 2.5);
  r.seen.timing->samples_ms.clear();
  for (int i = 0; i < 20; ++i) r.seen.timing->samples_ms.push_back(ms * (1 + 1e-5 * i));
  r.seen.timing->reference_samples_ms.assign(20, 2.5);
  r.seen.timing->clocks_mhz = {mhz - 15, mhz, mhz};
  return r;
}

Result counted(uint64_t sectors) {
  return made::counted(made::rung(1, "naive"), {{results::counts::LOAD_SECTORS, "A", sectors}});
}

GpuRun gpu(int rank, std::vector<Result> rows, Machine machine = Machine::cuda) {
  GpuRun one{.rank = rank,
             .host = "node" + std::to_string(rank / 4),
             .gpu = std::to_string(rank % 4),
             .run = made::run_of(machine, std::move(rows))};
  one.run->from.driver = "570.1";
  one.run->from.cuda = "12.8";
  one.run->from.cublas = "12.8.4";
  return one;
}

// Returns a GPU for each time.
std::vector<GpuRun> gpus_of(const std::vector<double>& times) {
  std::vector<GpuRun> runs;
  for (const double ms : times) runs.push_back(gpu(static_cast<int>(runs.size()), {row(ms)}));
  return runs;
}

GpuRun without_run(int rank, bool is_wrong, std::vector<std::string> reasons = {"the reason"}) {
  return {.rank = rank,
          .host = "node0",
          .gpu = "7",
          .run = {},
          .is_wrong = is_wrong,
          .reasons = std::move(reasons)};
}

std::vector<GpuVerdict> verdicts(const std::vector<JudgedGpu>& gpus) {
  std::vector<GpuVerdict> all;
  for (const JudgedGpu& one : gpus) all.push_back(one.verdict);
  return all;
}
std::vector<GpuVerdict> verdicts(const std::vector<GpuRun>& runs) {
  return verdicts(results::judge(runs));
}

constexpr auto OK = GpuVerdict::ok, UNSURE = GpuVerdict::unsure, CHANGED = GpuVerdict::changed,
               SLOWER = GpuVerdict::slower, THROTTLED = GpuVerdict::throttled,
               OTHER = GpuVerdict::other, FAILED = GpuVerdict::failed, WRONG = GpuVerdict::wrong;

TEST(Acceptance, NamesTheGpuThatIsSlower) {
  const std::vector<JudgedGpu> gpus = results::judge(gpus_of({3, 3.3, 3, 3.01}));
  EXPECT_THAT(verdicts(gpus), ElementsAre(OK, SLOWER, OK, OK));
  EXPECT_EQ(results::name_of(gpus[1]), "rank 1 (node0, GPU 1)");
  EXPECT_THAT(gpus[1].reasons,
              ElementsAre(HasSubstr("12 stream_k at 4096x4096x4096 is 9.1 % slower than on rank 2, "
                                    "the median GPU (threshold 3.0 %, p = ")));
  EXPECT_THAT(gpus[0].reasons, IsEmpty());
  const JudgedRow& slow = gpus[1].rows.at(0);
  EXPECT_EQ(slow.name, "sgemm/12_stream_k/4096x4096x4096");
  EXPECT_EQ(slow.kernel, "12 stream_k");
  EXPECT_EQ(slow.M, 4096);
  EXPECT_EQ(slow.base_rank, 2);
  EXPECT_EQ(slow.compared.verdict, Change::slower);
  EXPECT_NEAR(slow.compared.change_percent.value(), -9.09, 0.01);
  EXPECT_NEAR(slow.compared.base_ms.value(), 3, 0.001);
  EXPECT_NEAR(slow.quartiles_ms.value()[1], 3.3, 0.001);
  EXPECT_FALSE(slow.compared.base_percent) << "the reference counts for nothing";
}

// The median is the one at place (n - 1) / 2 of the ascending times: of two the faster one.
TEST(Acceptance, TheMedianGpuIsTheMeasure) {
  const auto base_of = [](const std::vector<double>& times) {
    return results::judge(gpus_of(times)).at(0).rows.at(0).base_rank;
  };
  EXPECT_EQ(base_of({3.3, 3}), 1);
  EXPECT_EQ(base_of({3, 3.3}), 0);
  EXPECT_EQ(base_of({1, 3, 2}), 2);
  EXPECT_EQ(base_of({4, 1, 3, 2}), 3);
  EXPECT_EQ(base_of({5, 1, 3, 2, 4}), 2);
  EXPECT_THAT(verdicts(gpus_of({3.3, 3})), ElementsAre(SLOWER, OK));
}

TEST(Acceptance, ALittleSlowerOrFasterIsOk) {
  EXPECT_THAT(verdicts(gpus_of({3, 3, 3.08})), ElementsAre(OK, OK, OK));
  EXPECT_THAT(verdicts(gpus_of({3, 3, 2})), ElementsAre(OK, OK, OK));
}

TEST(Acceptance, EachRowHasAMedianOfItsOwn) {
  const std::vector<JudgedGpu> gpus = results::judge(
      {gpu(0, {row(3), row(1, 11)}), gpu(1, {row(2), row(2, 11)}), gpu(2, {row(1), row(3, 11)})});
  for (const JudgedGpu& one : gpus) {
    EXPECT_EQ(one.rows[0].base_rank, 1);
    EXPECT_EQ(one.rows[1].base_rank, 1);
  }
  EXPECT_THAT(verdicts(gpus), ElementsAre(SLOWER, OK, SLOWER));
  EXPECT_EQ(results::worst_row(gpus[0])->kernel, "12 stream_k");
  EXPECT_EQ(results::worst_row(gpus[2])->kernel, "11 tuned");
}

// Both rows are slower. The reasons begin with the slower one.
TEST(Acceptance, TellsTheSlowestRowFirst) {
  const std::vector<JudgedGpu> gpus =
      results::judge({gpu(0, {row(3), row(1, 11)}), gpu(1, {row(3.2), row(1.5, 11)})});
  EXPECT_THAT(gpus[1].reasons,
              ElementsAre(HasSubstr("11 tuned at 4096x4096x4096 is 33.3 % slower"),
                          "2 rows are slower: 11 tuned at 4096x4096x4096, 12 stream_k at "
                          "4096x4096x4096"));
}

// The reference is slower by as much, so the ratio to it is the same.
TEST(Acceptance, JudgesTheReferenceLikeAnyOtherRow) {
  std::vector<GpuRun> runs = gpus_of({3, 3, 3.3});
  for (double& ms : runs[2].run->results[0].seen.timing->reference_samples_ms) ms *= 1.1;
  EXPECT_THAT(verdicts(runs), ElementsAre(OK, OK, SLOWER));
  for (GpuRun& one : runs) {
    one.run->results[0].seen.timing->is_reference = true;
    one.run->results[0].seen.timing->reference_samples_ms.clear();
  }
  EXPECT_THAT(verdicts(runs), ElementsAre(OK, OK, SLOWER));
}

TEST(Acceptance, ALowerClockIsAReasonAndNoExcuse) {
  std::vector<GpuRun> runs = gpus_of({3, 3, 3.3});
  runs[2].run->results[0] = row(3.3, 12, 1755);
  for (GpuRun& one : runs) {
    one.run->from.power_limit_watts = one.rank == 2 ? 500 : 700;
    one.run->from.clock_limit_mhz = one.rank == 2 ? 1755 : 1980;
    one.run->results[0].seen.timing->reference_samples_ms.clear();
  }
  const std::vector<JudgedGpu> gpus = results::judge(runs);
  EXPECT_THAT(verdicts(gpus), ElementsAre(OK, OK, SLOWER));
  EXPECT_THAT(gpus[2].reasons,
              ElementsAre(HasSubstr("slower than on rank 1"),
                          "its clock was 1755 MHz, and 1980 MHz on rank 1",
                          "its power limit is 500 W, and 700 W on rank 1",
                          "its highest allowed clock is 1755 MHz, and 1980 MHz on rank 1"));
  EXPECT_THAT(gpus[2].clocks_mhz.value(), ElementsAre(1740, 1755, 1755));
  EXPECT_EQ(gpus[2].power_limit_watts, 500);
}

TEST(Acceptance, IsNotCertainOfTimesThatScatter) {
  std::vector<GpuRun> runs = gpus_of({3, 3, 3});
  std::vector<double>& samples = runs[2].run->results[0].seen.timing->samples_ms;
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = i % 2 == 0 ? 2.0 : 4.0;
  const std::vector<JudgedGpu> gpus = results::judge(runs);
  EXPECT_THAT(verdicts(gpus), ElementsAre(OK, OK, UNSURE));
  EXPECT_THAT(gpus[2].reasons, ElementsAre(HasSubstr("12 stream_k at 4096x4096x4096 is not certain "
                                                     "beside rank ")));
}

TEST(Acceptance, ASlowdownIsAVerdictOfItsOwn) {
  for (const char* fault : {"thermal slowdown", "hardware slowdown", "external power brake"}) {
    std::vector<GpuRun> runs = gpus_of({3, 3.3, 3});
    runs[0].run->results[0].seen.timing->slowdowns = {fault};
    runs[1].run->results[0].seen.timing->slowdowns = {fault};
    runs[2].run->results[0].seen.timing->slowdowns = {"power limit"};
    const std::vector<JudgedGpu> gpus = results::judge(runs);
    EXPECT_THAT(verdicts(gpus), ElementsAre(THROTTLED, THROTTLED, OK));
    const std::string reason = fault + std::string(" during 1 row: 12 stream_k at 4096x4096x4096");
    EXPECT_THAT(gpus[0].reasons, ElementsAre(reason));
    EXPECT_THAT(gpus[1].reasons, ElementsAre(reason, HasSubstr("9.1 % slower")));
  }
}

TEST(Acceptance, AWrongResultIsTheGravestVerdict) {
  std::vector<GpuRun> runs = gpus_of({3, 3, 3, 3.3});
  runs[1] = without_run(1, true);
  runs[3].run->results[0].judged.correct = false;
  runs[3].run->results[0].judged.complaint = "C[0][0] is 1, should be 2";
  runs[3].run->results[0].seen.timing->slowdowns = {"thermal slowdown"};
  runs[3].run->from.driver = "580";
  const std::vector<JudgedGpu> gpus = results::judge(runs);
  EXPECT_THAT(verdicts(gpus), ElementsAre(OK, WRONG, OK, WRONG));
  EXPECT_THAT(gpus[1].reasons, ElementsAre("the reason"));
  EXPECT_EQ(gpus[3].reasons.front(), "stream_k: C[0][0] is 1, should be 2");
}

// The GPU in the middle is wrong. It is no measure for the others.
TEST(Acceptance, AWrongGpuIsNoMeasure) {
  std::vector<GpuRun> runs = gpus_of({3.5, 3, 4});
  runs[0].run->results[0].judged.correct = false;
  const std::vector<JudgedGpu> gpus = results::judge(runs);
  EXPECT_THAT(verdicts(gpus), ElementsAre(WRONG, OK, SLOWER));
  EXPECT_EQ(gpus[2].rows[0].base_rank, 1);
}

TEST(Acceptance, AGpuWithoutResultsHasFailed) {
  const std::vector<JudgedGpu> gpus =
      results::judge({gpu(0, {row(3)}), gpu(1, {row(3)}), gpu(2, {}), without_run(3, false),
                      without_run(4, false, {})});
  EXPECT_THAT(verdicts(gpus), ElementsAre(OK, OK, FAILED, FAILED, FAILED));
  EXPECT_THAT(gpus[2].reasons, Contains("its run has no result"));
  EXPECT_THAT(gpus[4].reasons, Contains("it gave no result, and no reason"));
}

TEST(Acceptance, AnotherModelOrVersionIsNotCompared) {
  const auto differs = [](const std::function<void(results::Provenance&)>& change) {
    std::vector<GpuRun> runs = gpus_of({3, 1, 3});
    change(runs[1].run->from);
    const std::vector<JudgedGpu> gpus = results::judge(runs);
    EXPECT_THAT(verdicts(gpus), ElementsAre(OK, OTHER, OK));
    EXPECT_FALSE(gpus[1].rows[0].base_rank);
    EXPECT_EQ(gpus[0].rows[0].base_rank, 0) << "the GPU is no measure either";
    return gpus[1].reasons;
  };
  EXPECT_THAT(differs([](auto& from) { from.device = "Example E200"; }),
              ElementsAre("its device is Example E200 sm_90, and Example E100 sm_90 on rank 0"));
  EXPECT_THAT(differs([](auto& from) { from.driver = "580"; }),
              ElementsAre("its driver is 580, and 570.1 on rank 0"));
  EXPECT_THAT(differs([](auto& from) { from.cuda = "13.0"; }), ElementsAre(HasSubstr("its CUDA")));
  EXPECT_THAT(differs([](auto& from) { from.cublas = "13.1"; }),
              ElementsAre(HasSubstr("its cuBLAS is 13.1")));
}

TEST(Acceptance, MostGpusDecideWhichOneIsOther) {
  std::vector<GpuRun> runs = gpus_of({3, 3, 3});
  runs[0].run->from.driver = "580";
  EXPECT_THAT(verdicts(runs), ElementsAre(OTHER, OK, OK));
  runs[1].run->from.driver = std::nullopt;
  EXPECT_THAT(verdicts(runs), ElementsAre(OK, OK, OTHER)) << "one each: the lower rank decides";
}

// All of none is no pass.
TEST(Acceptance, AGpuAloneHasNothingToBeComparedWith) {
  const std::vector<JudgedGpu> alone = results::judge(gpus_of({3}));
  EXPECT_THAT(verdicts(alone), ElementsAre(UNSURE));
  EXPECT_THAT(alone[0].reasons, ElementsAre(HasSubstr("there is nothing to compare it with")));
  EXPECT_FALSE(alone[0].rows[0].base_rank);

  EXPECT_THAT(verdicts({gpu(0, {row(3)}), without_run(1, true)}), ElementsAre(UNSURE, WRONG));
  std::vector<GpuRun> of_two_models = gpus_of({3, 3});
  of_two_models[1].run->from.device = "Example E200";
  EXPECT_THAT(verdicts(of_two_models), ElementsAre(UNSURE, OTHER));
  EXPECT_THAT(verdicts(std::vector<GpuRun>()), IsEmpty());
}

TEST(Acceptance, ARowAloneHasNothingToBeComparedWith) {
  const std::vector<JudgedGpu> gpus =
      results::judge({gpu(0, {row(3)}), gpu(1, {row(3), row(1, 11)})});
  EXPECT_THAT(verdicts(gpus), ElementsAre(UNSURE, UNSURE));
  EXPECT_THAT(gpus[0].reasons,
              ElementsAre("other GPUs have results that it lacks: 11 tuned at 4096x4096x4096"));
  EXPECT_THAT(gpus[1].reasons, ElementsAre("no other GPU like it has right results for 11 tuned at "
                                           "4096x4096x4096"));
}

TEST(Acceptance, CountsThatDifferHaveChanged) {
  const auto judged = [](const std::vector<uint64_t>& sectors) {
    std::vector<GpuRun> runs;
    for (const uint64_t one : sectors)
      runs.push_back(gpu(static_cast<int>(runs.size()), {counted(one)}, Machine::simulator));
    return results::judge(runs);
  };
  EXPECT_THAT(verdicts(judged({16, 16})), ElementsAre(OK, OK));
  const std::vector<JudgedGpu> gpus = judged({8, 16, 16, 128});
  EXPECT_THAT(verdicts(gpus), ElementsAre(CHANGED, OK, OK, CHANGED)) << "most GPUs are the measure";
  EXPECT_THAT(gpus[3].reasons, ElementsAre(HasSubstr("1 naive at 64x64x64 is not as on rank 1: ")));
  EXPECT_EQ(results::worst_row(gpus[3])->kernel, "1 naive");
  EXPECT_EQ(results::worst_row(gpus[1]), nullptr);
}

TEST(Acceptance, TellsOfManyRowsOnlyTheFirst) {
  std::vector<Result> right, changed;
  for (int number = 1; number <= 5; ++number) {
    right.push_back(made::counted(made::rung(number, "rung"), {{"launches", "", 1}}));
    changed.push_back(made::counted(made::rung(number, "rung"), {{"launches", "", 2}}));
  }
  const std::vector<JudgedGpu> gpus =
      results::judge({gpu(0, right, Machine::simulator), gpu(1, changed, Machine::simulator)});
  ASSERT_EQ(gpus[1].reasons.size(), 4U);
  EXPECT_EQ(gpus[1].reasons.back(), "5 of its rows are CHANGED, and these are the first");
}

// ---- All of them.

TEST(AllGpus, PassIfNoneHasAFault) {
  const auto all = [](std::initializer_list<GpuVerdict> verdicts) {
    std::vector<JudgedGpu> gpus;
    for (const GpuVerdict verdict : verdicts)
      gpus.push_back(
          {.rank = static_cast<int>(gpus.size()), .host = "node", .gpu = "7", .verdict = verdict});
    return gpus;
  };
  EXPECT_TRUE(results::all_pass(all({OK, UNSURE})));
  EXPECT_FALSE(results::all_pass({})) << "all of none is no pass";
  EXPECT_EQ(results::told({}), "no GPU was measured");
  for (const GpuVerdict fault : {CHANGED, SLOWER, THROTTLED, OTHER, FAILED, WRONG})
    EXPECT_FALSE(results::all_pass(all({OK, fault}))) << results::name_of(fault);
  EXPECT_EQ(results::told(all({OK, OK})), "");
  EXPECT_EQ(results::told(all({OK, UNSURE})),
            "the verdict on 1 of 2 GPUs is not certain: rank 1 (node, GPU 7) is UNSURE");
  EXPECT_EQ(results::told(all({OK, UNSURE, SLOWER})),
            "1 of 3 GPUs does not pass: rank 2 (node, GPU 7) is SLOWER");
  EXPECT_EQ(results::told(all({WRONG, THROTTLED})),
            "2 of 2 GPUs do not pass: rank 0 (node, GPU 7) is WRONG, rank 1 (node, GPU 7) is "
            "THROTTLED");
}

}  // namespace

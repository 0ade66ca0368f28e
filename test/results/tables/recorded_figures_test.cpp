// The figures of a recorded run that may replace missing times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "results/tables/table.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::Machine;
using results::Result;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t SIZE = results::RECORDED_SIZE;

results::Run recorded(const std::function<void(Result&)>& change = [](Result&) {}) {
  Result naive = made::timed(made::rung(1, "naive", SIZE), 200, 3);
  change(naive);
  return made::run_of(Machine::cuda, {naive});
}

bool has_figures(const results::Run& run) {
  return std::ranges::any_of(run.results, results::can_stand_in);
}

// Returns the simulated run whose table borrows the figures.
results::Run today(int64_t size = 64) {
  return made::run_of(Machine::simulator, {made::counted(made::rung(1, "naive", size),
                                                         {{"global_bytes_fetched", "", 64}})});
}

std::string table_with(const results::Run& baseline) {
  return results::to_table(today(), {baseline}, {.unicode = true});
}

TEST(RecordedFigures, StandInStarred) {
  EXPECT_TRUE(has_figures(recorded()));
  const std::string table = table_with(recorded());
  EXPECT_THAT(table, HasSubstr("% cuBLAS *"));
  EXPECT_THAT(table, HasSubstr("1.5\n"));
  EXPECT_THAT(table, HasSubstr("* measured on an Example E100 on 2026-01-02 at 4096³; all else is "
                               "counted here, at 64³"));
}

TEST(RecordedFigures, OfSeveralDaysNameTheFirstAndTheLast) {
  results::Run baseline = recorded();
  results::Result later = baseline.results.at(0);
  later.who = made::rung(2, "coalesced", SIZE).who;
  later.date = "2026-01-05T10:00:00+00:00";
  baseline.results.push_back(later);
  results::Run both = today();
  both.results.push_back(
      made::counted(made::rung(2, "coalesced", 64), {{"global_bytes_fetched", "", 64}}));
  EXPECT_THAT(results::to_table(both, {baseline}, {.unicode = true}),
              HasSubstr("* measured on an Example E100 from 2026-01-02 to 2026-01-05 at 4096³"));
}

TEST(RecordedFigures, AreAbsentWithoutARecordedRun) {
  EXPECT_THAT(results::to_table(today(), {}, {}), Not(HasSubstr("cuBLAS")));
}

TEST(RecordedFigures, DoNotDependOnTheSeed) {
  EXPECT_TRUE(has_figures(recorded([](Result& r) { r.problem->seed = 77; })));
}

TEST(RecordedFigures, AreOfSoundWarmRowsAtTheRecordedSize) {
  const std::pair<const char*, std::function<void(Result&)>> unfit[] = {
      {"another size", [](Result& r) { r.problem = results::dense_problem(128, 128, 128); }},
      {"another shape", [](Result& r) { r.problem = results::dense_problem(SIZE, SIZE, 1); }},
      {"padded rows", [](Result& r) { r.problem->lda += 4; }},
      {"a matrix off its boundary", [](Result& r) { r.problem->offset_b = 4; }},
      {"another alpha", [](Result& r) { r.problem->alpha = 2; }},
      {"another beta", [](Result& r) { r.problem->beta = 1; }},
      {"a cold L2", [](Result& r) { r.seen.timing->options.cold = true; }},
      {"a wrong result", [](Result& r) { r.judged.correct = false; }},
      {"no time", [](Result& r) { r.seen.timing.reset(); }},
      {"no reference", [](Result& r) { r.seen.timing->reference_samples_ms.clear(); }},
      {"a kernel of the user's", [](Result& r) { r.who.set = "kernel"; }},
  };
  for (const auto& [what, change] : unfit) {
    EXPECT_FALSE(has_figures(recorded(change))) << what;
    EXPECT_THAT(table_with(recorded(change)), Not(HasSubstr("cuBLAS"))) << what;
  }
  EXPECT_FALSE(has_figures(made::run_of(Machine::cuda, {})));
}

TEST(RecordedFigures, AreNotLentToOthers) {
  results::Run run = today();
  run.results[0].who.name = "coalesced";
  const results::Run naive_only = recorded();
  EXPECT_THAT(results::to_table(run, {naive_only}, {}), Not(HasSubstr("cuBLAS")))
      << "a rung that was not recorded";
  run = today();
  run.results[0].who.set = "kernel";
  EXPECT_THAT(results::to_table(run, {naive_only}, {}), Not(HasSubstr("cuBLAS")))
      << "a stranger's kernel of the same name";
  run = today();
  run.results[0].problem = results::dense_problem(0, 64, 64);
  EXPECT_THAT(results::to_table(run, {naive_only}, {}), Not(HasSubstr("cuBLAS")))
      << "an empty product has no per cent of anything";
}

TEST(RecordedFigures, AreNotMixedWithMeasuredOnes) {
  results::Run measured = recorded();
  measured.from.device = "Another GPU";
  const results::Run other = recorded();
  EXPECT_THAT(results::to_table(measured, {other}, {}), Not(HasSubstr("*")));
}

// ---- Figures of labs, found by lab and variant. Their sizes do not matter.

results::Run recorded_lab(const std::function<void(Result&)>& change = [](Result&) {}) {
  results::Run run = made::of_a_lab();
  run.results[0].who.parameters = {{"elements", 1 << 24}};
  run.results[0].seen.kernels = {{.name = "copy", .registers = 24, .blocks_per_multiprocessor = 8}};
  change(run.results[0]);
  return run;
}

// Returns a simulated run of the same lab, at other sizes.
results::Run lab_today() {
  results::Run run = made::of_a_lab();
  run.from.machine = Machine::simulator;
  for (Result& r : run.results) r.seen.timing.reset();
  return run;
}

std::string lab_table_with(const results::Run& baseline) {
  return results::to_table(lab_today(), {baseline}, {});
}

TEST(RecordedLabFigures, StandInStarredWithTheirSizes) {
  EXPECT_TRUE(has_figures(recorded_lab()));
  const std::string table = lab_table_with(recorded_lab());
  EXPECT_THAT(table, HasSubstr("registers *  blocks/SM *  % copy *"));
  EXPECT_THAT(table, HasSubstr("24            8      50.0"));
  EXPECT_THAT(table, HasSubstr("* measured on an Example E100 on 2026-01-02 at elements 16777216; "
                               "all else is counted here, at elements 16384"));
}

TEST(RecordedLabFigures, AreOfTheSameVariantSoundAndWarm) {
  const std::pair<const char*, std::function<void(Result&)>> unfit[] = {
      {"another lab", [](Result& r) { r.who.name = "copy_width"; }},
      {"another variant", [](Result& r) { r.who.variant = "4"; }},
      {"not of a lab", [](Result& r) { r.who.set = "kernel"; }},
      {"a cold L2", [](Result& r) { r.seen.timing->options.cold = true; }},
      {"a wrong result", [](Result& r) { r.judged.correct = false; }},
      {"no time", [](Result& r) { r.seen.timing.reset(); }},
  };
  for (const auto& [what, change] : unfit)
    EXPECT_THAT(lab_table_with(recorded_lab(change)), Not(HasSubstr("*"))) << what;
}

TEST(RecordedLabFigures, AreTimesWhereThereIsNoCopy) {
  const auto without_copy = [](Result& r) {
    r.seen.timing->is_against_copy = false;
    r.seen.timing->reference_samples_ms.clear();
  };
  const std::string table = lab_table_with(recorded_lab(without_copy));
  EXPECT_THAT(table, HasSubstr("time *"));
  EXPECT_THAT(table, HasSubstr("4.00 ms"));
  EXPECT_THAT(table, Not(HasSubstr("% copy")));
}

TEST(RecordedLabFigures, AreNotMixedWithMeasuredOnes) {
  const results::Run other = recorded_lab();
  EXPECT_THAT(results::to_table(made::of_a_lab(), {other}, {}), Not(HasSubstr("*")));
}

// A file with rungs and labs, like bench/baselines/simulator.json.
TEST(RecordedLabFigures, StandBesideTheLaddersInOneFile) {
  results::Run both = today();
  for (const Result& r : lab_today().results) both.results.push_back(r);
  both.lessons = lab_today().lessons;
  const results::Run ladder = recorded(), labs = recorded_lab();
  const std::string table = results::to_table(both, {ladder, labs}, {});
  EXPECT_THAT(table, HasSubstr("% cuBLAS *"));
  EXPECT_THAT(table, HasSubstr("% copy *"));
  EXPECT_THAT(table, HasSubstr("all else is counted here, at the size over each table"));
}

}  // namespace

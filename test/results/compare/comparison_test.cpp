// The verdict on a row and its certainty, and several runs put together.
#include "results/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/compare/comparison_table.hpp"
#include "results/values/metrics.hpp"
#include "results/values/statistics.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::Change;
using results::Compared;
using results::Machine;
using results::Result;
using results::Timing;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double REFERENCE_MS = 2.5;

// Returns values that scatter evenly around `middle`, up to `scatter` of it to each side.
std::vector<double> around(double middle, double scatter, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(middle * (1 + scatter * (2.0 * i / (count - 1) - 1)));
  return values;
}

// Returns a rung whose runs have these median times, beside a reference of REFERENCE_MS.
Result rung_of_runs(const std::vector<double>& medians_ms, double scatter = 0.001,
                    int samples = 10) {
  Result r = made::timed(made::rung(6, "vector_float4", 4096), 1, 1);
  Timing& t = *r.seen.timing;
  t.samples_ms.clear();
  t.reference_samples_ms.clear();
  for (const double ms : medians_ms) {
    for (const double sample : around(ms, scatter, samples)) {
      t.samples_ms.push_back(sample);
      t.reference_samples_ms.push_back(REFERENCE_MS);
    }
    if (medians_ms.size() > 1) t.samples_of_runs.push_back(samples);
  }
  return r;
}

results::Run timed_run(Result r) { return made::run_of(Machine::cuda, {std::move(r)}); }

Compared compared(results::Run base, results::Run now) {
  results::compare(base, "base.json", now);
  return now.results.at(0).compared.value();
}
Compared compared(Result base, Result now) {
  return compared(timed_run(std::move(base)), timed_run(std::move(now)));
}

// ---- Times.

TEST(Verdict, IsSameWithinTheLeastChange) {
  const Compared c = compared(rung_of_runs({3, 3, 3}), rung_of_runs({3.08, 3.08, 3.08}));
  EXPECT_EQ(c.verdict, Change::same);
  EXPECT_NEAR(*c.change_percent, -2.6, 0.01);
  EXPECT_DOUBLE_EQ(*c.threshold_percent, 3);
  EXPECT_LT(*c.p_value, 0.01) << "the rank test alone would tell them apart";
}

TEST(Verdict, IsSlowerAndFasterBeyondIt) {
  const Compared slower = compared(rung_of_runs({3, 3, 3}), rung_of_runs({3.15, 3.15, 3.15}));
  EXPECT_EQ(slower.verdict, Change::slower);
  EXPECT_NEAR(*slower.change_percent, -4.76, 0.01);
  EXPECT_THAT(slower.reasons, ElementsAre(HasSubstr("the ratio to cuBLAS changed by -4.8 %")));
  EXPECT_EQ(compared(rung_of_runs({3.15, 3.15, 3.15}), rung_of_runs({3, 3, 3})).verdict,
            Change::faster);
}

TEST(Verdict, IsByTheRatioAndNotByTheTime) {
  // The device runs a tenth slower: kernel and reference alike.
  Result now = rung_of_runs({3.3, 3.3, 3.3});
  for (double& ms : now.seen.timing->reference_samples_ms) ms *= 1.1;
  now.seen.timing->clocks_mhz = {1780, 1780, 1780};
  EXPECT_EQ(compared(rung_of_runs({3, 3, 3}), now).verdict, Change::same);
}

// Each run knows its median well, but the runs disagree. Their differences are no change of the kernel.
TEST(Verdict, IsNotSureOfWhatRunsScatterBy) {
  const Compared c = compared(rung_of_runs({3, 3.12, 2.94}), rung_of_runs({3.12, 3.24, 3.06}));
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_GT(*c.threshold_percent, 5);
}

// A single run has no scatter between runs, so it gets the scatter of the other runs.
TEST(Verdict, OfASingleRunHasTheScatterOfTheOthers) {
  const Result base = rung_of_runs({3, 3.03, 2.97}), now = rung_of_runs({3.1});
  for (const Compared& c : {compared(base, now), compared(now, base)}) {
    EXPECT_EQ(c.verdict, Change::unsure);
    EXPECT_NEAR(*c.threshold_percent, 3 * std::hypot(1, 1 / std::sqrt(3)), 0.05);
  }
}

TEST(Verdict, IsNotSureWhereTheRankTestDoesNotAgree) {
  // There are few samples. Their medians lie apart, perhaps by chance.
  const Compared c = compared(rung_of_runs({3}, 0.0001, 3), rung_of_runs({3.3}, 0.0001, 3));
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_THAT(c.reasons, ElementsAre(HasSubstr("the rank test does not tell")));
}

TEST(Verdict, IsNotSureWhereItWasTheReferenceThatMoved) {
  Result now = rung_of_runs({3, 3, 3});
  for (double& ms : now.seen.timing->reference_samples_ms) ms *= 1.05;
  const Compared c = compared(rung_of_runs({3, 3, 3}), now);
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_THAT(c.reasons, ElementsAre(HasSubstr("it was cuBLAS that moved")));
}

// The reference moved too, and hides it.
TEST(Verdict, IsNotSureWhereTheKernelsOwnTimeMoved) {
  Result now = rung_of_runs({3.15, 3.15, 3.15});
  for (double& ms : now.seen.timing->reference_samples_ms) ms *= 1.04;
  const Compared c = compared(rung_of_runs({3, 3, 3}), now);
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_THAT(c.reasons, ElementsAre(HasSubstr("the kernel's own speed changed by -4.8 %")));
}

TEST(Verdict, IsNotSureWhereAChangeCouldHide) {
  const Compared c = compared(rung_of_runs({3, 3, 3}, 0.3), rung_of_runs({3, 3, 3}, 0.3));
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_THAT(c.reasons, ElementsAre(HasSubstr("would not show")));
}

TEST(Verdict, OfTheReferenceIsNone) {
  Result base = made::timed(made::rung(0, "cuBLAS"), 2, 2),
         now = made::timed(made::rung(0, "cuBLAS"), 4, 4);
  for (Result* r : {&base, &now}) {
    r->seen.timing->is_reference = true;
    r->seen.timing->reference_samples_ms.clear();
  }
  EXPECT_EQ(compared(base, now).verdict, Change::same);
}

TEST(Verdict, OfWhatHasNoReferenceIsByItsTime) {
  const auto alone = [](double ms, double clock) {
    Result r = rung_of_runs({ms, ms, ms});
    r.seen.timing->reference_samples_ms.clear();
    r.seen.timing->clocks_mhz = {clock, clock, clock};
    return r;
  };
  EXPECT_EQ(compared(alone(3, 1980), alone(3.3, 1980)).verdict, Change::slower);
  const Compared c = compared(alone(3, 1980), alone(3.3, 1700));
  EXPECT_EQ(c.verdict, Change::unsure);
  EXPECT_THAT(c.reasons, ElementsAre(HasSubstr("the clock was another")));
}

// ---- Counters.

Result counted_rung(uint64_t sectors) {
  return made::counted(made::rung(1, "naive"),
                       {{results::counts::LOAD_REQUESTS, "A", 4},
                        {results::counts::LOAD_SECTORS, "A", sectors},
                        {results::counts::GLOBAL_BYTES_FETCHED, "", 32 * sectors},
                        {"warp_instructions", "", sectors}});
}

Compared compared_counts(Result base, Result now) {
  return compared(made::run_of(Machine::simulator, {std::move(base)}),
                  made::run_of(Machine::simulator, {std::move(now)}));
}

TEST(Counters, AreSameOrChanged) {
  EXPECT_EQ(compared_counts(counted_rung(16), counted_rung(16)).verdict, Change::same);
  const Compared c = compared_counts(counted_rung(16), counted_rung(128));
  EXPECT_EQ(c.verdict, Change::changed);
  EXPECT_THAT(c.reasons, Contains("load sectors A 128, was 16 (8 times)"));
  EXPECT_EQ(c.reasons.front(), "worse: sectors of global memory 128, was 16") << "what it comes to";
  EXPECT_THAT(c.reasons, Not(Contains(HasSubstr("instructions"))));
}

TEST(Counters, OfInstructionsAreTheCompilersChoice) {
  Result now = counted_rung(16);
  now.seen.traffic->counts.back().value = 17;
  EXPECT_EQ(compared_counts(counted_rung(16), now).verdict, Change::same);
}

// "buffer 11" is the eleventh of all allocations.
TEST(Counters, OfAKernelsOwnBuffersHaveNoNumber) {
  Result base = counted_rung(16), now = base;
  base.seen.traffic->counts.push_back({results::counts::STORE_SECTORS, "buffer 11", 8});
  now.seen.traffic->counts.push_back({results::counts::STORE_SECTORS, "buffer 12", 8});
  EXPECT_EQ(compared_counts(base, now).verdict, Change::same);
  now.seen.traffic->counts.back().value = 9;
  EXPECT_EQ(compared_counts(base, now).verdict, Change::changed);
}

TEST(Counters, ThatAreGoneOrNew) {
  Result fewer = counted_rung(16);
  fewer.seen.traffic->counts.erase(fewer.seen.traffic->counts.begin());
  EXPECT_EQ(compared_counts(counted_rung(16), fewer).verdict, Change::changed);
  EXPECT_EQ(compared_counts(fewer, counted_rung(16)).verdict, Change::changed);
}

TEST(Counters, PathAndLaunchesBelongToThem) {
  Result now = counted_rung(16);
  now.path = "scalar";
  EXPECT_THAT(compared_counts(counted_rung(16), now).reasons,
              ElementsAre(HasSubstr("path 'scalar'")));
  now = counted_rung(16);
  now.seen.kernels = {{.name = "naive_kernel", .grid = {2, 1, 1}, .block = {32, 1, 1}}};
  EXPECT_THAT(compared_counts(counted_rung(16), now).reasons,
              ElementsAre(HasSubstr("naive_kernel <<<(2, 1, 1), (32, 1, 1)>>>, before nothing")));
}

// ---- Rows.

TEST(Verdict, OfWhatIsWrongIsWrong) {
  for (const auto& spoil : std::initializer_list<void (*)(Result&)>{
           [](Result& r) { r.judged.correct = false; },
           [](Result& r) {
             r.judged.claims = {
                 {.counter = "local_bytes", .buffer = "", .relation = "=", .counted = {}}};
           },
           [](Result& r) { r.judged.contract = {{.name = "beta = 0 reads C"}}; },
           [](Result& r) { r.seen.hazards = {{"race", "two lanes"}}; }}) {
    Result now = counted_rung(16);
    spoil(now);
    const Compared c = compared_counts(counted_rung(16), now);
    EXPECT_EQ(c.verdict, Change::wrong);
    EXPECT_THAT(c.reasons, Not(IsEmpty()));
    EXPECT_EQ(compared_counts(now, counted_rung(16)).verdict, Change::unsure)
        << "a wrong baseline is none";
  }
}

// A wrong result's counters would mislead. A broken promise is explained by them.
TEST(Verdict, OfWhatIsWrongHasCountersOnlyIfTheResultIsRight) {
  Result now = counted_rung(128);
  now.judged.claims = {{.counter = "local_bytes", .buffer = "", .relation = "=", .counted = {}}};
  EXPECT_THAT(compared_counts(counted_rung(16), now).reasons,
              ElementsAre(HasSubstr("it broke its promise: bytes of local memory"),
                          HasSubstr("worse: sectors"), HasSubstr("global bytes fetched"),
                          HasSubstr("128, was 16")));
  now.judged.correct = false;
  now.judged.complaint = "C[0][0] is 1, should be 2";
  EXPECT_THAT(compared_counts(counted_rung(16), now).reasons,
              ElementsAre("C[0][0] is 1, should be 2", HasSubstr("it broke its promise")));
}

TEST(Verdict, OfARefusal) {
  Result refused = made::rung(1, "naive");
  refused.refusal = "too small";
  EXPECT_EQ(compared_counts(refused, refused).verdict, Change::same);
  EXPECT_EQ(compared_counts(refused, counted_rung(16)).verdict, Change::changed);
  EXPECT_EQ(compared_counts(counted_rung(16), refused).verdict, Change::changed);
}

TEST(Partners, AreOfTheSameKernelShapeAndOptions) {
  const Result r = rung_of_runs({3});
  const auto differs = [&r](void (*change)(Result&)) {
    Result other = r;
    change(other);
    EXPECT_EQ(results::is_same_subject(r, other), results::is_same_subject(other, r));
    return !results::is_same_subject(r, other);
  };
  EXPECT_TRUE(differs([](Result& o) { o.who.number = 7; }));
  EXPECT_TRUE(differs([](Result& o) { o.who.set = "kernel"; }));
  EXPECT_TRUE(differs([](Result& o) { o.who.variant = "wide"; }));
  EXPECT_TRUE(differs([](Result& o) { o.who.parameters = {{"elements", 8}}; }));
  EXPECT_TRUE(differs([](Result& o) { o.problem->K = 8; }));
  EXPECT_TRUE(differs([](Result& o) { o.problem->lda += 1; }));
  EXPECT_TRUE(differs([](Result& o) { o.problem->beta = 1; }));
  EXPECT_TRUE(differs([](Result& o) { o.seen.timing->options.cold = true; }));
  EXPECT_TRUE(differs([](Result& o) { o.seen.timing->options.once = true; }));
  EXPECT_FALSE(differs([](Result& o) { o.problem->seed = 8; }));
  EXPECT_FALSE(differs([](Result& o) { o.seen.timing->options.seconds = 8; }));
  EXPECT_FALSE(differs([](Result& o) { o.who.name = "renamed"; })) << "a rung is its number";
}

TEST(Comparison, NamesTheFactThatDecides) {
  const results::Run base = timed_run(rung_of_runs({3}));
  const auto refusal = [&base](void (*change)(results::Run&)) -> std::string {
    results::Run now = base;
    change(now);
    try {
      results::compare(base, "base.json", now);
    } catch (const results::NotComparable& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      refusal([](results::Run& now) { now.from.device = "Other"; }),
      "'base.json' cannot be compared with this run: the device is Example E100 there, Other here");
  EXPECT_THAT(refusal([](results::Run& now) { now.from.machine = Machine::simulator; }),
              HasSubstr("a CUDA device there, the simulated GPU here"));
  EXPECT_THAT(refusal([](results::Run& now) { now.from.device_detail = "sm_80"; }),
              HasSubstr("sm_80 here"));
  EXPECT_THAT(refusal([](results::Run& now) { now.results[0].seen.timing->options.cold = true; }),
              HasSubstr("no kernel has the same shape and options"));
  EXPECT_EQ(refusal([](results::Run& now) { now.from.cublas = "13.2"; }), "") << "unknown there";
  results::Run old = base, now = base;
  old.from.cublas = "13.1";
  now.from.cublas = "13.2";
  EXPECT_THROW(results::compare(old, "base.json", now), results::NotComparable);
}

TEST(Comparison, NotesWhatDecidesNothing) {
  results::Run base = timed_run(rung_of_runs({3})), now = base;
  base.from.driver = "570";
  now.from.driver = "580";
  base.from.ecc = true;
  now.from.power_limit_watts = 500;
  now.from.commit = "0123456789abcdef";
  base.results.push_back(made::timed(made::rung(2, "coalesced"), 1, 1));
  now.results.push_back(made::timed(made::rung(3, "shared_tile"), 1, 1));
  results::compare(base, "base.json", now);
  EXPECT_THAT(
      now.compared_with->notes,
      ElementsAre("commit unknown there, 0123456789 here", "driver 570 there, 580 here",
                  "power limit in watts unknown there, 500 here", "ECC on there, unknown here",
                  "1 row is there and not here: sgemm/02_coalesced/64x64x64",
                  "1 row is here and not there: sgemm/03_shared_tile/64x64x64",
                  HasSubstr("'save' records it")));
  EXPECT_FALSE(now.results[1].compared);
}

// ---- Several runs put together.

TEST(AddRun, PutsSamplesBehindEachOther) {
  results::Run all = timed_run(rung_of_runs({3}));
  results::add_run(all, timed_run(rung_of_runs({4})));
  results::add_run(all, timed_run(rung_of_runs({5, 6})));
  const Timing& t = *all.results.at(0).seen.timing;
  EXPECT_THAT(t.samples_of_runs, ElementsAre(10, 10, 10, 10));
  EXPECT_EQ(t.samples_ms.size(), 40u);
  EXPECT_EQ(t.reference_samples_ms.size(), 40u);
  // Each run's median, and their mean.
  const double percent = 100 * REFERENCE_MS * (1 / 3.0 + 1 / 4.0 + 1 / 5.0 + 1 / 6.0) / 4;
  EXPECT_NEAR(*results::value(all.results[0], "percent_of_cublas"), percent, 1e-3);
}

TEST(AddRun, KeepsTimesAndClocksOnlyWhereAllHaveThem) {
  results::Run with = timed_run(rung_of_runs({3})), without = with;
  with.results[0].seen.timing->sample_seconds = around(1, 0.5, 10);
  results::Run all = with;
  results::add_run(all, with);
  EXPECT_EQ(all.results[0].seen.timing->sample_seconds.size(), 20u);
  results::add_run(all, without);
  EXPECT_THAT(all.results[0].seen.timing->sample_seconds, IsEmpty());
}

TEST(AddRun, TakesTheMeanOfWhatARunMeasuresOnce) {
  const auto with_energy = [](double joules) {
    results::Run run = timed_run(rung_of_runs({3}));
    Timing& t = *run.results[0].seen.timing;
    t.joules = joules;
    t.reference_joules = 2 * joules;
    t.reference_clock_mhz = 1000 + joules;
    t.fp16_roof_gflops = 100 * joules;
    return run;
  };
  results::Run all = with_energy(1);
  results::add_run(all, with_energy(2));
  results::add_run(all, with_energy(6));
  const Timing& t = *all.results[0].seen.timing;
  EXPECT_EQ(t.joules, 3);
  EXPECT_EQ(t.reference_joules, 6);
  EXPECT_EQ(t.reference_clock_mhz, 1003);
  EXPECT_EQ(t.fp16_roof_gflops, 300);
  results::add_run(all, timed_run(rung_of_runs({3})));
  EXPECT_EQ(all.results[0].seen.timing->joules, std::nullopt) << "a run did not measure it";
}

TEST(AddRun, KeepsWhatIsNotRight) {
  results::Run wrong = timed_run(rung_of_runs({3}));
  wrong.results[0].judged.correct = false;
  results::Run all = timed_run(rung_of_runs({3}));
  results::add_run(all, wrong);
  EXPECT_FALSE(all.results.at(0).is_right());
  results::add_run(all, timed_run(rung_of_runs({3})));
  EXPECT_FALSE(all.results.at(0).is_right()) << "once is enough";
}

// ---- For people.

results::Run example() {
  results::Run base = made::run_of(
      Machine::cuda, {rung_of_runs({3, 3, 3}), made::timed(made::rung(9, "warp_tile"), 1, 1)});
  results::Run now = made::run_of(Machine::cuda, {rung_of_runs({3.3, 3.3, 3.3}),
                                                  made::timed(made::rung(9, "warp_tile"), 1, 1)});
  base.from.commit = "fedcba9876543210";
  results::compare(base, "base.json", now);
  return now;
}

TEST(Text, EndsWithHowManyThereAre) {
  const std::string text =
      results::comparison_text(example(), false, {.unicode = true, .width = 100});
  EXPECT_THAT(text, HasSubstr("06_vector_float4"));
  EXPECT_THAT(text,
              HasSubstr("SLOWER 06_vector_float4 at 4096³: the ratio to cuBLAS changed by -9.1 %"));
  EXPECT_THAT(text, HasSubstr("compared with base.json of 2026-01-02, commit fedcba9876\n"));
  EXPECT_TRUE(text.ends_with("2 rows: 1 SLOWER, 1 SAME\n")) << text;
}

TEST(Text, FitsOnANarrowPage) {
  for (const int width : {60, 80, 120}) {
    const std::string text =
        results::comparison_text(example(), false, {.unicode = true, .width = width});
    for (const std::string_view line : text::lines_of(text))
      EXPECT_LE(text::display_width(line), width) << line;
    EXPECT_THAT(text, HasSubstr("SLOWER\n"));
  }
}

TEST(Text, OfCountersHasOnlyWhatChanged) {
  results::Run base = made::run_of(
      Machine::simulator,
      {counted_rung(16), made::counted(made::rung(2, "coalesced"), {{"launches", "", 1}})});
  results::Run now = base;
  now.results[0] = counted_rung(128);
  results::compare(base, "base.json", now);
  EXPECT_THAT(results::comparison_text(now, false, {}), Not(HasSubstr("coalesced")));
  EXPECT_THAT(results::comparison_text(now, true, {}), HasSubstr("coalesced"));
  EXPECT_THAT(results::comparison_text(now, false, {}), HasSubstr("2 rows: 1 CHANGED, 1 SAME"));
}

TEST(Text, SeveralReasonsStandBelowEachOther) {
  results::Run run = example();
  run.results[0].compared->reasons = {"one", "two"};
  const std::string what = "SLOWER 06_vector_float4 at 4096³\n";
  EXPECT_THAT(results::comparison_text(run, false, {.unicode = true}),
              HasSubstr("\n" + what + "  one\n  two\n\ncompared with"));
  EXPECT_THAT(results::comparison_markdown(run), HasSubstr("\n- " + what + "  - one\n  - two\n"));
}

TEST(Text, TellsAHazardAndTheMachinesMessageBelow) {
  results::Run base = made::run_of(Machine::simulator, {counted_rung(16)});
  results::Run now = base;
  now.results[0].judged.correct = false;
  now.results[0].judged.complaint = "it was stopped";
  now.results[0].judged.failure = "fault in naive_kernel\n  a read beside A\n";
  now.results[0].seen.hazards = {{.kind = "race", .message = "race: here\n  and there"}};
  results::compare(base, "base.json", now);
  EXPECT_THAT(results::comparison_text(now, false, {}),
              HasSubstr("  it was stopped\n  race: here\n      and there\nfault in naive_kernel\n  "
                        "a read beside A\n\ncompared"));
  EXPECT_THAT(results::comparison_markdown(now), HasSubstr("\n  - race: here   and there\n"));
}

TEST(Markdown, BeginsWithHowManyThereAre) {
  const std::string text = results::comparison_markdown(example());
  EXPECT_THAT(text, StartsWith("**2 rows: 1 SLOWER, 1 SAME**\n"));
  EXPECT_THAT(text, HasSubstr("| 06_vector_float4 | 4096³ |"));
}

TEST(Annotations, AreGitHubsCommands) {
  results::Run run = example();
  run.results[1].compared->verdict = Change::unsure;
  run.results[1].compared->reasons = {"100 % unknown\nand more"};
  const auto source_of = [](const results::Identity& who) {
    return who.number == 6 ? std::string("src/a,b:c.cu") : std::string();
  };
  EXPECT_THAT(
      results::comparison_annotations(run, source_of),
      StartsWith(
          "::error file=src/a%2Cb%3Ac.cu,title=SLOWER 06_vector_float4::06_vector_float4 at 4096³: "
          "the ratio to cuBLAS changed by -9.1 %25 ("));
  EXPECT_THAT(results::comparison_annotations(run, source_of),
              HasSubstr("::warning title=UNSURE 09_warp_tile::09_warp_tile at 64³: 100 %25 "
                        "unknown%0Aand more\n"));
}

}  // namespace

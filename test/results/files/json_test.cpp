// One writer and one reader: a written run is read back, and other tools find the keys that they rely on.
#include "results/files/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/values/metrics.hpp"
#include "test/results/made_runs.hpp"

namespace {

using json = nlohmann::ordered_json;
using results::Judgement;
using results::Machine;
using results::Result;

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

results::Run there_and_back(const results::Run& run) {
  return results::run_from_json(results::to_json(run));
}

Result there_and_back(const Result& result) {
  return there_and_back(made::run_of(Machine::simulator, {result})).results.at(0);
}

json row_of(const results::Run& run) {
  return json::parse(results::to_json(run)).at("benchmarks").at(0);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Compares by naming all members, so that the compiler notices a new one.
void expect_same(const Judgement& wrote, const Judgement& read) {
  const auto& [correct, error, complaint, failure, first_mismatch, compared, max_abs_error,
               error_over_bound, errors, claims, contract, contract_checks, doubts] = wrote;
  EXPECT_EQ(read.correct, correct);
  EXPECT_EQ(read.error, error);
  EXPECT_EQ(read.complaint, complaint);
  EXPECT_EQ(read.failure, failure);
  EXPECT_EQ(read.compared, compared);
  EXPECT_PRED2(same, read.max_abs_error, max_abs_error);
  EXPECT_PRED2(same, read.error_over_bound, error_over_bound);
  EXPECT_EQ(read.errors, errors);
  EXPECT_EQ(read.claims, claims);
  EXPECT_EQ(read.contract, contract);
  EXPECT_EQ(read.contract_checks, contract_checks);
  EXPECT_EQ(read.doubts, doubts);
  ASSERT_EQ(read.first_mismatch.has_value(), first_mismatch.has_value());
  if (!first_mismatch) return;
  // Files have the pass and the pattern within the complaint.
  const auto& [row, col, got, want, bound, of_integers, pattern, product] = *first_mismatch;
  EXPECT_EQ(read.first_mismatch->row, row);
  EXPECT_EQ(read.first_mismatch->col, col);
  EXPECT_PRED2(same, read.first_mismatch->got, got);
  EXPECT_PRED2(same, read.first_mismatch->want, want);
  EXPECT_PRED2(same, read.first_mismatch->bound, bound);
  EXPECT_EQ(read.first_mismatch->product, product);
}

void expect_same(const results::Run& wrote, const results::Run& read) {
  EXPECT_EQ(read.from, wrote.from);
  EXPECT_EQ(read.lessons, wrote.lessons);
  EXPECT_EQ(read.compared_with, wrote.compared_with);
  EXPECT_EQ(read.calls, wrote.calls);
  EXPECT_EQ(read.distributed, wrote.distributed);
  EXPECT_EQ(read.acceptance, wrote.acceptance);
  ASSERT_EQ(read.results.size(), wrote.results.size());
  for (size_t i = 0; i < wrote.results.size(); ++i) {
    const auto& [who, problem, below_fp32, useful_bytes, idea, refusal, path, expected, date, seen,
                 judged, compared] = wrote.results[i];
    const Result& back = read.results[i];
    EXPECT_EQ(back.who, who);
    EXPECT_EQ(back.problem, problem);
    EXPECT_EQ(back.below_fp32, below_fp32);
    EXPECT_EQ(back.useful_bytes, useful_bytes);
    EXPECT_EQ(back.idea, idea);
    EXPECT_EQ(back.refusal, refusal);
    EXPECT_EQ(back.path, path);
    EXPECT_EQ(back.expected, expected);
    EXPECT_EQ(back.date, date);
    EXPECT_EQ(back.seen, seen);
    EXPECT_EQ(back.compared, compared);
    expect_same(judged, back.judged);
  }
}

TEST(Json, BringsEveryFieldBack) { expect_same(made::full(), there_and_back(made::full())); }

TEST(Json, BringsALabsResultBack) {
  expect_same(made::of_a_lab(), there_and_back(made::of_a_lab()));
}

TEST(Json, BringsADistributedProductBack) {
  const results::Run run = made::of_two_processes();
  const results::Run read = there_and_back(run);
  expect_same(run, read);
  ASSERT_EQ(read.distributed.size(), 2U);
  ASSERT_EQ(read.distributed[0].processes.size(), 2U);
  EXPECT_EQ(read.distributed[0].processes[0].spans.size(), 3U);
}

TEST(Json, WritesTheFiguresOfADistributedProduct) {
  const auto product_of = [](const results::Run& run) {
    return json::parse(results::to_json(run)).at("context").at("distributed").at(0);
  };
  results::Run run = made::of_two_processes();
  const json product = product_of(run);
  EXPECT_EQ(product.at("seconds"), 0.5);
  EXPECT_EQ(product.at("hidden_share"), 0.5);
  EXPECT_EQ(product.at("received_bytes"), 396608);
  EXPECT_EQ(product.at("efficiency"), 0.8125);
  EXPECT_EQ(product.at("share_of_cublas"), 0.75);
  run.distributed[0].one_gpu_samples_s.clear();
  EXPECT_TRUE(product_of(run).at("efficiency").is_null());
  EXPECT_FALSE(json::parse(results::to_json(made::full())).at("context").contains("distributed"));
}

TEST(Json, HoldsTheErrorOfAWrongDistributedProduct) {
  results::Run run = made::of_two_processes();
  run.distributed[0].correct = false;
  run.distributed[0].error_over_bound = NOT_A_NUMBER;
  EXPECT_TRUE(std::isnan(there_and_back(run).distributed.at(0).error_over_bound));
}

TEST(Json, BringsJudgedGpusBack) {
  const results::Run run = made::of_three_gpus();
  const results::Run read = there_and_back(run);
  expect_same(run, read);
  ASSERT_EQ(read.acceptance.size(), 3U);
  EXPECT_EQ(read.acceptance[1].rows.size(), 2U);
  EXPECT_FALSE(json::parse(results::to_json(made::full())).at("context").contains("acceptance"));
  const json context = json::parse(results::to_json(run)).at("context");
  const json& slow = context.at("acceptance").at(1);
  EXPECT_EQ(slow.at("verdict"), "SLOWER");
  EXPECT_EQ(slow.at("rows").at(0).at("verdict"), "SLOWER");
  EXPECT_EQ(slow.at("rows").at(0).at("change_percent"), -25);
}

// Each verdict has a word of its own.
TEST(Json, KnowsEveryVerdictOnAGpu) {
  for (int i = 0; i <= static_cast<int>(results::GpuVerdict::wrong); ++i) {
    results::Run run = made::of_three_gpus();
    run.acceptance[0].verdict = static_cast<results::GpuVerdict>(i);
    EXPECT_EQ(there_and_back(run).acceptance.at(0).verdict, run.acceptance[0].verdict) << i;
  }
}

TEST(Json, IsTheSameWhenWrittenAgain) {
  for (const results::Run& run : {made::full(), made::of_two_processes(), made::of_three_gpus()}) {
    const std::string once = results::to_json(run);
    EXPECT_EQ(results::to_json(results::run_from_json(once)), once);
    EXPECT_TRUE(once.ends_with("}\n"));
  }
}

TEST(Json, BringsBackAResultThatHasNothingButAName) {
  const results::Run run =
      made::run_of(Machine::simulator, {Result{.who = {.set = "labs", .name = "copy"}}});
  expect_same(run, there_and_back(run));
}

TEST(Json, KnowsWhatCouldNotBeFoundOut) {
  results::Run run = made::run_of(Machine::cuda, {});
  const json context = json::parse(results::to_json(run)).at("context");
  for (const char* key :
       {"commit", "uncommitted_changes", "multiprocessors", "memory_bytes", "driver", "cuda",
        "cublas", "power_limit_watts", "clock_limit_mhz", "ecc", "schedule"}) {
    EXPECT_TRUE(context.at(key).is_null()) << key;
  }
  expect_same(run, there_and_back(run));
}

// An empty list says that there are no hazards. No list says that they were not looked for.
TEST(Json, TellsWhetherHazardsWereLookedFor) {
  for (const bool looked : {false, true}) {
    Result r = made::rung(1, "naive");
    r.seen.looked_for_hazards = looked;
    const json row = row_of(made::run_of(Machine::simulator, {r}));
    EXPECT_EQ(row.contains("hazards"), looked);
    if (looked) {
      EXPECT_EQ(row.at("hazards"), json::array());
    }
    EXPECT_EQ(there_and_back(r).seen, r.seen);
  }
}

// The fields of an older file, which knew less about a hazard.
TEST(Json, TakesAHazardWithoutItsLines) {
  json file = json::parse(results::to_json(made::full()));
  file["benchmarks"][0]["hazards"] = {{{"kind", "race"}, {"message", "one writes"}}};
  const Result read = results::run_from_json(file.dump()).results.at(0);
  EXPECT_EQ(read.seen.hazards,
            (std::vector<results::Hazard>{{.kind = "race", .message = "one writes", .times = 1}}));
}

TEST(Json, HoldsNaNAndInfinities) {
  for (const double value : {NOT_A_NUMBER, INFINITE, -INFINITE, 0.0, 1e300}) {
    Result r = made::rung(1, "naive");
    r.judged.correct = false;
    r.judged.max_abs_error = value;
    r.judged.error_over_bound = value;
    r.judged.first_mismatch = results::Mismatch{
        1, 2, std::isfinite(value) ? 4.5f : static_cast<float>(value), value, value};
    expect_same(r.judged, there_and_back(r).judged);
  }
}

TEST(Json, HoldsTheLargestNumbers) {
  Result r = made::rung(1, "naive");
  r.problem->seed = UINT64_MAX;
  r.problem->alpha = std::numeric_limits<float>::max();
  r.problem->beta = -std::numeric_limits<float>::denorm_min();
  r.who.parameters = {{"least", INT64_MIN}, {"most", INT64_MAX}};
  r.judged.compared = INT64_MAX;
  const Result back = there_and_back(r);
  EXPECT_EQ(back.problem, r.problem);
  EXPECT_EQ(back.who, r.who);
  EXPECT_EQ(back.judged.compared, INT64_MAX);
}

// Counts of one buffer, of the whole launch, and of an unnamed buffer.
TEST(Json, KeepsCountsApart) {
  const Result r = made::counted(made::rung(1, "naive"), {{"load_requests", "A", 3},
                                                          {"load_requests", "", 4},
                                                          {"load_requests", "B", 5},
                                                          {"ffma", "", 6}});
  const Result back = there_and_back(r);
  EXPECT_EQ(back.seen.traffic->count("load_requests"), 12);
  EXPECT_EQ(back.seen.traffic->count("load_requests", "B"), 5);
  EXPECT_EQ(back.seen.traffic->count("ffma"), 6);
}

TEST(Json, HasTheKeysThatOtherToolsRelyOn) {
  Result r = made::rung(2, "coalesced", 4096);
  const json counted = row_of(
      made::run_of(Machine::simulator, {[&] {
                     Result with = made::counted(r, made::full().results[0].seen.traffic->counts);
                     with.judged.claims = {{.counter = "load_sectors_per_request", .kept = true}};
                     return with;
                   }()}));
  const json timed = row_of(made::run_of(Machine::cuda, {made::timed(r, 22, 2.7)}));
  for (const json& row : {counted, timed}) {
    EXPECT_EQ(row.at("name"), "sgemm/02_coalesced/4096x4096x4096");
    EXPECT_EQ(row.at("kernel_id"), 2);
    EXPECT_EQ(row.at("kernel"), "coalesced");
    for (const char* key : {"m", "n", "k", "lda", "ldb", "ldc", "alpha", "beta", "machine",
                            "device", "correct", "max_abs_error", "error_over_bound"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_EQ(counted.at("machine"), "simulator");
  EXPECT_EQ(counted.at("promise_kept"), true);
  EXPECT_EQ(counted.at("sectors_per_request"),
            (json{{"load A", 16.0}, {"load B", 4.0}, {"store C", 4.0}}));
  EXPECT_EQ(counted.at("bytes_used_over_fetched"), 0.75);
  EXPECT_EQ(timed.at("machine"), "cuda");
  for (const char* key : {"samples_ms", "median_ms", "q1_ms", "q3_ms", "gflops",
                          "percent_of_cublas", "percent_of_peak", "clock_mhz", "trusted"}) {
    EXPECT_TRUE(timed.contains(key)) << key;
  }
}

// Its tools compare real_time. A simulation's wall time says nothing about a kernel.
TEST(Json, SpeaksToGoogleBenchmarksToolsWhereThereIsATime) {
  const Result r = made::rung(1, "naive");
  const json timed = row_of(made::run_of(Machine::cuda, {made::timed(r, 0.0004, 0.0002)}));
  EXPECT_EQ(timed.at("run_name"), timed.at("name"));
  EXPECT_EQ(timed.at("run_type"), "iteration");
  EXPECT_EQ(timed.at("iterations"), 3);
  EXPECT_EQ(timed.at("time_unit"), "us");
  EXPECT_DOUBLE_EQ(timed.at("real_time"), 0.4) << "microseconds: 0 0 would be printed of 0.0004 ms";
  EXPECT_DOUBLE_EQ(timed.at("cpu_time"), 0.4);
  EXPECT_DOUBLE_EQ(timed.at("median_ms"), 0.0004);

  const json counted =
      row_of(made::run_of(Machine::simulator, {made::counted(r, {{"ffma", "", 1}})}));
  for (const char* key : {"run_name", "run_type", "repetitions", "repetition_index", "threads",
                          "iterations", "real_time", "cpu_time", "time_unit"}) {
    EXPECT_TRUE(timed.contains(key)) << key;
    EXPECT_FALSE(counted.contains(key)) << key;
  }
}

TEST(Json, MarksAWrongRowAsOneNotToBeUsed) {
  const results::Run run = made::full();
  const json row = row_of(run);
  EXPECT_EQ(row.at("correct"), false);
  EXPECT_EQ(row.at("error_occurred"), true);
  EXPECT_EQ(row.at("error_message"), run.results[0].judged.complaint);
  EXPECT_FALSE(
      row_of(made::run_of(Machine::cuda, {made::rung(1, "naive")})).contains("error_occurred"));
}

// No two values share a key.
TEST(Json, WritesEveryMetricUnderItsKey) {
  results::Run run = made::full();
  run.results[0].seen.timing->is_reference = false;
  const json row = row_of(run);
  int written = 0;
  for (const results::Metric& m : results::metrics()) {
    const auto figure = m.value(run.results[0], "", run.from.roofs);
    if (!figure) continue;
    ++written;
    if (!m.in_rows) {
      EXPECT_FALSE(row.contains(m.key)) << m.key;
      continue;
    }
    ASSERT_TRUE(row.contains(m.key)) << m.key;
    EXPECT_EQ(row.at(m.key), json(*figure)) << m.key;
  }
  EXPECT_EQ(written, static_cast<int>(results::metrics().size())) << "a full run has every figure";
}

// Figures follow from facts: the reader of a file with edited figures uses its facts.
TEST(Json, DoesNotReadFigures) {
  json file = json::parse(results::to_json(made::full()));
  file.at("benchmarks").at(0).at("median_ms") = 1e9;
  file.at("benchmarks").at(0).erase("gflops");
  expect_same(made::full(), results::run_from_json(file.dump()));
}

TEST(Json, TakesKeysThatItDoesNotKnow) {
  json file = json::parse(results::to_json(made::full()));
  file["later"] = 1;
  file.at("context")["later"] = {1, 2};
  file.at("benchmarks").at(0)["later"] = "x";
  expect_same(made::full(), results::run_from_json(file.dump()));
}

TEST(Json, WritesTextThatIsNoUtf8) {
  Result r = made::rung(1, "na\xFFve");
  EXPECT_THAT(there_and_back(r).who.name, testing::HasSubstr("na"));
}

// The golden tables' input files equal the writer's output.
TEST(Json, ReadsAFileAsItWasWritten) {
  for (const char* name : {"cuda.json", "simulator.json"}) {
    const std::string path = std::string(SGEMM_TABLES "/") + name;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ(results::to_json(results::read_run(path)), text.str()) << name;
  }
}

// Python uses the same fields.
TEST(Json, TellsItsFieldsToOtherReaders) {
  const std::string path = SGEMM_TABLES "/../../../plots/schema.json";
  if (std::getenv("SGEMM_WRITE_TABLES") != nullptr) std::ofstream(path) << results::schema_json();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(results::schema_json(), text.str()) << "SGEMM_WRITE_TABLES=1 writes it anew";
}

}  // namespace

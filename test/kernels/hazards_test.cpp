// Hazards in results: a result has the hazards of all its launches, each pair of lines once. No rung or lab has any.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "results/tables/table.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/machine/machine.hpp"
#include "runner/run/run.hpp"
#include "runner/run/workbench_run.hpp"
#include "runner/trial/measure.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "test/kernels/every_rung.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Result;
using runner::ExitCode;
using simulator::Hazard;
using simulator::HazardKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr uint64_t SEEDS[] = {0, 1, 2};

void look_for_hazards() {
  runner::machine::look_for_hazards(true);
  runner::machine::take_hazards();
}

// ---- The hazards that a result gets, from made-up launches.

Hazard made_up(int line) {
  return {.kind = HazardKind::race,
          .kernel = "made_up",
          .where = {"made_up.cu", line},
          .other = {"made_up.cu", 7},
          .code = "",
          .message = {.what = fmt::format("As is read on line {} while it is written", line),
                      .where = fmt::format("made_up.cu:{} in made_up", line),
                      .advice = "__syncthreads()"}};
}

// Reports a made-up hazard. Its line is 11 in a launch that only the contract makes, without a product, and otherwise
// 10.
cudaError_t launch_with_hazards(const Sgemm& p, cudaStream_t stream) {
  if (simulator::looks_for_hazards())
    simulator::current_device().hazards.add(made_up(p.K == 0 ? 11 : 10));
  return faulty::sound.launch(p, stream);
}

const Rung HAZARDOUS{.number = 99,
                     .name = "hazardous",
                     .idea = "right, with hazards",
                     .promise = {},
                     .launch = launch_with_hazards};

const results::Problem SMALL = results::dense_problem(32, 32, 32);

results::Run run_of(const std::vector<runner::Workload>& workloads) {
  results::Run run;
  runner::measure_all(workloads, {}, false, run);
  return run;
}

TEST(HazardsOfAResult, AreThoseOfBothPassesOncePerPairOfLines) {
  look_for_hazards();
  const Result result =
      run_of({runner::product(HAZARDOUS, SMALL), runner::product(faulty::sound, SMALL)})
          .results.at(0);
  EXPECT_TRUE(result.judged.correct);
  EXPECT_FALSE(result.is_right());
  ASSERT_EQ(result.seen.hazards.size(), 1U);
  const results::Hazard& hazard = result.seen.hazards[0];
  EXPECT_EQ(hazard.kind, "race");
  EXPECT_EQ(hazard.kernel, "made_up");
  EXPECT_EQ(hazard.times, 2U) << "reals and integers";
  EXPECT_EQ(hazard.lines, (std::vector<std::string>{"made_up.cu:10", "made_up.cu:7"}));
  EXPECT_EQ(hazard.message,
            "As is read on line 10 while it is written\nat made_up.cu:10 in made_up\n"
            "try: __syncthreads()");
}

TEST(HazardsOfAResult, AreItsOwn) {
  look_for_hazards();
  const results::Run run =
      run_of({runner::product(HAZARDOUS, SMALL), runner::product(faulty::sound, SMALL)});
  EXPECT_TRUE(run.results.at(1).seen.looked_for_hazards);
  EXPECT_TRUE(run.results.at(1).seen.hazards.empty());
  EXPECT_TRUE(run.results.at(1).is_right());
}

TEST(HazardsOfAResult, AreThoseOfTheContractToo) {
  look_for_hazards();
  const results::Run run =
      run_of({runner::strangers_product(HAZARDOUS, SMALL), runner::product(faulty::sound, SMALL)});
  // A kernel that must keep the contract comes last.
  EXPECT_TRUE(run.results.at(0).seen.hazards.empty());
  const std::vector<results::Hazard>& hazards = run.results.at(1).seen.hazards;
  ASSERT_EQ(hazards.size(), 2U);
  EXPECT_EQ(hazards[0].lines[0], "made_up.cu:10");
  EXPECT_GT(hazards[0].times, 100U);
  EXPECT_EQ(hazards[1].lines[0], "made_up.cu:11");
}

TEST(HazardsOfAResult, AreNotThereWhereNobodyLooks) {
  runner::machine::look_for_hazards(false);
  const Result result = run_of({runner::product(HAZARDOUS, SMALL)}).results.at(0);
  EXPECT_FALSE(result.seen.looked_for_hazards);
  EXPECT_TRUE(result.is_right());
}

TEST(HazardsOfAResult, WithoutLinesAreToldApartByTheirInstructions) {
  look_for_hazards();
  for (const char* code : {"ld.shared.f32", "st.shared.f32"}) {
    simulator::current_device().hazards.add({.kind = HazardKind::race,
                                             .kernel = "bare",
                                             .where = {},
                                             .other = {},
                                             .code = code,
                                             .message = {.what = code, .where = "", .advice = ""}});
  }
  const std::vector<results::Hazard> hazards = runner::machine::take_hazards();
  ASSERT_EQ(hazards.size(), 2U);
  EXPECT_EQ(hazards[0].lines, std::vector<std::string>{"ld.shared.f32"});
  EXPECT_EQ(hazards[1].message, "st.shared.f32") << "no empty lines";
  EXPECT_TRUE(runner::machine::take_hazards().empty()) << "they are handed out once";
}

// ---- A run, from request to exit code.

struct Outcome {
  ExitCode code;
  std::string output;
};

Outcome outcome_of(bool hazards, std::optional<uint64_t> schedule = {}) {
  runner::RunRequest request;
  request.rungs = {{&HAZARDOUS, true}};
  request.problems = {results::dense_problem(32, 32, 32)};
  request.look_for_hazards = hazards;
  request.schedule = schedule;
  testing::internal::CaptureStdout();
  const ExitCode code = runner::run(request);
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(RunWithHazards, ExitsWithOneAndTellsThemBelowTheTable) {
  testing::internal::CaptureStderr();
  const Outcome outcome = outcome_of(true);
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("hazardous at 32x32x32: As is read on line 10"),
                    HasSubstr("(seen 2 times)"), HasSubstr("\n    at made_up.cu:10 in made_up\n"),
                    HasSubstr("\n    try: __syncthreads()\n")));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "they are told once";
}

TEST(RunWithHazards, FindsNoneWhereNoneAreAskedFor) {
  const Outcome outcome = outcome_of(false);
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("hazards")));
}

TEST(RunWithASchedule, RunsInThatOrderAndSaysSo) {
  const uint64_t before = runner::machine::order();
  const Outcome outcome = outcome_of(false, 17);
  EXPECT_THAT(outcome.output, HasSubstr("schedule 17"));
  EXPECT_EQ(runner::machine::order(), 17U);
  runner::machine::vary_order(before);
}

// ---- Rungs and labs.

uint64_t bits_of(const Rung& rung, const results::Problem& problem) {
  runner::Verifier verifier(problem, {.guard = runner::machine::GUARD});
  const Sgemm sgemm = verifier.prepare(runner::Values::reals);
  EXPECT_EQ(ladder::launch(rung, sgemm, nullptr), cudaSuccess);
  std::vector<uint32_t> words(static_cast<size_t>(problem.M * problem.N));
  EXPECT_EQ(cudaMemcpy(words.data(), sgemm.C, words.size() * sizeof(float), cudaMemcpyDeviceToHost),
            cudaSuccess);
  uint64_t sum = 0xCBF29CE484222325U;  // FNV-1a, a word at a time
  for (const uint32_t word : words) sum = (sum ^ word) * 0x100000001B3U;
  return sum;
}

class Hazards : public testing::TestWithParam<const Rung*> {};

// Returns problems that are ragged in every direction, with few rows, few columns, a short K, and a K that several blocks share. A product by
// parts also gets rows and columns with unusual numbers, which it splits anew or leaves to FP64.
std::vector<results::Problem> problems_for(const Rung& rung) {
  std::vector<results::Problem> problems;
  for (const auto& [M, N, K] : {std::array<int64_t, 3>{65, 63, 61},
                                {129, 67, 65},
                                {4, 100, 100},
                                {100, 4, 100},
                                {65, 131, 6},
                                {64, 48, 1024}})
    problems.push_back(results::dense_problem(M, N, K));
  if (!rung.arithmetic.limits) return problems;
  problems.push_back(results::dense_problem(128, 128, 128));
  problems.back().data = results::Data::special;
  return problems;
}

TEST_P(Hazards, AreNoneInAnyOrderAndTheBitsAreThoseWithoutLooking) {
  for (const results::Problem& problem : problems_for(*GetParam())) {
    runner::machine::look_for_hazards(false);
    const uint64_t bits = bits_of(*GetParam(), problem);
    for (const uint64_t seed : SEEDS) {
      look_for_hazards();
      runner::machine::vary_order(seed);
      EXPECT_EQ(bits_of(*GetParam(), problem), bits) << problem.size() << " in order " << seed;
      for (const results::Hazard& hazard : runner::machine::take_hazards())
        ADD_FAILURE() << problem.size() << " in order " << seed << ": " << hazard.message;
    }
    runner::machine::vary_order(0);
  }
}
INSTANTIATE_TEST_SUITE_P(Ladder, Hazards, rungs_from(1), name_of);

class LabHazards : public testing::TestWithParam<const lab::Lab*> {};

// Returns an eighth of each counted size, in multiples that the promises cover, less `ragged`.
lab::Sizes small_sizes(const lab::Lab& of, int64_t ragged) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const lab::Parameter& p : of.parameters) {
    const int64_t whole = std::max(p.whole, p.counted / 8 / p.whole * p.whole);
    sizes.emplace_back(p.name, std::clamp(whole - ragged, p.least, p.most));
  }
  return lab::Sizes(std::move(sizes));
}

TEST_P(LabHazards, AreNoneInAnyOrder) {
  const lab::Lab& of = *GetParam();
  for (const uint64_t seed : SEEDS) {
    for (const int64_t ragged : {0, 3}) {
      look_for_hazards();
      runner::machine::vary_order(seed);
      std::vector<runner::Workload> workloads;
      for (const lab::Variant& variant : of.variants)
        workloads.push_back(runner::lab_variant(of, variant, small_sizes(of, ragged)));
      const results::Run run = run_of(workloads);
      for (const Result& result : run.results) {
        EXPECT_TRUE(result.is_right()) << results::full_name(result) << " in order " << seed << ": "
                                       << results::complaint(result);
      }
    }
  }
  runner::machine::vary_order(0);
}
INSTANTIATE_TEST_SUITE_P(Labs, LabHazards, testing::ValuesIn(lab::all()),
                         [](const testing::TestParamInfo<const lab::Lab*>& tested) {
                           return std::string(tested.param->name);
                         });

}  // namespace

#include "runner/cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "app/error.hpp"
#include "runner/cli/options.hpp"
#include "runner/machine/machine.hpp"
#include "test/runner/cli/usage_refusal.hpp"

namespace {

using runner::Format;
using runner::RunRequest;
using testing::HasSubstr;

runner::Request parse(std::vector<const char*> words) {
  words.insert(words.begin(), "sgemm_runner");
  return runner::parse_command_line(static_cast<int>(words.size()), words.data());
}

RunRequest parse_run(const std::vector<const char*>& words) {
  return std::get<RunRequest>(parse(words));
}

std::string refusal(const std::vector<const char*>& words) {
  return usage_refusal([&] { parse(words); });
}

TEST(CommandLine, HasDefaults) {
  const RunRequest request = parse_run({"1"});
  ASSERT_EQ(request.problems.size(), 1u);
  const results::Problem& p = request.problems[0];
  EXPECT_EQ(p.M, runner::machine::DEFAULT_SIZE);
  EXPECT_TRUE(p.is_square());
  EXPECT_TRUE(p.is_dense());
  EXPECT_EQ(p.alpha, 1.0f);
  EXPECT_EQ(p.beta, 0.0f);
  EXPECT_EQ(request.presentation.format, Format::table);
  EXPECT_TRUE(request.json_file.empty());
}

TEST(CommandLine, ReadsSizes) {
  const RunRequest request = parse_run({"1", "--size", "64,2x3x4", "--size=5X6x7"});
  ASSERT_EQ(request.problems.size(), 3u);
  EXPECT_EQ(request.problems[0].size(), "64x64x64");
  EXPECT_EQ(request.problems[1].size(), "2x3x4");
  EXPECT_EQ(request.problems[1].lda, 4);
  EXPECT_EQ(request.problems[1].ldb, 3);
  EXPECT_EQ(request.problems[2].size(), "5x6x7");
}

TEST(CommandLine, ASizeDoesNotSwallowTheKernelsBehindIt) {
  const RunRequest request = parse_run({"--size", "64", "1", "2"});
  EXPECT_EQ(request.rungs.size(), 2u);
}

TEST(CommandLine, JsonDoesNotSwallowTheKernelBehindIt) {
  const RunRequest request = parse_run({"--json", "2"});
  EXPECT_EQ(request.presentation.format, Format::json);
  EXPECT_EQ(request.rungs[0].rung->number, 2);
}

TEST(CommandLine, JsonToAFileLeavesTheTable) {
  const RunRequest request = parse_run({"2", "--json=run.json"});
  EXPECT_EQ(request.presentation.format, Format::table);
  EXPECT_EQ(request.json_file, "run.json");
}

TEST(CommandLine, TakesNegativeFactors) {
  const RunRequest request = parse_run({"1", "--alpha", "-0.5", "--beta=-2"});
  EXPECT_EQ(request.problems[0].alpha, -0.5f);
  EXPECT_EQ(request.problems[0].beta, -2.0f);
}

TEST(CommandLine, TakesLeadingDimensions) {
  const RunRequest request = parse_run({"1", "--size", "2x3x4", "--lda", "8", "--ldc", "5"});
  EXPECT_EQ(request.problems[0].lda, 8);
  EXPECT_EQ(request.problems[0].ldb, 3);
  EXPECT_EQ(request.problems[0].ldc, 5);
}

TEST(CommandLine, TakesOffsets) {
  const RunRequest request =
      parse_run({"1", "--offset-a", "1", "--offset-b=63", "--offset-c", "4"});
  EXPECT_EQ(request.problems[0].offset_a, 1);
  EXPECT_EQ(request.problems[0].offset_b, 63);
  EXPECT_EQ(request.problems[0].offset_c, 4);
}

TEST(CommandLine, RefusesSizesThatMakeNoSense) {
  EXPECT_THAT(refusal({"1", "--size", "abc"}), HasSubstr("write 4096, or MxNxK"));
  EXPECT_THAT(refusal({"1", "--size", "-4"}), HasSubstr("write 4096, or MxNxK"));
  EXPECT_THAT(refusal({"1", "--size", "4x"}), HasSubstr("write 4096, or MxNxK"));
  EXPECT_THAT(refusal({"1", "--size", "4x5"}), HasSubstr("has 2 dimensions"));
  EXPECT_THAT(refusal({"1", "--size", "99999999999999999999"}), HasSubstr("out of range"));
  EXPECT_THAT(refusal({"1", "--size", "4000000000000"}), HasSubstr("out of range"));
  EXPECT_THAT(refusal({"1", "--size", "1.5"}), HasSubstr("write 4096, or MxNxK"));
}

TEST(CommandLine, RefusesLeadingDimensionsShorterThanARow) {
  EXPECT_THAT(refusal({"1", "--size", "2x3x4", "--lda", "3"}),
              HasSubstr("a row of A has 4 elements"));
  EXPECT_THAT(refusal({"1", "--size", "2x3x4", "--ldb", "-1"}),
              HasSubstr("a row of B has 3 elements"));
}

TEST(CommandLine, RefusesFactorsThatFp32CannotHold) {
  EXPECT_THAT(refusal({"1", "--alpha", "nan"}), HasSubstr("--alpha 'nan' is not understood"));
  EXPECT_THAT(refusal({"1", "--beta", "1e39"}), HasSubstr("--beta 1e39 is beyond FP32"));
  EXPECT_THAT(refusal({"1", "--alpha", "1e-60"}), HasSubstr("--alpha 1e-60 is beyond FP32"));
  EXPECT_EQ(parse_run({"1", "--alpha", "1e-40"}).problems[0].alpha, 1e-40f);
  EXPECT_EQ(parse_run({"1", "--alpha", "3.4028235e38"}).problems[0].alpha,
            std::numeric_limits<float>::max());
}

TEST(CommandLine, RefusesWhatContradictsItself) {
  EXPECT_THAT(refusal({"1", "--csv", "--md"}), HasSubstr("only one of"));
  EXPECT_THAT(refusal({"1", "--json", "--csv"}), HasSubstr("only one of"));
  EXPECT_THAT(refusal({"1", "-q", "-v"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"1", "--cold", "--warm"}), HasSubstr("--warm"));
}

// ---- Options of the simulated GPU.

TEST(CommandLine, LooksForHazardsWhereItIsAskedOrTheKernelIsTheUsersOwn) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device looks for none";
  EXPECT_FALSE(parse_run({"1"}).look_for_hazards);
  EXPECT_TRUE(parse_run({"1", "--hazards"}).look_for_hazards);
  EXPECT_TRUE(parse_run({"1", "--kernel", "mine.cu"}).look_for_hazards);
  EXPECT_THAT(refusal({"1", "--hazard"}), HasSubstr("did you mean '--hazards'?"));
}

TEST(CommandLine, TakesASchedule) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device has an order of its own";
  EXPECT_EQ(parse_run({"1"}).schedule, std::nullopt);
  EXPECT_EQ(parse_run({"1", "--schedule", "0"}).schedule, 0U);
  EXPECT_EQ(parse_run({"1", "--schedule=18446744073709551615"}).schedule, UINT64_MAX);
  for (const char* word : {"-1", "1.5", "two", ""}) {
    EXPECT_THAT(refusal({"1", "--schedule", word}),
                HasSubstr("is not understood: write a whole number from 0"))
        << word;
  }
  EXPECT_THAT(refusal({"1", "--schedule", "18446744073709551616"}), HasSubstr("it is at most"));
}

TEST(CommandLine, RefusesOnADeviceWhatOnlyTheSimulatedGpuDoes) {
  const auto refused_on_a_device = [](const runner::SimulatorWords& words) {
    runner::RunOptions options;
    return usage_refusal(
        [&] { runner::set_simulator_options(words, results::Machine::cuda, options); });
  };
  EXPECT_THAT(refused_on_a_device({.hazards = true}), HasSubstr("compute-sanitizer"));
  EXPECT_THAT(refused_on_a_device({.schedule = "1"}), HasSubstr("--schedule is the simulated"));
  runner::RunOptions options;
  runner::set_simulator_options({}, results::Machine::cuda, options);
  EXPECT_EQ(options.schedule, std::nullopt);
}

TEST(CommandLine, RefusesTimesThatAreNone) {
  for (const char* time : {"0", "-1", "nan", "inf"})
    EXPECT_THAT(refusal({"1", "--time", time}), HasSubstr("seconds above 0")) << time;
}

TEST(CommandLine, RefusesASeedBelowZero) {
  EXPECT_THAT(refusal({"1", "--seed", "-1"}), HasSubstr("--seed"));
  EXPECT_EQ(parse_run({"1", "--seed", "18446744073709551615"}).problems[0].seed, UINT64_MAX);
}

// A script's file name may come out empty.
TEST(CommandLine, RefusesJsonWithoutItsFileName) {
  EXPECT_THAT(refusal({"1", "--json="}), HasSubstr("--json= needs a file name"));
}

TEST(CommandLine, RefusesKernelsForTheList) {
  EXPECT_THAT(refusal({"1", "list"}), HasSubstr("'list' takes no kernels"));
}

TEST(CommandLine, RunsASizeOnce) {
  EXPECT_EQ(parse_run({"1", "--size", "32,64,32x32x32"}).problems.size(), 2u);
}

TEST(CommandLine, AnEmptyBaselineIsStillOneThatWasAskedFor) {
  EXPECT_TRUE(parse_run({"1", "--baseline", ""}).presentation.baseline_asked_for);
  EXPECT_FALSE(parse_run({"1"}).presentation.baseline_asked_for);
}

TEST(CommandLine, TakesKernelsOfTheUsers) {
  const RunRequest request = parse_run({"2", "--kernel", "a.cu", "--kernel=b.cu"});
  EXPECT_THAT(request.kernel_files, testing::ElementsAre("a.cu", "b.cu"));
  EXPECT_EQ(request.rungs.size(), 1u);
  EXPECT_TRUE(parse_run({"--kernel", "a.cu"}).rungs.empty()) << "alone, without the ladder's";
}

TEST(CommandLine, TakesMeasuringOptions) {
  const RunRequest request =
      parse_run({"1", "--cold", "--time", "0.5", "--samples", "7", "--strict"});
  EXPECT_EQ(request.measure, (results::MeasureOptions{.cold = true, .seconds = 0.5, .samples = 7}));
  EXPECT_TRUE(request.strict);
  EXPECT_TRUE(parse_run({"1", "--once"}).measure.once);
  EXPECT_TRUE(parse_run({"1", "--energy"}).measure.energy);
  EXPECT_FALSE(parse_run({"1"}).measure.energy);
}

TEST(CommandLine, KeepsItsWords) {
  EXPECT_THAT(parse_run({"1", "--size", "64"}).command_line,
              testing::ElementsAre("sgemm_runner", "1", "--size", "64"));
}

TEST(CommandLine, ShowsASavedRun) {
  const auto request = std::get<runner::TableRequest>(parse({"table", "run.json", "--md", "-v"}));
  EXPECT_EQ(request.file, "run.json");
  EXPECT_EQ(request.presentation.format, Format::markdown);
  EXPECT_EQ(request.presentation.verbosity, 1);
  EXPECT_THAT(refusal({"table"}), HasSubstr("'table' needs a file"));
}

TEST(CommandLine, KnowsALabWhereAKernelIsToBeNamed) {
  EXPECT_THAT(refusal({"copy_stride/8"}), HasSubstr("say 'sgemm_runner lab copy_stride/8'"));
  EXPECT_THAT(refusal({"1,copy_stride"}), HasSubstr("say 'sgemm_runner lab copy_stride'"));
  EXPECT_THAT(refusal({"copy_strid"}), HasSubstr("did you mean 'copy_stride'?"));
}

// --help lists another program's subcommand with the rest. It must be the first word of its line; elsewhere it is a mistake.
TEST(CommandLine, KnowsTheSubcommandsOfTheOtherProgram) {
  for (const char* name : {"lab", "show", "profile", "sass", "ptx"}) {
    EXPECT_THAT(std::get<runner::ShowText>(parse({"--help"})).text,
                HasSubstr(std::string("\n  ") + name + "  "));
    EXPECT_THAT(refusal({"2", name, "1", "--help"}), HasSubstr("takes no kernels"));
  }
  EXPECT_THAT(refusal({"--size", "64", "lab", "copy_stride", "--reveal"}),
              HasSubstr("'lab' takes no kernels and no options before it: say 'sgemm_runner lab"));
  EXPECT_THAT(refusal({"lba"}), HasSubstr("did you mean 'lab'?"));
}

TEST(CommandLine, TakesNothingBeforeASubcommand) {
  EXPECT_THAT(refusal({"--size", "64", "list"}),
              HasSubstr("'list' takes no kernels and no options before it"));
  EXPECT_THAT(refusal({"-q", "table", "run.json"}), HasSubstr("say 'sgemm_runner table ...'"));
}

TEST(CommandLine, AsksWhetherANearOptionWasMeant) {
  EXPECT_THAT(refusal({"1", "--szie", "4"}),
              HasSubstr("unknown option '--szie'; did you mean '--size'?"));
  EXPECT_THAT(refusal({"1", "--jsno=x"}), HasSubstr("did you mean '--json'?"));
  EXPECT_THAT(refusal({"list", "--numbrs"}), HasSubstr("did you mean '--numbers'?"));
}

TEST(CommandLine, NeedsAKernel) { EXPECT_THAT(refusal({}), HasSubstr("name a kernel")); }

TEST(CommandLine, SaysWhichOptionsHaveNoMeaningHere) {
  const RunRequest measured = parse_run({"1", "--cold", "--samples", "3"});
  const RunRequest counted = parse_run({"1", "--baseline", "run.json"});
  if (runner::machine::MEASURES_TIME) {
    EXPECT_TRUE(measured.without_meaning.empty());
    EXPECT_THAT(counted.without_meaning, testing::ElementsAre("--baseline"));
  } else {
    EXPECT_THAT(measured.without_meaning, testing::ElementsAre("--cold", "--samples"));
    EXPECT_TRUE(counted.without_meaning.empty());
  }
}

TEST(CommandLine, Lists) {
  EXPECT_EQ(std::get<runner::ListRequest>(parse({"list"})).style,
            runner::ListRequest::Style::table);
  EXPECT_EQ(std::get<runner::ListRequest>(parse({"list", "--numbers"})).style,
            runner::ListRequest::Style::numbers);
}

TEST(CommandLine, ShowsHelpAndVersion) {
  EXPECT_THAT(std::get<runner::ShowText>(parse({"--help"})).text, HasSubstr("--size"));
  EXPECT_THAT(std::get<runner::ShowText>(parse({"list", "--help"})).text, HasSubstr("--numbers"));
  EXPECT_THAT(std::get<runner::ShowText>(parse({"--version"})).text, HasSubstr("sgemm_runner"));
}

}  // namespace

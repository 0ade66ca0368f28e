// A run of labs from request to exit code, with labs that are wrong on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "results/files/json.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/machine/machine.hpp"
#include "runner/run/run.hpp"
#include "runner/run/workbench_run.hpp"
#include "test/labs/faulty_labs.hpp"
#include "test/support/files.hpp"

namespace {

using runner::ExitCode;
using runner::LabRequest;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LabRequest request_of(const lab::Lab& of, int64_t elements = 1024) {
  LabRequest request;
  for (const lab::Variant& variant : of.variants) {
    request.workloads.push_back(
        runner::lab_variant(of, variant, lab::Sizes({{"elements", elements}})));
  }
  request.measure.once = true;
  return request;
}

struct Outcome {
  ExitCode code;
  std::string output;
};

Outcome outcome_of(const LabRequest& request) {
  testing::internal::CaptureStdout();
  const ExitCode code = runner::run(request);
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(LabRun, OfASoundLabIsOk) {
  const Outcome outcome = outcome_of(request_of(faulty::sound_lab));
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("sound_lab: what does a copy cost?"), HasSubstr("elements 1024"),
                    HasSubstr("the last lane first"), HasSubstr("A copy costs what it must.")));
}

TEST(LabRun, OfAWrongLabExitsWithOneAndNamesTheFirstWrongWord) {
  const Outcome outcome = outcome_of(request_of(faulty::wrong_lab));
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("wrong_lab/one_word at elements 1024: 1 of 1024 words of 'out' are "
                              "wrong, the first at 37: got "),
                    HasSubstr("wrong_lab/never_written"), HasSubstr("wrong_lab/spoils_in")));
}

TEST(LabRun, OfABrokenPromiseExitsWithOneAndSaysWhich) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device counts nothing";
  const Outcome outcome = outcome_of(request_of(faulty::breaks_promise_lab));
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  EXPECT_THAT(outcome.output,
              HasSubstr("broke its promise: load sectors per request of in = 2: counted 4"));
}

// 1000 is not a multiple of 32, as the promise requires.
TEST(LabRun, JudgesPromisesOnlyWhereTheySpeak) {
  const Outcome outcome = outcome_of(request_of(faulty::breaks_promise_lab, 1000));
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
}

TEST(LabRun, ShowsARefusalAndIsOk) {
  const Outcome outcome = outcome_of(request_of(faulty::refusing_lab, 1001));
  EXPECT_EQ(outcome.code, ExitCode::ok);
  EXPECT_THAT(outcome.output,
              HasSubstr("multiple_of_4  refused: four elements are copied at a time"));
  EXPECT_THAT(outcome_of(request_of(faulty::refusing_lab, 1000)).output, Not(HasSubstr("refused")));
}

TEST(LabRun, FindsAWriteBesideAnArray) {
  const Outcome outcome = outcome_of(request_of(faulty::beside_lab));
  if (runner::machine::MEASURES_TIME) {
    EXPECT_EQ(outcome.code, ExitCode::wrong);
    EXPECT_THAT(outcome.output, HasSubstr("'out' was written to at word 1024, and it has 1024"));
  } else {  // a fault, which names its line
    EXPECT_EQ(outcome.code, ExitCode::failure);
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("beside_lab/one_behind"),
                                      HasSubstr("faulty_labs.cu:"), HasSubstr("out")));
  }
}

TEST(LabRun, RefusesWhatCannotFitBeforeAnythingIsRun) {
  LabRequest request = request_of(faulty::sound_lab);
  request.workloads.push_back(request_of(faulty::huge_lab).workloads.front());
  testing::internal::CaptureStdout();
  try {
    runner::run(request);
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    // 2^52 bytes; on a device as many again for the copy that its times are compared with.
    const std::string needed = runner::machine::MEASURES_TIME ? "8.389e+06" : "4.194e+06";
    EXPECT_THAT(error.what(), HasSubstr("huge_lab/plain --elements 1024 needs " + needed +
                                        " GiB of device memory"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(LabRun, HidesARiddleUntilItIsRevealed) {
  LabRequest request = request_of(faulty::riddle_lab);
  EXPECT_THAT(outcome_of(request).output,
              AllOf(HasSubstr("--reveal"), HasSubstr("what does a copy cost?"),
                    Not(HasSubstr("neighbours")), Not(HasSubstr("A copy costs"))));
  request.reveal = true;
  EXPECT_THAT(outcome_of(request).output, AllOf(Not(HasSubstr("--reveal")), HasSubstr("neighbours"),
                                                HasSubstr("A copy costs")));
}

TEST(LabRun, SavesWhatItShows) {
  const TemporaryFolder folder;
  LabRequest request = request_of(faulty::refusing_lab, 1001);
  request.json_file = (folder / "run.json").string();
  const Outcome now = outcome_of(request);
  const results::Run saved = results::read_run(request.json_file);
  ASSERT_EQ(saved.results.size(), 2u);
  EXPECT_EQ(results::full_name(saved.results[0]), "lab/refusing_lab/plain/elements=1001");
  EXPECT_EQ(saved.results[0].useful_bytes, 8008);
  EXPECT_EQ(saved.results[1].refusal, "four elements are copied at a time");
  testing::internal::CaptureStdout();
  runner::run(runner::TableRequest{.file = request.json_file});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), now.output);
}

TEST(LabRun, IsTimedBesideACopyWhereTimeIsTaken) {
  const TemporaryFolder folder;
  LabRequest request = request_of(faulty::sound_lab);
  request.json_file = (folder / "run.json").string();
  outcome_of(request);
  for (const results::Result& r : results::read_run(request.json_file).results) {
    EXPECT_EQ(r.seen.timing.has_value(), runner::machine::MEASURES_TIME);
    EXPECT_EQ(r.seen.traffic.has_value(), !runner::machine::MEASURES_TIME);
    if (!r.seen.timing) continue;
    EXPECT_TRUE(r.seen.timing->is_against_copy);
    EXPECT_EQ(r.seen.timing->samples_ms.size(), r.seen.timing->reference_samples_ms.size());
  }
}

// Sends a signal while the second variant's arrays are filled.
lab::Setup interrupting_setup(const lab::Sizes& sizes) {
  lab::Setup setup = faulty::sound_lab.variants.front().setup(sizes);
  setup.arrays.front().before = [](int64_t i) {
    if (i == 0) std::raise(SIGINT);
    return uint32_t{0};
  };
  return setup;
}

// Runs in its own process, which stays interrupted.
TEST(LabRunDeathTest, KeepsWhatIsDoneWhenInterrupted) {
  const TemporaryFolder folder;
  lab::Lab lab = faulty::sound_lab;
  lab.variants[1].setup = interrupting_setup;
  LabRequest request = request_of(lab);
  request.json_file = (folder / "run.json").string();
  EXPECT_EXIT(std::exit(static_cast<int>(runner::run(request))), testing::ExitedWithCode(130),
              "interrupted; the rest was not run");
  const results::Run saved = results::read_run(request.json_file);
  ASSERT_EQ(saved.results.size(), 1u);
  EXPECT_EQ(saved.results[0].who.variant, "plain");
  EXPECT_TRUE(saved.results[0].is_right());
}

}  // namespace

// A run from request to exit code, with rungs that are wrong on purpose.
#include "runner/run/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "app/error.hpp"
#include "runner/machine/machine.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/trial/measure.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using runner::ExitCode;
using runner::RunRequest;
using testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string output;
};

// Returns the exit code of a run, or of its refusal.
ExitCode code_of(const RunRequest& request) {
  try {
    return runner::run(request);
  } catch (const runner::Error& error) {
    return error.code();
  }
}

Outcome run(const ladder::Rung& rung) {
  RunRequest request;
  request.rungs = {{&rung, true}};
  request.problems = {results::dense_problem(32, 32, 32)};
  testing::internal::CaptureStdout();
  const ExitCode code = runner::run(request);
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(Run, OfASoundRungIsOk) {
  const Outcome outcome = run(faulty::sound);
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("sound"));
}

Outcome run_with_errors(const ladder::Rung& rung, results::Data data) {
  RunRequest request;
  request.rungs = {{&rung, true}};
  request.problems = {results::dense_problem(64, 64, 256)};
  request.problems.front().data = data;
  request.errors = true;
  testing::internal::CaptureStdout();
  const ExitCode code = runner::run(request);
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(Run, WithErrorsTellsThemBesideTheReferences) {
  const Outcome outcome = run_with_errors(faulty::sound, results::Data::positive);
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
  for (const char* part : {"error", "ref error", "max error", "ref max", "positive data", "e-07"})
    EXPECT_THAT(outcome.output, HasSubstr(part));
}

TEST(Run, HoldsARungToTheLimitsThatItStates) {
  using results::Data;
  ladder::Rung rung = faulty::rounds_to_tf32;  // far beyond the reference's error
  rung.arithmetic.epsilon = 0x1p-10;
  rung.arithmetic.exact_bits = 10;
  rung.arithmetic.limits = {1e-2, 1e-2, 1e-2};
  EXPECT_EQ(run_with_errors(rung, Data::uniform).code, ExitCode::ok);
  rung.arithmetic.limits = {1e-6, 1e-2, 1e-2};
  const Outcome frobenius = run_with_errors(rung, Data::uniform);
  EXPECT_EQ(frobenius.code, ExitCode::wrong) << frobenius.output;
  EXPECT_THAT(frobenius.output, HasSubstr("its relative Frobenius error is "));
  EXPECT_EQ(run_with_errors(rung, Data::positive).code, ExitCode::ok) << "has its own floor";
  rung.arithmetic.limits = {1e-2, 1e-6, 1e-2};
  EXPECT_EQ(run_with_errors(rung, Data::positive).code, ExitCode::wrong);
  rung.arithmetic.limits = {1e-2, 1e-2, 1e-6};
  const Outcome largest = run_with_errors(rung, Data::uniform);
  EXPECT_EQ(largest.code, ExitCode::wrong) << largest.output;
  EXPECT_THAT(largest.output, HasSubstr("its largest |error| / (|A||B|) is "));
  ladder::Rung reference = *ladder::all().front();
  reference.arithmetic.limits = {1e-12, 1e-12, 1e-12};
  reference.number = 99;
  EXPECT_EQ(run_with_errors(reference, Data::normal).code, ExitCode::ok)
      << "the reference's own error is always allowed";
}

TEST(Run, MarksARungBelowFp32) {
  ladder::Rung rung = faulty::rounds_to_tf32;
  rung.arithmetic.name = "TF32";
  rung.arithmetic.epsilon = 0x1p-10;
  rung.arithmetic.exact_bits = 10;
  const Outcome outcome = run(rung);
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("rounds_to_tf32 (TF32)"));
  EXPECT_THAT(outcome.output, HasSubstr("in TF32, which is less accurate than FP32"));
  EXPECT_THAT(run(faulty::sound).output, testing::Not(HasSubstr("less accurate")));
}

TEST(Run, OfABrokenRungExitsWithOneAndSaysWhere) {
  for (const ladder::Rung& rung : faulty::wrong_results()) {
    const Outcome outcome = run(rung);
    EXPECT_EQ(outcome.code, ExitCode::wrong) << rung.name;
    EXPECT_THAT(outcome.output, HasSubstr("C[")) << rung.name;
  }
}

// The rungs that can run on a Tesla T4, as in hosted notebooks.
TEST(Run, OnComputeCapability75HasAllRungsWithoutCpAsyncAndTensorCores) {
  const runner::machine::Device t4{.name = "Tesla T4", .detail = "sm_75", .compute_capability = 75};
  for (const ladder::Rung* rung : ladder::all()) {
    const bool needs_80 = std::ranges::any_of(rung->promise, [](const ladder::Claim& claim) {
      const std::string_view counter = claim.counter;
      return counter == "async_copy_share" || counter == "tensor_share";
    });
    const std::string lack = runner::lack_of(t4, *rung);
    EXPECT_EQ(lack.empty(), !needs_80) << rung->number << " " << lack;
    if (rung->number == 10) {
      // A device is called by its name; the simulated GPU's name gets "the".
      const std::string name = runner::machine::MEASURES_TIME ? "Tesla T4" : "the Tesla T4";
      EXPECT_EQ(lack, "10 async_pipeline needs compute capability 8.0, and " + name + " has 7.5");
    }
  }
}

// A rung may need one compute capability and no other, as those with wgmma do.
TEST(Run, OnALaterDeviceLeavesOutARungThatNeedsItsOwn) {
  ladder::Rung hopper = faulty::sound;
  hopper.needs = {.compute_capability = 90, .exactly = true};
  const auto lack_at = [&](int compute_capability) {
    return runner::lack_of({.name = "X", .detail = "", .compute_capability = compute_capability},
                           hopper);
  };
  EXPECT_EQ(lack_at(90), "");
  EXPECT_THAT(lack_at(89), HasSubstr("needs compute capability 9.0 exactly, and"));
  EXPECT_THAT(lack_at(100), HasSubstr("has 10.0"));
}

TEST(Run, LeavesOutWhatTheDeviceLacksAndRefusesWhatWasNamed) {
  ladder::Rung later = faulty::sound;
  later.needs = {.compute_capability = 999};
  RunRequest request;
  request.rungs = {{&later, false}, {&faulty::sound, false}};
  request.problems = {results::dense_problem(32, 32, 32)};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(runner::run(request), ExitCode::ok);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("needs compute capability 99.9, and"));
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("sound"));

  // No rung is left. An empty table proves nothing.
  request.rungs = {{&later, false}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(code_of(request), ExitCode::no_device);
  static_cast<void>(testing::internal::GetCapturedStderr());
  EXPECT_EQ(runner::verdict_on({}, {}, false), ExitCode::wrong);

  request.rungs = {{&later, true}};
  try {
    runner::run(request);
    FAIL() << "a rung that was named is not left out";
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    EXPECT_THAT(error.what(), HasSubstr("needs compute capability 99.9, and"));
  }
}

TEST(Run, OfABrokenPromiseExitsWithOneAndSaysWhich) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device counts nothing";
  const Outcome outcome = run(faulty::breaks_promise);
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  EXPECT_THAT(outcome.output,
              HasSubstr("broke its promise: load sectors per request of A = 31: counted"));
}

TEST(Run, OfAKernelThatFaultsExitsWithSeventyAndNamesTheLine) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "on a device the guard bands catch it";
  const Outcome outcome = run(faulty::writes_past_c);
  EXPECT_EQ(outcome.code, ExitCode::failure);
  EXPECT_THAT(outcome.output, HasSubstr("cudaErrorIllegalAddress"));
  EXPECT_THAT(outcome.output, HasSubstr("faulty_kernels.cu:"));
}

TEST(Run, RefusesWhatCannotFit) {
  RunRequest request;
  request.rungs = {{&faulty::sound, true}};
  request.problems = {results::dense_problem(10'000'000, 10'000'000, 10'000'000)};
  try {
    runner::run(request);
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("GiB of device memory"));
  }
}

}  // namespace

// A run from request to exit code, with rungs that are wrong on purpose.
#include "runner/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/machine.hpp"
#include "test/kernels/faulty_kernels.hpp"

namespace {

using runner::ExitCode;
using runner::RunRequest;
using testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string output;
};

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

TEST(Run, OfABrokenRungExitsWithOneAndSaysWhere) {
  for (const ladder::Rung& rung : faulty::wrong_results()) {
    const Outcome outcome = run(rung);
    EXPECT_EQ(outcome.code, ExitCode::wrong) << rung.name;
    EXPECT_THAT(outcome.output, HasSubstr("C[")) << rung.name;
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

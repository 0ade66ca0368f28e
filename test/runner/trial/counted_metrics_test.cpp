// A machine that counts fills in each counter of THE list of metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernels/ladder.hpp"
#include "results/values/metrics.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/verifier.hpp"

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

results::Result observed(const ladder::Rung& rung, const results::Problem& problem) {
  results::Result r{.who = {.set = "sgemm", .number = rung.number, .name = rung.name},
                    .problem = problem};
  runner::Verifier verifier(problem, {.guard = runner::machine::GUARD});
  const ladder::Sgemm sgemm = verifier.prepare(runner::Values::reals);
  EXPECT_EQ(runner::run_product(rung, sgemm, r.seen), cudaSuccess) << rung.name;
  return r;
}

// A device measures times instead. It counts nothing, and each figure of traffic is absent.
TEST(CountedMetrics, ComeFromARealRun) {
  const std::set<std::string> timed{"median_ms",
                                    "q1_ms",
                                    "q3_ms",
                                    "spread",
                                    "gflops",
                                    "percent_of_cublas",
                                    "reference_gflops",
                                    "percent_of_fp16_roof",
                                    "joules",
                                    "reference_joules",
                                    "reference_clock_mhz",
                                    "percent_of_peak",
                                    "clock_mhz",
                                    "gbytes_per_second",
                                    "percent_of_copy"};
  // Computed with --errors only.
  const std::set<std::string> errors{"frobenius_error", "reference_frobenius_error",
                                     "largest_error", "reference_largest_error"};
  std::set<std::string> seen;
  for (const int number : {1, 6, 10, 13}) {
    const ladder::Rung& rung = *ladder::all()[static_cast<size_t>(number)];
    const results::Result r = observed(rung, results::dense_problem(128, 128, 128));
    EXPECT_EQ(r.seen.traffic.has_value(), !runner::machine::MEASURES_TIME);
    for (const results::Metric& m : results::metrics()) {
      if (m.value(r, "", {})) seen.insert(m.key);
    }
  }
  for (const results::Metric& m : results::metrics()) {
    if (errors.contains(m.key)) continue;
    const bool counted = !timed.contains(m.key) && !runner::machine::MEASURES_TIME;
    const bool of_launches = m.key == std::string("blocks");  // a device reports it too
    EXPECT_EQ(seen.contains(m.key), counted || of_launches) << m.key;
  }
}

// The figures of a run of a known kernel. Mixed-up counters would change at least one of them.
TEST(CountedMetrics, OfTheNaiveKernelAreTheOnesOfItsLesson) {
  const results::Result r = observed(*ladder::all()[1], results::dense_problem(64, 64, 64));
  const auto figure = [&r](const char* key, const char* buffer = "") {
    return results::value(r, key, buffer);
  };
  if (runner::machine::MEASURES_TIME) {
    EXPECT_EQ(figure("load_sectors_per_request", "A"), std::nullopt);
    EXPECT_THAT(r.seen.kernels, Not(IsEmpty())) << "a device says which kernels ran";
    return;
  }
  EXPECT_EQ(figure("load_sectors_per_request", "A"), 32);
  EXPECT_EQ(figure("load_sectors_per_request", "B"), 1);
  EXPECT_EQ(figure("store_sectors_per_request", "C"), 32);
  EXPECT_EQ(figure("load_sectors_per_request", "C"), std::nullopt) << "beta is 0";
  EXPECT_EQ(figure("load_bytes_per_lane", "A"), 4);
  EXPECT_EQ(figure("async_copy_share"), 0);
  EXPECT_EQ(figure("local_bytes"), 0);
  EXPECT_EQ(r.seen.traffic->count("ffma"), 64 * 64 * 64);
  EXPECT_EQ(r.seen.traffic->count("launches"), 1);
  std::vector<std::string> buffers;
  for (const results::Line& line : r.seen.lines) buffers.push_back(line.buffer);
  for (const char* buffer : {"A", "B", "C"}) EXPECT_THAT(buffers, Contains(buffer));
}

// From compute capability 9.0 on they begin before the kernel before has ended.
TEST(LaunchedKernels, OfARungWithSeveralAreAllNamed) {
  const results::Result r = observed(*ladder::all()[14], results::dense_problem(128, 128, 128));
  std::vector<std::string> names;
  for (const results::Kernel& kernel : r.seen.kernels) names.push_back(kernel.name);
  for (const char* kernel : {"::split_kernel", "::tensor_split_kernel", "::fp64_tiles_kernel"})
    EXPECT_THAT(names, Contains(HasSubstr(kernel)));
}

}  // namespace

// The counters of every rung and lab on the simulated GPU, compared with Nsight Compute's counters on an H200:
//
//   ./sgemm_runner profile all --json=bench/baselines/nvidia-h200-profile.json
//
// Counts that a device repeats exactly are compared exactly. Two tables here list the others, with the reasons.
#include <fmt/format.h>
#include <fnmatch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/files/json.hpp"
#include "results/values/counts.hpp"
#include "runner/choose/select_workloads.hpp"
#include "runner/inspect/profile.hpp"
#include "runner/trial/launch_once.hpp"

namespace {

namespace counts = results::counts;
using results::Result;
using runner::Workload;

const std::string BASELINES = SGEMM_SOURCE_DIR "/bench/baselines/";

// The comparison of a count, for every workload.
enum class Comparison {
  equal,
  device_has_no_fewer,
  device_has_fewer_by_elements,  // at most as many as C has elements
};
struct Compared {
  const char* count;
  Comparison how;
  const char* why;
};
constexpr Compared COMPARED[] = {
    {counts::LOAD_REQUESTS, Comparison::equal, ""},
    {counts::LOAD_SECTORS, Comparison::equal, ""},
    {counts::LOAD_LINES, Comparison::equal, ""},
    {counts::STORE_REQUESTS, Comparison::equal, ""},
    {counts::STORE_SECTORS, Comparison::equal, ""},
    {counts::SHARED_LOADS, Comparison::equal, ""},
    {counts::SHARED_LOAD_WAVEFRONTS, Comparison::equal, ""},
    {counts::SHARED_LOAD_CONFLICTS, Comparison::equal, ""},
    {counts::SHARED_STORES, Comparison::equal, ""},
    {counts::SHARED_STORE_WAVEFRONTS, Comparison::device_has_no_fewer,
     "the device's arbitration of stores adds wavefronts at random"},
    {counts::SHARED_STORE_CONFLICTS, Comparison::device_has_no_fewer,
     "the device's arbitration of stores adds conflicts at random"},
    {counts::FFMA, Comparison::device_has_fewer_by_elements,
     "of the product each is one on both; in the epilogue clang fuses where nvcc does not"},
};

// A count that is larger on the device for some workloads, or smaller if the share is negative. It has their names, as a
// shell's pattern, and the largest share of difference.
struct Exception {
  const char* names;
  const char* count;
  double share;
  const char* why;
};
constexpr const char* SPLIT_LOADS =
    "nvcc reads a part of the fragments as several loads where clang has one; the wavefronts are "
    "the same";
constexpr const char* CUT_ROWS =
    "in shared memory a row of B begins at no multiple of 128 bytes: the device takes the copy of "
    "each 128 bytes in two parts, and counts their line, and a sector that they share, twice";
constexpr const char* NO_LANE =
    "a warp without work skips the access on the simulated GPU, and executes it with no lane on "
    "the device, which counts that; the wavefronts are the same";
constexpr const char* UNROLLED =
    "the lanes that meet the end leave the loop at different turns; nvcc has unrolled it, and they "
    "go on apart in what is left of it";
constexpr const char* SPLIT_STORES =
    "nvcc writes the first two columns of each of a warp's rows of C as two stores, clang as one";
constexpr const char* FUSED_SPLIT =
    "clang fuses the products and sums of the splitting where nvcc does not";
constexpr const char* MEMBERS =
    "nvcc reads the members of a structure in shared memory in fewer loads than clang, and writes "
    "them in more stores";
constexpr const char* HOISTED_LOADS =
    "a warp loads its first sums of slices before it tests whether their row lies in C: 3 warps of "
    "4 slices in each of the 2 lowest tiles";
constexpr const char* RAGGED_LOOPS = "lab/vector_add/*strid*/elements=1048573";
constexpr Exception EXCEPTIONS[] = {
    {"sgemm/10_async_pipeline/*", counts::SHARED_LOADS, 0.07, SPLIT_LOADS},
    {"sgemm/11_tuned/*", counts::SHARED_LOADS, 0.25, SPLIT_LOADS},
    {"sgemm/12_stream_k/*", counts::SHARED_LOADS, 0.25, SPLIT_LOADS},
    {"sgemm/11_tuned/65x*", counts::SHARED_LOAD_WAVEFRONTS, 0.0075, HOISTED_LOADS},
    {"sgemm/12_stream_k/65x*", counts::SHARED_LOAD_WAVEFRONTS, 0.0075, HOISTED_LOADS},
    {"sgemm/13_tensor_tf32/256x*", counts::LOAD_SECTORS, 0.07, CUT_ROWS},
    {"sgemm/13_tensor_tf32/256x*", counts::LOAD_LINES, 0.44, CUT_ROWS},
    {"sgemm/13_tensor_tf32/*", counts::SHARED_LOADS, 0.19, SPLIT_LOADS},
    {"sgemm/14_tensor_split/*", counts::SHARED_LOADS, 1.3, NO_LANE},
    {"sgemm/14_tensor_split/*", counts::FFMA, -0.45, FUSED_SPLIT},
    {"sgemm/15_tensor_wgmma/*", counts::STORE_REQUESTS, 0.024, SPLIT_STORES},
    {"sgemm/15_tensor_wgmma/*", counts::STORE_SECTORS, 0.042, SPLIT_STORES},
    {"sgemm/15_tensor_wgmma/*", counts::SHARED_LOADS, -0.21, MEMBERS},
    {"sgemm/15_tensor_wgmma/*", counts::SHARED_LOAD_WAVEFRONTS, -0.11, MEMBERS},
    {"sgemm/15_tensor_wgmma/*", counts::SHARED_STORES, 0.07, MEMBERS},
    {"sgemm/15_tensor_wgmma/*", counts::FFMA, -0.38, FUSED_SPLIT},
    {"sgemm/16_tensor_fp32/*", counts::STORE_REQUESTS, 0.024, SPLIT_STORES},
    {"sgemm/16_tensor_fp32/*", counts::STORE_SECTORS, 0.042, SPLIT_STORES},
    {"sgemm/16_tensor_fp32/*", counts::SHARED_LOADS, -0.041, MEMBERS},
    {"sgemm/16_tensor_fp32/*", counts::SHARED_LOAD_WAVEFRONTS, -0.05, MEMBERS},
    {"sgemm/16_tensor_fp32/*", counts::SHARED_STORES, 0.083, MEMBERS},
    {"sgemm/16_tensor_fp32/*", counts::FFMA, -0.19, FUSED_SPLIT},
    {RAGGED_LOOPS, counts::LOAD_REQUESTS, 0.001, UNROLLED},
    {RAGGED_LOOPS, counts::LOAD_SECTORS, 0.001, UNROLLED},
    {RAGGED_LOOPS, counts::LOAD_LINES, 0.001, UNROLLED},
    {RAGGED_LOOPS, counts::STORE_REQUESTS, 0.001, UNROLLED},
    {RAGGED_LOOPS, counts::STORE_SECTORS, 0.001, UNROLLED},
    {"lab/vector_add/chunk/elements=1048573", counts::LOAD_REQUESTS, 0.001, UNROLLED},
    {"lab/vector_add/chunk/elements=1048573", counts::STORE_REQUESTS, 0.001, UNROLLED},
    {"lab/transpose/*/rows=253/cols=125", counts::SHARED_STORES, 0.02, NO_LANE},
};

const Exception* exception_for(const std::string& name, std::string_view count) {
  for (const Exception& one : EXCEPTIONS) {
    if (fnmatch(one.names, name.c_str(), 0) == 0 && count == one.count) return &one;
  }
  return nullptr;
}

const std::vector<Result>& recorded() {
  static const std::vector<Result> rows =
      results::read_run(BASELINES + "nvidia-h200-profile.json").results;
  return rows;
}

// Returns the rung or the variant of a row, at its size.
Workload workload_of(const Result& row) {
  if (row.problem) {
    return runner::select_workloads(
               {.names = {row.who.name}, .sizes = {row.problem->size()}, .parameters = {}})
        .at(0);
  }
  runner::SizeWords sizes;
  for (const auto& [name, size] : row.who.parameters)
    sizes.emplace_back(name, fmt::format("{}", size));
  return runner::select_workloads(
             {.names = {row.who.name + "/" + row.who.variant}, .sizes = {}, .parameters = sizes})
      .at(0);
}

results::Traffic simulated(const Result& row) {
  results::Observation seen;
  runner::with_launch(workload_of(row), [&](const runner::machine::Launch& launch) {
    EXPECT_EQ(runner::machine::run(launch, seen), cudaSuccess);
  });
  return seen.traffic.value_or(results::Traffic{});
}

double elements_of_c(const Result& row) {
  return row.problem ? static_cast<double>(row.problem->M * row.problem->N) : 0;
}

class DeviceCounters : public testing::TestWithParam<Result> {};

TEST_P(DeviceCounters, AreTheSimulators) {
  const Result& row = GetParam();
  const std::string name = results::full_name(row);
  ASSERT_TRUE(row.seen.traffic);
  const results::Traffic here = simulated(row);
  for (const auto& [count, how, why] : COMPARED) {
    const auto device = row.seen.traffic->count(count), simulator = here.count(count);
    ASSERT_TRUE(device) << name << " has no " << count;
    if (const Exception* exception = exception_for(name, count)) {
      const double own = simulator.value_or(0), furthest = own * (1 + exception->share);
      EXPECT_GE(*device, std::min(own, furthest)) << count << ": " << exception->why;
      EXPECT_LE(*device, std::max(own, furthest)) << count << ": " << exception->why;
      continue;
    }
    switch (how) {
      case Comparison::equal:
        EXPECT_EQ(simulator.value_or(0), *device) << count;
        break;
      case Comparison::device_has_no_fewer:
        EXPECT_LE(simulator.value_or(0), *device) << count << ": " << why;
        break;
      case Comparison::device_has_fewer_by_elements:
        EXPECT_GE(simulator.value_or(0), *device) << count << ": " << why;
        EXPECT_LE(simulator.value_or(0), *device + elements_of_c(row)) << count << ": " << why;
        break;
    }
  }
}

// On the device a promise is checked by sums over buffers.
TEST_P(DeviceCounters, KeepThePromise) {
  const Result& row = GetParam();
  const results::Traffic here = simulated(row);
  const std::vector<device::Claim> claims = workload_of(row).claims;
  const runner::DeviceClaims held = runner::check_on_device(claims, *row.seen.traffic, &here);
  EXPECT_EQ(held.checked.empty() && held.not_counted.empty(), claims.empty());
  for (const auto& [claim, note] : held.checked) {
    EXPECT_TRUE(claim.kept) << claim.counter << " " << claim.relation << " " << claim.value << ", "
                            << claim.counted.value_or(-1) << " on the device (" << note << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Hopper, DeviceCounters, testing::ValuesIn(recorded()),
                         [](const auto& info) {
                           std::string name = results::full_name(info.param);
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// An exception that is no longer needed would hide a later difference.
TEST(DeviceCountersRecorded, NeedEachException) {
  for (const Exception& one : EXCEPTIONS) {
    bool is_needed = false;
    for (const Result& row : recorded()) {
      if (is_needed || fnmatch(one.names, results::full_name(row).c_str(), 0) != 0) continue;
      is_needed = row.seen.traffic->count(one.count) != simulated(row).count(one.count);
    }
    EXPECT_TRUE(is_needed) << one.names << " " << one.count;
  }
}

TEST(DeviceCountersRecorded, AreOfEveryRungAndLab) {
  std::set<std::string> rows;
  for (const Result& row : recorded()) rows.insert(results::full_name(row));
  for (const Workload& workload :
       runner::select_workloads({.names = {"all"}, .sizes = {}, .parameters = {}})) {
    const std::string name = results::full_name(workload.result());
    EXPECT_TRUE(rows.contains(name)) << name << " is not in " << BASELINES;
  }
}

}  // namespace

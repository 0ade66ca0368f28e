// Claims checked against a device's counters, and a whole `profile` with an Nsight Compute that a script plays.
#include "runner/inspect/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/error.hpp"
#include "results/files/json.hpp"
#include "results/values/counts.hpp"
#include "runner/choose/select_workloads.hpp"
#include "runner/inspect/nsight.hpp"
#include "test/support/files.hpp"

namespace {

namespace counts = results::counts;
namespace fs = std::filesystem;
using device::Claim;
using device::Relation;
using results::Count;
using results::Traffic;
using runner::check_on_device;
using runner::DeviceClaims;
using runner::Workload;
using testing::HasSubstr;

// 100 requests to A at 1 sector, 300 to B at 4; 10 stores to C at 4.
const Traffic SIMULATED{.counts = {{counts::LOAD_REQUESTS, "A", 100},
                                   {counts::LOAD_REQUESTS, "B", 300},
                                   {counts::LOAD_SECTORS, "A", 100},
                                   {counts::LOAD_SECTORS, "B", 1200},
                                   {counts::STORE_REQUESTS, "C", 10},
                                   {counts::STORE_SECTORS, "C", 40}}};
const std::vector<Claim> CLAIMS{{"load_sectors_per_request", "A", Relation::equal, 1},
                                {"load_sectors_per_request", "B", Relation::equal, 4},
                                {"store_sectors_per_request", "C", Relation::equal, 4}};

Traffic device(uint64_t load_sectors, uint64_t store_sectors = 40) {
  return {.counts = {{counts::LOAD_REQUESTS, "", 400},
                     {counts::LOAD_SECTORS, "", load_sectors},
                     {counts::STORE_REQUESTS, "", 10},
                     {counts::STORE_SECTORS, "", store_sectors}}};
}

bool is_kept(const DeviceClaims& claims, std::string_view counter) {
  for (const auto& [claim, note] : claims.checked) {
    if (claim.counter == counter) return claim.kept;
  }
  ADD_FAILURE() << counter << " was not checked";
  return false;
}

// Checks the one claim against these counts.
DeviceClaims check(const Claim& claim, std::vector<Count> counted) {
  return check_on_device({claim}, {.counts = std::move(counted)}, &SIMULATED);
}

TEST(ProfileClaims, OfBuffersAreHeldAgainstTheirSum) {
  const DeviceClaims kept = check_on_device(CLAIMS, device(1300), &SIMULATED);
  ASSERT_EQ(kept.checked.size(), 2u);
  EXPECT_TRUE(is_kept(kept, "load_sectors_per_request"));
  EXPECT_TRUE(is_kept(kept, "store_sectors_per_request"));
  EXPECT_DOUBLE_EQ(kept.checked[0].claim.value, 1300.0 / 400);
  EXPECT_THAT(kept.checked[0].note, HasSubstr("A 1, B 4"));

  const DeviceClaims broken = check_on_device(CLAIMS, device(1301, 41), &SIMULATED);
  EXPECT_FALSE(is_kept(broken, "load_sectors_per_request"));
  EXPECT_FALSE(is_kept(broken, "store_sectors_per_request"));
}

TEST(ProfileClaims, ABufferOfWhichNothingIsClaimedCountsAsSimulated) {
  const std::vector<Claim> of_b{CLAIMS[1]};
  EXPECT_TRUE(is_kept(check_on_device(of_b, device(1300), &SIMULATED), "load_sectors_per_request"));
  EXPECT_FALSE(
      is_kept(check_on_device(of_b, device(1600), &SIMULATED), "load_sectors_per_request"));
  EXPECT_THAT(check_on_device(of_b, device(1300), &SIMULATED).checked[0].note,
              HasSubstr("A as simulated"));
}

TEST(ProfileClaims, KeepTheirRelation) {
  const std::vector<Claim> bounds{{"load_sectors_per_request", "A", Relation::equal, 1},
                                  {"load_sectors_per_request", "B", Relation::at_most, 4}};
  EXPECT_TRUE(
      is_kept(check_on_device(bounds, device(1200), &SIMULATED), "load_sectors_per_request"));
  EXPECT_FALSE(
      is_kept(check_on_device(bounds, device(1301), &SIMULATED), "load_sectors_per_request"));
  // A bound above and a bound below say nothing about the sum.
  std::vector<Claim> both = bounds;
  both[0].relation = Relation::at_least;
  const DeviceClaims mixed = check_on_device(both, device(1300), &SIMULATED);
  EXPECT_TRUE(mixed.checked.empty());
  EXPECT_EQ(mixed.not_counted.size(), 2u);
}

TEST(ProfileClaims, OfBuffersAreNotCountedWithoutTheSimulators) {
  const DeviceClaims claims = check_on_device(CLAIMS, device(1300), nullptr);
  EXPECT_TRUE(claims.checked.empty());
  EXPECT_EQ(claims.not_counted.size(), 3u);
}

TEST(ProfileClaims, OfTheWholeLaunch) {
  const Claim no_conflicts{"shared_bank_conflicts", "", Relation::equal, 0};
  EXPECT_TRUE(is_kept(check(no_conflicts, {{counts::SHARED_LOAD_CONFLICTS, "", 0},
                                           {counts::SHARED_STORE_CONFLICTS, "", 7}}),
                      "shared_bank_conflicts"));
  EXPECT_FALSE(is_kept(check(no_conflicts, {{counts::SHARED_LOAD_CONFLICTS, "", 1}}),
                       "shared_bank_conflicts"));

  const Claim loads{"shared_loads_per_ffma", "", Relation::at_most, 0.25};
  EXPECT_TRUE(is_kept(check(loads, {{counts::SHARED_LOADS, "", 10}, {counts::FFMA, "", 1280}}),
                      "shared_loads_per_ffma"));
  EXPECT_FALSE(is_kept(check(loads, {{counts::SHARED_LOADS, "", 11}, {counts::FFMA, "", 1280}}),
                       "shared_loads_per_ffma"));

  const Claim reuse{"flops_per_global_byte", "", Relation::at_least, 2};
  EXPECT_TRUE(is_kept(check(reuse, {{counts::FFMA, "", 320},
                                    {counts::LOAD_SECTORS, "", 9},
                                    {counts::STORE_SECTORS, "", 1}}),
                      "flops_per_global_byte"));
  EXPECT_FALSE(is_kept(check(reuse, {{counts::FFMA, "", 319},
                                     {counts::LOAD_SECTORS, "", 9},
                                     {counts::STORE_SECTORS, "", 1}}),
                       "flops_per_global_byte"));

  const Claim no_spills{"local_bytes", "", Relation::equal, 0};
  EXPECT_TRUE(is_kept(check(no_spills, {{counts::LOCAL_BYTES, "", 0}}), "local_bytes"));
  EXPECT_FALSE(is_kept(check(no_spills, {{counts::LOCAL_BYTES, "", 4}}), "local_bytes"));
  EXPECT_EQ(check(no_spills, {}).not_counted.size(), 1u);

  const Claim stores{"shared_store_wavefronts_per_request", "", Relation::equal, 2};
  const auto wavefronts = [&](uint64_t count) {
    return check(stores,
                 {{counts::SHARED_STORES, "", 100}, {counts::SHARED_STORE_WAVEFRONTS, "", count}});
  };
  EXPECT_TRUE(is_kept(wavefronts(207), "shared_store_wavefronts_per_request"));
  EXPECT_FALSE(is_kept(wavefronts(199), "shared_store_wavefronts_per_request"));
}

TEST(ProfileClaims, WidthsAreNotCounted) {
  const DeviceClaims claims =
      check({"load_bytes_per_lane", "A", Relation::equal, 16}, {{counts::LOAD_REQUESTS, "", 1}});
  EXPECT_TRUE(claims.checked.empty());
  ASSERT_EQ(claims.not_counted.size(), 1u);
}

// ---- A whole run. A script prints the counts recorded of rung 2 on the simulated GPU, with small changes.

class Profiling : public testing::Test {
 protected:
  Profiling()
      : workload_(
            runner::select_workloads({.names = {"2"}, .sizes = {"256"}, .parameters = {}}).at(0)) {}

  // `sectors` are the loads' sectors; everything else is right.
  std::string ncu(uint64_t sectors) {
    const results::Result* known = runner::find_result(simulated_, workload_);
    std::ofstream answer(folder_ / "answer");
    answer << "==PROF== Connected\n\"ID\",\"Metric Name\",\"Metric Value\"\n";
    for (const runner::NsightMetric& metric : runner::nsight_metrics()) {
      const bool of_sectors = std::string_view(metric.count) == counts::LOAD_SECTORS;
      const double value = known->seen.traffic->count(metric.count).value_or(0);
      answer << "\"0\",\"" << metric.metric << "\",\""
             << (of_sectors ? sectors : static_cast<uint64_t>(value)) << "\"\n";
    }
    const fs::path file = folder_ / "ncu";
    std::ofstream(file) << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << (folder_ / "words").string()
                        << "'\ncat '" << (folder_ / "answer").string() << "'\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }

  results::Run profiled(uint64_t sectors) {
    results::Run run;
    runner::profile_all({workload_}, ncu(sectors), simulated_, false, run);
    return run;
  }

  const results::Run simulated_ =
      results::read_run(SGEMM_SOURCE_DIR "/bench/baselines/simulator.json");
  TemporaryFolder folder_;
  Workload workload_;
};

constexpr uint64_t RIGHT = 2621440;

TEST_F(Profiling, APromiseThatIsKept) {
  const results::Run run = profiled(RIGHT);
  ASSERT_EQ(run.results.size(), 1u);
  EXPECT_TRUE(run.results[0].is_right());
  EXPECT_EQ(run.results[0].judged.claims.size(), 2u);
  const std::vector<std::string> words = lines_of(contents(folder_ / "words"));
  const std::vector<std::string> called(words.end() - 5, words.end());
  EXPECT_THAT(called, testing::ElementsAre("profile", "2", "--size", "256x256x256", "--once"));
}

TEST_F(Profiling, APromiseThatIsBroken) {
  const results::Run run = profiled(RIGHT + 1);
  ASSERT_EQ(run.results.size(), 1u);
  EXPECT_TRUE(run.results[0].judged.correct);
  EXPECT_FALSE(run.results[0].is_right());
  const std::string text = runner::profile_text(workload_, run.results[0], nullptr, "a device", {});
  EXPECT_THAT(text, HasSubstr("not counted on the device: load sectors per request of A"));
}

TEST_F(Profiling, TheTableShowsBothAndWhatDiffers) {
  const results::Traffic& traffic = *runner::find_result(simulated_, workload_)->seen.traffic;
  const std::string text = runner::profile_text(workload_, profiled(RIGHT + 1).results[0], &traffic,
                                                "a device", {.unicode = false});
  EXPECT_THAT(text, HasSubstr("2 coalesced at 256x256x256: a device\n"));
  EXPECT_THAT(text, HasSubstr("2 621 441     2 621 440  1 more\n"));
  EXPECT_THAT(text, HasSubstr("1 048 576     1 048 576  equal\n"));
  EXPECT_THAT(text, HasSubstr("WRONG load sectors per request = 2.5: "));
  EXPECT_THAT(text, HasSubstr("ok store sectors per request = 4: 4 (C 4)\n"));
}

TEST_F(Profiling, IsReadBackAsItWasWritten) {
  const results::Run run = profiled(RIGHT);
  const results::Run read = results::run_from_json(results::to_json(run));
  EXPECT_EQ(read.results.at(0).seen.traffic, run.results[0].seen.traffic);
  EXPECT_EQ(read.results[0].judged.claims, run.results[0].judged.claims);
}

// ---- Subjects.

TEST(Workloads, AllAreEveryRungAndEveryVariantTwice) {
  const std::vector<Workload> all =
      runner::select_workloads({.names = {"all"}, .sizes = {}, .parameters = {}});
  size_t variants = 0, refused = 0;
  for (const lab::Lab* one : lab::all()) {
    for (const lab::Variant& variant : one->variants) {
      for (const lab::Sizes& sizes : {lab::counted_sizes(*one), runner::odd_sizes(*one)}) {
        ++variants;
        refused += lab::refusal(variant, sizes) != nullptr ? 1u : 0u;
      }
    }
  }
  EXPECT_EQ(all.size(), 2 * (ladder::all().size() - 1) + variants - refused);
}

TEST(Workloads, OddSizesAreNoMultiples) {
  for (const lab::Lab* one : lab::all()) {
    const lab::Sizes odd = runner::odd_sizes(*one);
    EXPECT_FALSE(odd == lab::counted_sizes(*one)) << one->name;
    for (const lab::Parameter& parameter : one->parameters) {
      EXPECT_GE(odd[parameter.name], parameter.least) << one->name;
      EXPECT_LE(odd[parameter.name], parameter.most) << one->name;
    }
  }
}

TEST(Workloads, ALabsClaimsAreOfWholeSizes) {
  const auto claims = [](const char* elements) {
    return runner::select_workloads(
               {.names = {"copy_stride/8"}, .sizes = {}, .parameters = {{"elements", elements}}})
        .at(0)
        .claims.size();
  };
  EXPECT_EQ(claims("4096"), 3u);
  EXPECT_EQ(claims("4095"), 0u);
}

}  // namespace

// Every rung's counters on the simulated GPU, against the recorded run in bench/baselines/simulator.json:
// a change in memory behaviour must show in a review. If it is meant, record the run anew with
//
//   bench/record.py counters
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "test/support/process.hpp"

namespace {

using nlohmann::json;

// What depends on the compiler's choice of instructions besides the kernel's accesses is not compared.
constexpr const char* COMPILER_DEPENDENT[] = {"warp instructions", "lane instructions"};
constexpr const char* COMPARED[] = {"path", "sectors_per_request", "bytes_used_over_fetched",
                                    "promise_kept", "counters"};

// The sizes of the recorded run, as --size wants them.
std::string sizes_of(const json& run) {
  std::set<std::string> sizes;
  for (const json& row : run.at("benchmarks")) {
    const std::string name = row.at("name");
    sizes.insert(name.substr(name.rfind('/') + 1));
  }
  std::string list;
  for (const std::string& size : sizes) list += (list.empty() ? "" : ",") + size;
  return list;
}

std::map<std::string, json> rows_by_name(const json& run) {
  std::map<std::string, json> rows;
  for (json row : run.at("benchmarks")) {
    if (row.contains("counters")) {
      for (const char* name : COMPILER_DEPENDENT) row.at("counters").erase(name);
    }
    const std::string name = row.at("name");
    rows[name] = std::move(row);
  }
  return rows;
}

TEST(RecordedCounters, AreThoseOfEveryRungToday) {
  std::ifstream file(SGEMM_SOURCE_DIR "/bench/baselines/simulator.json");
  ASSERT_TRUE(file) << "bench/baselines/simulator.json cannot be read";
  const json run = json::parse(file);
  const auto recorded = rows_by_name(run);
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "all", "--size", sizes_of(run), "--json"}});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto today = rows_by_name(json::parse(ended.out));

  for (const auto& [name, row] : today) {
    ASSERT_TRUE(recorded.contains(name)) << name << " is not in the recorded run";
    for (const char* key : COMPARED) {
      EXPECT_EQ(row.value(key, json()), recorded.at(name).value(key, json()))
          << name << ": " << key;
    }
  }
  EXPECT_EQ(today.size(), recorded.size()) << "the recorded run has rungs that are gone";
}

// One rung has several kernels, for shapes of several kinds: each has run on one path at least.
TEST(RecordedCounters, CoverEveryKernelOfRung12) {
  std::ifstream file(SGEMM_SOURCE_DIR "/bench/baselines/simulator.json");
  const json run = json::parse(file);
  std::set<std::string> paths;
  bool divided = false;
  for (const json& row : run.at("benchmarks")) {
    if (row.at("kernel") != "stream_k") continue;
    paths.insert(row.at("path"));
    divided |= row.at("counters").at("launches") == 2 && row.at("path") == "float4";
  }
  EXPECT_TRUE(divided) << "no product whose parts a second kernel adds";
  EXPECT_EQ(paths,
            (std::set<std::string>{"float4", "scalar", "few rows, float4", "few columns, float4"}));
}

}  // namespace

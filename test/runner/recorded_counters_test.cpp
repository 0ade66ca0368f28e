// Every rung's counters on the simulated GPU, against the recorded run in bench/baselines/simulator.json:
// a change in memory behaviour must show in a review. If it is meant, record the run anew with
//
//   ./sgemm_runner all --build sim --json=bench/baselines/simulator.json
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "test/runner/process.hpp"

namespace {

using nlohmann::json;

// What depends on the compiler's choice of instructions besides the kernel's accesses is not compared.
constexpr const char* COMPILER_DEPENDENT[] = {"warp instructions", "lane instructions"};
constexpr const char* COMPARED[] = {"path", "sectors_per_request", "bytes_used_over_fetched",
                                    "promise_kept", "counters"};

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
  const auto recorded = rows_by_name(json::parse(file));
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "all", "--json"}});
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

}  // namespace

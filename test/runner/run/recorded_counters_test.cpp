// Every rung's and every lab's counters on the simulated GPU equal the recorded run in bench/baselines/simulator.json:
// a change in memory behaviour must show in a review. If it is intended, record the run anew with
//
//   bench/record.py counters
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

using nlohmann::json;

const std::string RECORDED = SGEMM_SOURCE_DIR "/bench/baselines/simulator.json";
constexpr const char* RECORD_ANEW =
    "\nIf this is meant, record the counters anew with\n\n  bench/record.py counters\n";

json recorded_run() {
  const json run = json::parse(contents(RECORDED), nullptr, false);
  EXPECT_FALSE(run.is_discarded()) << RECORDED << " is no JSON" << RECORD_ANEW;
  const int schema = run.is_object() ? run.value("/context/schema"_json_pointer, 0) : 0;
  EXPECT_EQ(schema, 2) << RECORDED << " is not of today's schema" << RECORD_ANEW;
  return schema == 2 ? run : json{{"benchmarks", json::array()}};
}

bool is_of_a_lab(const json& row) { return row.value("set", "") == "lab"; }

json output_of(std::vector<std::string> words) {
  words.insert(words.begin(), SGEMM_RUNNER);
  words.emplace_back("--json");
  const Ended ended = run_program({.words = words});
  EXPECT_EQ(ended.code, 0) << ended.err;
  return json::parse(ended.out);
}

TEST(RecordedCounters, AreThoseOfToday) {
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "compare", RECORDED}});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err << RECORD_ANEW;
  const size_t rows = recorded_run().at("benchmarks").size();
  EXPECT_THAT(ended.out, testing::EndsWith(std::to_string(rows) + " rows: " + std::to_string(rows) +
                                           " SAME\n"));
}

// The recording has a count for every rung except the reference. Otherwise nothing would be compared.
TEST(RecordedCounters, SpeakOfEveryRung) {
  std::set<int> counted;
  const json run = recorded_run();
  for (const json& row : run.at("benchmarks")) {
    if (is_of_a_lab(row)) continue;
    const bool has_counts =
        !row.value("counts", json::object()).value("load_requests", json::object()).empty();
    if (has_counts) counted.insert(row.at("kernel_id").get<int>());
    EXPECT_EQ(has_counts, row.at("kernel_id") != 0) << row.at("name");
  }
  std::istringstream list(run_program({.words = {SGEMM_RUNNER, "list", "--numbers"}}).out);
  std::set<int> rungs;
  for (int number = 0; list >> number;) rungs.insert(number);
  rungs.erase(0);
  EXPECT_EQ(counted, rungs) << RECORD_ANEW;
}

TEST(RecordedCounters, SpeakOfEveryLab) {
  std::set<std::string> recorded, labs;
  const json run = recorded_run();
  for (const json& row : run.at("benchmarks")) {
    if (is_of_a_lab(row) && (row.contains("counts") || row.contains("skipped")))
      recorded.insert(row.at("kernel").get<std::string>() + "/" +
                      row.at("variant").get<std::string>());
  }
  for (const json& lab : output_of({"lab"})) {
    for (const json& variant : lab.at("variants"))
      labs.insert(lab.at("lab").get<std::string>() + "/" + variant.at("name").get<std::string>());
  }
  EXPECT_EQ(recorded, labs) << RECORD_ANEW;
}

// This rung has several kernels, for shapes of several kinds. Each has run on at least one path.
TEST(RecordedCounters, CoverEveryKernelOfRung12) {
  std::set<std::string> paths;
  bool divided = false;
  const json run = recorded_run();
  for (const json& row : run.at("benchmarks")) {
    if (row.at("kernel") != "stream_k") continue;
    paths.insert(row.at("path"));
    divided |= row.at("counts").at("launches") == 2 && row.at("path") == "float4";
  }
  EXPECT_TRUE(divided) << "no product whose parts a second kernel adds" << RECORD_ANEW;
  EXPECT_EQ(paths,
            (std::set<std::string>{"float4", "scalar", "few rows, float4", "few rows, scalar",
                                   "few columns, float4", "few columns, scalar"}))
      << "sizes that take a path are missing" << RECORD_ANEW;
}

}  // namespace

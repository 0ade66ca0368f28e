// Every rung's and every lab's counters on the simulated GPU, against the recorded run in bench/baselines/simulator.json:
// a change in memory behaviour must show in a review. If it is meant, record the run anew with
//
//   bench/record.py counters
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
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

// What depends on the compiler's choice of instructions besides the kernel's accesses is not compared.
constexpr const char* COMPILER_DEPENDENT[] = {"warp_instructions", "lane_instructions"};
constexpr const char* COMPARED[] = {"path", "counts", "kernels", "promise", "skip_message"};

json recorded_run() {
  const json run = json::parse(contents(RECORDED), nullptr, false);
  EXPECT_FALSE(run.is_discarded()) << RECORDED << " is no JSON" << RECORD_ANEW;
  const int schema = run.is_object() ? run.value("/context/schema"_json_pointer, 0) : 0;
  EXPECT_EQ(schema, 2) << RECORDED << " is not of today's schema" << RECORD_ANEW;
  return schema == 2 ? run : json{{"benchmarks", json::array()}};
}

bool is_of_a_lab(const json& row) { return row.value("set", "") == "lab"; }

// The words of the calls that make such a run: one for all rungs, one for each lab and its sizes.
std::set<std::vector<std::string>> calls_of(const json& run) {
  std::set<std::string> sizes;
  std::set<std::vector<std::string>> calls;
  for (const json& row : run.at("benchmarks")) {
    if (is_of_a_lab(row)) {
      std::vector<std::string> words{"lab", row.at("kernel")};
      for (const auto& [name, size] : row.at("parameters").items())
        words.insert(words.end(), {"--" + name, std::to_string(size.get<int64_t>())});
      calls.insert(words);
    } else {
      const std::string name = row.at("name");
      sizes.insert(name.substr(name.rfind('/') + 1));
    }
  }
  std::string list;
  for (const std::string& size : sizes) list += (list.empty() ? "" : ",") + size;
  calls.insert({"all", "--size", list});
  return calls;
}

json output_of(std::vector<std::string> words) {
  words.insert(words.begin(), SGEMM_RUNNER);
  words.emplace_back("--json");
  const Ended ended = run_program({.words = words});
  EXPECT_EQ(ended.code, 0) << ended.err;
  return json::parse(ended.out);
}

// What a kernel allocates itself is numbered by what was allocated before it: "buffer 11". The number says nothing.
json without_numbers(const json& of_buffers) {
  if (!of_buffers.is_object()) return of_buffers;
  json named = json::object();
  uint64_t unnamed = 0;
  for (const auto& [buffer, count] : of_buffers.items()) {
    if (buffer.starts_with("buffer ")) {
      unnamed += count.get<uint64_t>();
    } else {
      named[buffer] = count;
    }
  }
  if (unnamed > 0) named["of the kernel's own"] = unnamed;
  return named;
}

std::map<std::string, json> rows_by_name(const json& run) {
  std::map<std::string, json> rows;
  for (json row : run.at("benchmarks")) {
    if (row.contains("counts")) {
      for (const char* name : COMPILER_DEPENDENT) row.at("counts").erase(name);
      for (json& count : row.at("counts")) count = without_numbers(count);
    }
    const std::string name = row.at("name");
    rows[name] = std::move(row);
  }
  return rows;
}

TEST(RecordedCounters, AreThoseOfToday) {
  const json run = recorded_run();
  const auto recorded = rows_by_name(run);
  ASSERT_FALSE(recorded.empty()) << RECORD_ANEW;
  std::map<std::string, json> today;
  for (const std::vector<std::string>& words : calls_of(run))
    today.merge(rows_by_name(output_of(words)));

  for (const auto& [name, row] : today) {
    ASSERT_TRUE(recorded.contains(name)) << name << " is not in the recorded run" << RECORD_ANEW;
    for (const char* key : COMPARED) {
      const json then = recorded.at(name).value(key, json()), now = row.value(key, json());
      EXPECT_EQ(now, then) << name << ": " << key << " differs: " << json::diff(then, now).dump()
                           << RECORD_ANEW;
    }
  }
  for (const auto& [name, row] : recorded)
    EXPECT_TRUE(today.contains(name)) << name << " is recorded, and gone today" << RECORD_ANEW;
}

// It counts something of every rung but the reference, so that there is something to compare.
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

// One rung has several kernels, for shapes of several kinds: each has run on one path at least.
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

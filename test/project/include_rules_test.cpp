// Dependencies point one way: runner, test, bench -> kernels -> CUDA runtime API. The simulator lies under that
// API and knows no kernel. Read off the #include lines and the preprocessor conditions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

const fs::path SOURCE = fs::path(SGEMM_SOURCE_DIR) / "src";

struct Line {
  std::string file;  // relative to src/
  int number;
  std::string text;
};

std::vector<Line> lines_below(const std::string& folder) {
  std::vector<Line> lines;
  if (!fs::exists(SOURCE / folder)) return lines;
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE / folder)) {
    const std::set<std::string> code{".cpp", ".hpp", ".cu", ".cuh", ".h"};
    if (!code.contains(entry.path().extension().string())) continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string text; std::getline(file, text);) {
      lines.push_back({fs::relative(entry.path(), SOURCE).string(), ++number, text});
    }
  }
  return lines;
}

// What a line includes with quotes, or an empty string.
std::string included(const std::string& text) {
  static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::smatch match;
  return std::regex_search(text, match, include) ? match[1].str() : "";
}

void expect_only(const std::string& folder, const std::set<std::string>& allowed) {
  int seen = 0;
  for (const Line& line : lines_below(folder)) {
    const std::string header = included(line.text);
    if (header.empty()) continue;
    ++seen;
    EXPECT_TRUE(allowed.contains(header.substr(0, header.find('/'))))
        << line.file << ":" << line.number << " includes " << header;
  }
  EXPECT_GT(seen, 0) << "nothing was read below " << folder;
}

TEST(IncludeRules, KernelsKnowOnlyKernelsAndDevice) {
  expect_only("kernels", {"kernels", "device"});
}

TEST(IncludeRules, RunnerKnowsKernelsAndBehindTheMachineTheSimulator) {
  for (const Line& line : lines_below("runner")) {
    const std::string header = included(line.text);
    if (header.empty() || header.starts_with("runner/")) continue;
    const bool list_or_machine =
        header == "kernels/ladder.hpp" ||
        (header.starts_with("simulator/") && line.file == "runner/machine_simulator.cpp");
    EXPECT_TRUE(list_or_machine) << line.file << ":" << line.number << " includes " << header;
  }
}

TEST(IncludeRules, SimulatorKnowsNeitherKernelsNorRunner) {
  for (const Line& line : lines_below("simulator")) {
    const std::string header = included(line.text);
    EXPECT_FALSE(header.starts_with("kernels/") || header.starts_with("runner/"))
        << line.file << ":" << line.number << " includes " << header;
  }
}

// Text in, program, execution with its counters and memory, the CUDA runtime API: ptx <- decode <- execute <-
// runtime, and each knows what lies before it only.
TEST(IncludeRules, TheSimulatorsRoomsKnowEachOtherOneWay) {
  const std::map<std::string, std::set<std::string>> may_know{
      {"ptx", {}},
      {"count", {}},
      {"memory", {}},
      {"decode", {"ptx", "count/access.hpp"}},
      {"execute", {"ptx", "decode", "count", "memory"}},
      {"runtime", {"execute", "count", "memory"}},
  };
  for (const auto& [room, others] : may_know) {
    int seen = 0;
    for (const Line& line : lines_below("simulator/" + room)) {
      const std::string header = included(line.text);
      if (!header.starts_with("simulator/")) continue;
      ++seen;
      const std::string place = header.substr(std::string("simulator/").size());
      const std::string other = place.substr(0, place.find('/'));
      EXPECT_TRUE(place == "fault.hpp" || other == room || others.contains(other) ||
                  others.contains(place))
          << line.file << ":" << line.number << " includes " << header;
    }
    EXPECT_TRUE(seen > 0 || room == "memory") << "nothing was read below simulator/" << room;
  }
}

TEST(IncludeRules, RunnerAndKernelsHaveNoConditionalCompilation) {
  for (const char* folder : {"runner", "kernels"}) {
    for (const Line& line : lines_below(folder)) {
      // The width of a load that one instruction does depends on the device's architecture alone.
      const bool by_architecture = line.text.find("__CUDA_ARCH") != std::string::npos;
      const bool conditional =
          std::regex_search(line.text, std::regex(R"(^\s*#\s*(if|ifdef|ifndef|elif)\b)"));
      EXPECT_FALSE(conditional && !by_architecture)
          << line.file << ":" << line.number << ": " << line.text;
    }
  }
}

TEST(IncludeRules, RunnerNamesNoNumberedKernel) {
  const std::regex numbered(R"(\b[0-9]{2}_[a-z])");
  for (const Line& line : lines_below("runner")) {
    const bool comment = line.text.find("//") != std::string::npos;  // an example may name one
    EXPECT_FALSE(!comment && std::regex_search(line.text, numbered))
        << line.file << ":" << line.number;
  }
}

}  // namespace

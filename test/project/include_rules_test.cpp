// Who may know whom, as one table; arrows point down only. Read off the #include lines and the preprocessor
// conditions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

const fs::path SOURCE = fs::path(SGEMM_SOURCE_DIR) / "src";

struct Rule {
  std::string folder;  // below src/
  // What may be included with quotes besides the folder's own: a folder ends in '/', a file is whole.
  std::vector<std::string> may_know;
  const char*
      libraries;  // what may be included with <>, beside the standard library: a regular expression
  bool has_siblings = false;  // headers that name each other without their folder
};

const Rule RULES[] = {
    {"text", {}, "(langinfo|locale|sys/ioctl|unistd)\\.h"},
    {"lens", {"text/"}, "-"},
    {"results", {"text/"}, "fmt/.*|nlohmann/.*"},
    {"device", {}, "cuda_runtime\\.h"},
    {"kernels", {"device/"}, "cuda_runtime\\.h|cublas_v2\\.h|Eigen/.*"},
    {"labs", {"device/"}, "cuda_runtime\\.h"},
    {"runner",
     {"text/", "lens/", "results/", "device/promise.hpp", "kernels/ladder.hpp", "labs/lab.hpp",
      "labs/labs.def"},
     ".*"},
    {"workshop",
     {"text/", "lens/", "results/", "device/promise.hpp", "kernels/ladder.hpp", "labs/lab.hpp",
      "runner/", "simulator/count/prices.hpp", "simulator/count/access.hpp"},
     ".*"},
    {"simulator", {}, ".*"},
    {"simulator/ptx", {"simulator/fault.hpp"}, ".*"},
    {"simulator/decode",
     {"simulator/fault.hpp", "simulator/ptx/", "simulator/count/access.hpp"},
     ".*"},
    {"simulator/execute",
     {"simulator/fault.hpp", "simulator/ptx/", "simulator/decode/", "simulator/count/",
      "simulator/memory/", "simulator/hazards/", "lens/request.hpp"},
     ".*"},
    {"simulator/hazards",
     {"simulator/fault.hpp", "simulator/message.hpp", "simulator/decode/program.hpp",
      "simulator/count/access.hpp", "simulator/memory/"},
     ".*"},
    {"simulator/count", {"simulator/fault.hpp", "lens/request.hpp"}, ".*"},
    {"simulator/memory", {"simulator/fault.hpp"}, ".*"},
    {"simulator/runtime",
     {"simulator/fault.hpp", "simulator/message.hpp", "simulator/execute/", "simulator/hazards/",
      "simulator/count/", "simulator/memory/", "text/", "lens/"},
     ".*"},
    {"simulator/include", {}, ".*", true},
};

// What one file alone may know.
struct Exception {
  std::string file, may_know;
};
const Exception EXCEPTIONS[] = {{"runner/machine_simulator.cpp", "simulator/"}};

bool lies_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

// The rule of the innermost folder that the file lies in.
const Rule* rule_of(const std::string& file) {
  const Rule* innermost = nullptr;
  for (const Rule& rule : RULES) {
    const bool deeper = innermost == nullptr || rule.folder.size() > innermost->folder.size();
    if (lies_in(file, rule.folder) && deeper) innermost = &rule;
  }
  return innermost;
}

bool is_named(const std::string& header, const std::string& folder_or_file) {
  return folder_or_file.ends_with('/') ? header.starts_with(folder_or_file)
                                       : header == folder_or_file;
}

bool may_know(const Rule& rule, const std::string& file, const std::string& header) {
  if (lies_in(header, rule.folder)) return rule_of(header) == &rule;
  if (rule.has_siblings && rule_of(header) == nullptr) return true;
  for (const std::string& known : rule.may_know) {
    if (is_named(header, known)) return true;
  }
  for (const Exception& exception : EXCEPTIONS) {
    if (file == exception.file && is_named(header, exception.may_know)) return true;
  }
  return false;
}

bool may_know_library(const Rule& rule, const std::string& header) {
  static const std::regex of_the_standard_library("[a-z_0-9]+");
  return std::regex_match(header, of_the_standard_library) ||
         std::regex_match(header, std::regex(rule.libraries));
}

// What is wrong with a line of a file; empty if nothing.
std::string complaint(const std::string& file, const std::string& line) {
  static const std::regex include(R"re(^\s*#\s*include\s+("([^"]+)"|<([^>]+)>))re");
  std::smatch match;
  if (!std::regex_search(line, match, include)) return "";
  const Rule* rule = rule_of(file);
  if (rule == nullptr) return file + " lies in no folder of the table";
  const bool quoted = match[2].matched;
  const std::string header = quoted ? match[2] : match[3];
  if (quoted ? may_know(*rule, file, header) : may_know_library(*rule, header)) return "";
  return file + " includes " + header + ", which " + rule->folder + " may not know";
}

struct Line {
  std::string file;  // relative to src/
  int number;
  std::string text;
};

std::vector<Line> lines_below(const std::string& folder) {
  std::vector<Line> lines;
  if (!fs::exists(SOURCE / folder)) return lines;
  for (const auto& entry : fs::recursive_directory_iterator(SOURCE / folder)) {
    const std::set<std::string> code{".cpp", ".hpp", ".cu", ".cuh", ".h", ".def"};
    if (!code.contains(entry.path().extension().string())) continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string text; std::getline(file, text);) {
      lines.push_back({fs::relative(entry.path(), SOURCE).generic_string(), ++number, text});
    }
  }
  return lines;
}

TEST(IncludeRules, HoldForEveryFolder) {
  for (const Rule& rule : RULES) {
    const std::vector<Line> lines = lines_below(rule.folder);
    EXPECT_FALSE(lines.empty()) << "nothing was read below src/" << rule.folder;
    for (const Line& line : lines) {
      if (rule_of(line.file) != &rule) continue;  // another folder's, within this one
      EXPECT_EQ(complaint(line.file, line.text), "") << "line " << line.number;
    }
  }
}

TEST(IncludeRules, NameEveryFolder) {
  std::set<std::string> named;
  for (const Rule& rule : RULES) named.insert(rule.folder);
  for (const std::string parent : {"", "simulator/"}) {
    for (const auto& entry : fs::directory_iterator(SOURCE / parent)) {
      if (!entry.is_directory()) continue;
      const std::string folder = parent + entry.path().filename().string();
      EXPECT_TRUE(named.contains(folder)) << "src/" << folder << " is not in the table of rules";
    }
  }
}

// The rules themselves, on lines that are in no file.
TEST(IncludeRules, ForbidWhatWouldTurnAnArrow) {
  const struct {
    const char *file, *line;
  } forbidden[] = {
      {"results/table.cpp", "#include \"runner/error.hpp\""},
      {"results/table.cpp", "#include \"kernels/ladder.hpp\""},
      {"results/table.cpp", "#include \"device/promise.hpp\""},
      {"results/table.cpp", "#include <cuda_runtime.h>"},
      {"results/table.cpp", "#include <unistd.h>"},
      {"results/table.cpp", "#include <CLI/CLI.hpp>"},
      {"text/page.hpp", "#include \"results/run.hpp\""},
      {"lens/picture.cpp", "#include \"results/run.hpp\""},
      {"lens/picture.cpp", "#include <fmt/format.h>"},
      {"simulator/execute/worker.cpp", "#include \"lens/picture.hpp\""},
      {"device/grid.hpp", "#include \"kernels/ladder.hpp\""},
      {"device/grid.hpp", "#include <fmt/format.h>"},
      {"kernels/03_shared_tile.cu", "#include \"runner/error.hpp\""},
      {"kernels/tuned/tile.hpp", "  #  include \"simulator/fault.hpp\""},
      {"labs/copy.cu", "#include \"kernels/ladder.hpp\""},
      {"runner/run.cpp", "#include \"kernels/tuned/tile.hpp\""},
      {"runner/run.cpp", "#include \"device/grid.hpp\""},
      {"runner/run.cpp", "#include \"simulator/count/counters.hpp\""},
      {"runner/run.cpp", "#include \"workshop/check.hpp\""},
      {"runner/run.cpp", "#include \"run.hpp\""},
      {"workshop/check.cpp", "#include \"simulator/count/counters.hpp\""},
      {"workshop/check.cpp", "#include \"device/grid.hpp\""},
      {"workshop/check.cpp", "#include \"kernels/tuned/tile.hpp\""},
      {"simulator/count/prices.cpp", "#include \"simulator/execute/level.hpp\""},
      {"simulator/decode/decoder.cpp", "#include \"simulator/count/prices.hpp\""},
      {"simulator/ptx/ptx.cpp", "#include \"simulator/decode/program.hpp\""},
      {"simulator/execute/launch.cpp", "#include \"simulator/runtime/events.hpp\""},
      {"simulator/runtime/stream.cpp", "#include \"simulator/ptx/ptx.hpp\""},
      {"simulator/include/cuda_runtime.h", "#include \"simulator/fault.hpp\""},
      {"simulator/fault.hpp", "#include \"simulator/memory/memory.hpp\""},
      {"simulator/memory/memory.cpp", "#include \"results/run.hpp\""},
      {"elsewhere/file.cpp", "#include \"results/run.hpp\""},
  };
  for (const auto& [file, line] : forbidden) EXPECT_NE(complaint(file, line), "") << file << line;
  const struct {
    const char *file, *line;
  } allowed[] = {
      {"results/table.cpp", "#include \"results/run.hpp\""},
      {"results/table.cpp", "#include <optional>"},
      {"results/json.cpp", "#include <nlohmann/json.hpp>"},
      {"kernels/tuned/tile.hpp", "#include \"kernels/ladder.hpp\""},
      {"runner/judge.cpp", "#include \"kernels/ladder.hpp\""},
      {"runner/machine_simulator.cpp", "#include \"simulator/count/counters.hpp\""},
      {"workshop/check.cpp", "#include \"runner/check.hpp\""},
      {"simulator/runtime/stream.cpp", "#include \"simulator/fault.hpp\""},
      {"simulator/include/cuda_runtime.h", "#include \"host_defines.h\""},
      {"results/table.cpp", "// not an #include \"runner/error.hpp\" at all"},
  };
  for (const auto& [file, line] : allowed) EXPECT_EQ(complaint(file, line), "");
}

// What only one build has stands behind an interface, not behind #if.
TEST(IncludeRules, NoConditionalCompilationAboveTheSimulator) {
  const std::regex condition(R"(^\s*#\s*(if|ifdef|ifndef|elif)\b)");
  for (const char* folder :
       {"text", "lens", "results", "device", "kernels", "labs", "runner", "workshop"}) {
    for (const Line& line : lines_below(folder)) {
      // The width of a load that one instruction does depends on the device's architecture alone.
      const bool by_architecture = line.text.find("__CUDA_ARCH") != std::string::npos;
      // A header that an exercise's file may hold itself is guarded by a name (see cut.hpp).
      const bool guard = line.text.starts_with("#ifndef LADDER_");
      EXPECT_FALSE(std::regex_search(line.text, condition) && !by_architecture && !guard)
          << line.file << ":" << line.number << ": " << line.text;
    }
  }
}

// It knows the list, and never one of its kernels.
TEST(IncludeRules, RunnerNamesNoNumberedKernel) {
  const std::regex numbered(R"(\b[0-9]{2}_[a-z])");
  for (const char* folder : {"runner", "results", "workshop"}) {
    for (const Line& line : lines_below(folder)) {
      const bool comment = line.text.find("//") != std::string::npos;  // an example may name one
      EXPECT_FALSE(!comment && std::regex_search(line.text, numbered))
          << line.file << ":" << line.number << ": " << line.text;
    }
  }
}

}  // namespace

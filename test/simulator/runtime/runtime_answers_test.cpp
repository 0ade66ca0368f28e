// The simulated GPU answers runtime_answers.cu like an H200, line by line.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns the answer expected here, which differs on purpose in some lines. `section` is the line without an indent
// above the question.
std::string expected_here(const std::string& section, const std::string& recorded,
                          bool after_reset) {
  const auto answered = [&](const std::string& answer) {
    return recorded.substr(0, recorded.rfind(": ")) + ": " + answer;
  };
  // The recording was made with CUDA 13. Up to CUDA 12, which these headers follow, a shape beyond the limits is an
  // invalid configuration, and shared memory beyond them an invalid value.
  if (section == "launch limits" && recorded.starts_with("  nothing<<<") &&
      recorded.ends_with("cudaErrorInvalidValue") && recorded.find("1024") == std::string::npos) {
    return answered("cudaErrorInvalidConfiguration");
  }
  // A reset makes the device usable again, as CUDA documents. The recording's machine refuses the process instead.
  if (after_reset && recorded.ends_with("cudaErrorDevicesUnavailable"))
    return answered("cudaSuccess");
  return recorded;
}

TEST(RuntimeAnswers, AreThoseOfAnH200) {
  const Outcome outcome = run("'" RUNTIME_ANSWERS_PROGRAM "'");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<std::string> recorded =
      lines_of(contents(TEST_DATA "/runtime_answers_h200.txt"));
  const std::vector<std::string> here = lines_of(outcome.out);
  ASSERT_GT(recorded.size(), 400u);
  ASSERT_EQ(here.size(), recorded.size());
  std::string section;
  bool after_reset = false;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (!recorded[i].starts_with(' ')) {
      section = recorded[i];
      after_reset = false;
    }
    if (recorded[i].find("cudaDeviceReset") != std::string::npos) after_reset = true;
    EXPECT_EQ(here[i], expected_here(section, recorded[i], after_reset))
        << "line " << i + 1 << ", section '" << section << "'";
  }
}

}  // namespace
}  // namespace simulator::test

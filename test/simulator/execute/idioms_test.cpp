// The idioms of courses, textbooks and blogs: each small program prints the same on the simulated GPU as on a real one
// (test/data/idioms/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;

const std::string SIMCC = "'" SIMCC_PROGRAM "'";
const fs::path IDIOMS = TEST_DATA "/idioms";

class Idiom : public ::testing::TestWithParam<std::string> {
 public:
  // Returns the names of the programs, which are the files of the folder.
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(IDIOMS, none)) {
      if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

// Returns what a first line `// flags: ...` or `// devices: ...` says.
std::string first_line(const std::string& source, const std::string& word) {
  const std::string mark = "// " + word + ":";
  const std::string line = source.substr(0, source.find('\n'));
  return line.rfind(mark, 0) == 0 ? line.substr(mark.size()) : "";
}

// Expects each line of a file NAME.err on stderr; without such a file, an empty stderr.
void expect_errors(const fs::path& expected, const std::string& err) {
  if (!fs::exists(expected)) {
    EXPECT_EQ(err, "");
    return;
  }
  std::istringstream lines(contents(expected));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(err.find(line), std::string::npos) << "missing: " << line << "\n" << err;
  }
}

TEST_P(Idiom, PrintsWhatADevicePrinted) {
  const TemporaryFolder folder;
  const fs::path idiom = IDIOMS / GetParam();
  const std::string source = idiom.string() + ".cu";
  const std::string program = (folder / "program").string();
  const Outcome compiled = run(SIMCC + " " + first_line(contents(source), "flags") + " '" + source +
                               "' -o '" + program + "'");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;

  const std::string devices = first_line(contents(source), "devices");
  const Outcome ran = run((devices.empty() ? "" : "SIMULATOR_DEVICES=" + devices.substr(1)) +
                          " timeout 60 '" + program + "'");
  ASSERT_NE(ran.exit_code, 124) << "not done after 60 s\n" << ran.out << ran.err;
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  ASSERT_TRUE(fs::exists(idiom.string() + ".out")) << "test/data/idioms/record writes it";
  EXPECT_EQ(ran.out, contents(idiom.string() + ".out"));
  expect_errors(idiom.string() + ".err", ran.err);
}

INSTANTIATE_TEST_SUITE_P(Programs, Idiom, ::testing::ValuesIn(Idiom::names()),
                         [](const auto& info) { return info.param; });

// With a wrong path nothing would be tested, and the tests would pass.
TEST(Idioms, AreAllThere) { EXPECT_GE(Idiom::names().size(), 80u) << "in " << IDIOMS; }

}  // namespace
}  // namespace simulator::test

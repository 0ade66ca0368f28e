// Learners' bugs: on the simulated GPU each wrong program of test/data/bugs prints its error word for word, and the
// mended one prints none. After an intended change SGEMM_WRITE_MESSAGES=1 simulator_bugs writes the messages anew: read
// each as a beginner would before you commit it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

const std::string SIMCC = "'" SIMCC_PROGRAM "'";
const fs::path BUGS = TEST_DATA "/bugs";

// Returns the bugs' names. Each is a folder.
std::vector<std::string> names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(BUGS, none)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Bug : public ::testing::TestWithParam<std::string> {
 protected:
  // Compiles within the bug's folder, as a learner does. The program lies elsewhere.
  void compile(const std::string& source) {
    const Outcome compiled =
        run("cd '" + bug_.string() + "' && " + SIMCC + " " + source + " -o '" + program_ + "'");
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
    ASSERT_EQ(compiled.err, "");
  }
  Outcome run_with(const std::string& environment) {
    Outcome ran = run(environment + " timeout 60 '" + program_ + "'");
    EXPECT_NE(ran.exit_code, 124) << "not done after 60 s\n" << ran.out << ran.err;
    return ran;
  }

  const fs::path bug_ = BUGS / GetParam();

 private:
  const TemporaryFolder folder_;
  const std::string program_ = (folder_ / "program").string();
};

// Returns the text that is the same in every tree and run: without the host's addresses, which differ. The device's
// stay.
std::string without_tree_and_run(std::string err, const fs::path& folder) {
  const std::string path = folder.string() + "/";
  for (size_t at = 0; (at = err.find(path)) != std::string::npos;) err.erase(at, path.size());
  return std::regex_replace(err, std::regex("\\b0x[0-9a-f]{12}\\b"), "0x(of the host)");
}

// Expects three lines for each hazard: the event, its place, and a remedy. The lines at the end of a program stand
// alone.
void expect_three_lines_each(const std::string& err) {
  const std::vector<std::string> lines = lines_of(err);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], StartsWith("simulated GPU: ")) << "line " << i + 1 << " of\n" << err;
    const bool more = i + 1 < lines.size() && lines[i + 1].starts_with(" ");
    if (!more) continue;
    ASSERT_LT(i + 2, lines.size()) << "a message of two lines:\n" << err;
    EXPECT_THAT(lines[++i], StartsWith("  at "));
    EXPECT_THAT(lines[++i], StartsWith("  try: "));
  }
}

// While it lives, started programs have one core of the host. On several cores, chance decides which block of a race
// comes second. Everything else is the same there.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
};

TEST_P(Bug, SaysWhatIsWrong) {
  ASSERT_NO_FATAL_FAILURE(compile("wrong.cu"));
  const OneCore one_core;
  const Outcome ran = run_with("SIMULATOR_HAZARDS=error");
  EXPECT_NE(ran.exit_code, 0);
  const std::string said = without_tree_and_run(ran.err, bug_);
  const fs::path message = bug_ / "message.txt";
  if (std::getenv("SGEMM_WRITE_MESSAGES") != nullptr) {
    std::ofstream(message, std::ios::binary) << said;
  }
  EXPECT_EQ(said, contents(message));
  EXPECT_NE(said, "");
  expect_three_lines_each(said);
  EXPECT_EQ(run_with("SIMULATOR_HAZARDS=0").out, ran.out) << "a hazard changed the result";
  EXPECT_EQ(std::getenv("SGEMM_WRITE_MESSAGES"), nullptr) << "written, not compared";
}

// It also prints nothing in another order of warps and blocks.
TEST_P(Bug, MendedSaysNothing) {
  ASSERT_NO_FATAL_FAILURE(compile("mended.cu"));
  for (const char* const order : {"", "SIMULATOR_SCHEDULE=1 ", "SIMULATOR_SCHEDULE=2 "}) {
    const Outcome ran = run_with(std::string(order) + "SIMULATOR_HAZARDS=error");
    EXPECT_EQ(ran.exit_code, 0) << order << ran.out;
    EXPECT_EQ(ran.err, "") << order;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Bug, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

// With a wrong path nothing would be tested, and the tests would pass.
TEST(Bugs, AreAllThere) { EXPECT_GE(names().size(), 60u) << "in " << BUGS; }

// The page has one marker for each bug and no others. tools/docs/doc_outputs.py puts the bug's section at its marker.
TEST(Bugs, StandOnThePage) {
  const std::string page = contents(SOURCE_TREE "/docs/hazards.md");
  const std::regex marker("<!-- bug in: test/data/bugs/(\\S+) -->");
  std::vector<std::string> shown;
  for (std::sregex_iterator at(page.begin(), page.end(), marker), end; at != end; ++at) {
    shown.push_back((*at)[1]);
  }
  EXPECT_THAT(shown, ::testing::UnorderedElementsAreArray(names()));
}

}  // namespace
}  // namespace simulator::test

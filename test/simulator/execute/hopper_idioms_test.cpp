// The idioms of Hopper: each small program is right and without a hazard in every order of its warps
// (test/data/hopper_idioms/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;

const fs::path SOURCES = TEST_DATA "/hopper_idioms", PROGRAMS = HOPPER_IDIOMS;
constexpr int SEEDS = 20;

class HopperIdiom : public ::testing::TestWithParam<std::string> {
 public:
  // Returns the names of the programs, which are the files of the folder.
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(SOURCES, none)) {
      if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_P(HopperIdiom, IsRightInEveryOrder) {
  const fs::path recorded = SOURCES / (GetParam() + ".out");
  std::string expected;
  if (fs::exists(recorded)) expected = contents(recorded.string());
  for (int seed = 0; seed <= SEEDS; ++seed) {
    const Outcome ran = run("SIMULATOR_HAZARDS=error SIMULATOR_SCHEDULE=" + std::to_string(seed) +
                            " timeout 60 '" + (PROGRAMS / GetParam()).string() + "'");
    ASSERT_NE(ran.exit_code, 124) << "seed " << seed << ": not done after 60 s";
    ASSERT_EQ(ran.exit_code, 0) << "seed " << seed << "\n" << ran.err << ran.out;
    ASSERT_EQ(ran.err, "") << "seed " << seed;
    if (expected.empty()) expected = ran.out;
    ASSERT_EQ(ran.out, expected) << "seed " << seed;
    ASSERT_NE(ran.out.find("PASSED\n"), std::string::npos) << ran.out;
    ASSERT_EQ(ran.out.find("FAILED"), std::string::npos) << ran.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, HopperIdiom, ::testing::ValuesIn(HopperIdiom::names()),
                         [](const auto& info) { return info.param; });

// With a wrong path nothing would be tested, and the tests would pass.
TEST(HopperIdioms, AreAllThere) { EXPECT_GE(HopperIdiom::names().size(), 30u) << "in " << SOURCES; }

}  // namespace
}  // namespace simulator::test

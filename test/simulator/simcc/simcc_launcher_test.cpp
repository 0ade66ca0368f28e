// ./simcc at the top of the tree: its set-up, and the words that it passes to simcc.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;

void write_script(const fs::path& file, const std::string& text) {
  std::ofstream(file) << "#!/bin/sh\n" << text;
  fs::permissions(file, fs::perms::owner_all);
}

// The launcher in its own tree, on a machine with a GPU. cmake and ninja are stand-ins that only write their words
// down, and simcc prints its own.
class SimccLauncher : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(tree_ / "cmake");
    fs::create_directories(tree_ / "src/simulator");
    fs::create_directories(tools_);
    fs::copy_file(SOURCE_TREE "/simcc", tree_ / "simcc");
    fs::copy_file(SOURCE_TREE "/cmake/setup.sh", tree_ / "cmake/setup.sh");
    fs::copy_file(SOURCE_TREE "/src/simulator/simcc", tree_ / "src/simulator/simcc");
    fs::copy_file(SOURCE_TREE "/src/simulator/command_line.bash",
                  tree_ / "src/simulator/command_line.bash");
    write_script(tools_ / "nvcc", "");
    write_script(tools_ / "nvidia-smi", "");
    write_script(tools_ / "cmake", "echo \"cmake $*\" >>'" + log_.string() + "'\n");
    write_script(tools_ / "ninja", "echo \"ninja $*\" >>'" + log_.string() + "'\n" +
                                       "echo 'ninja: no work to do.'\n");
  }

  // Makes the tree as it is after a first call.
  void configure() {
    fs::create_directories(tree_ / "build/sim");
    const std::string home = fs::canonical(tree_).string();
    std::ofstream(tree_ / "build/sim/build.ninja") << "# what ninja reads\n";
    std::ofstream(tree_ / "build/sim/CMakeCache.txt")
        << "CMAKE_HOME_DIRECTORY:INTERNAL=" + home + "\n" + "CMAKE_CACHEFILE_DIR:INTERNAL=" + home +
               "/build/sim\n";
    make_simcc();
  }
  void make_simcc() {
    write_script(tree_ / "build/sim/simcc", "pwd; for word; do echo \"<$word>\"; done; exit 7\n");
  }

  Outcome call(const std::string& line) const {
    return run("cd '" + folder_.path().string() + "' && PATH='" + tools_.string() + "':\"$PATH\" " +
               line);
  }

  const TemporaryFolder folder_;
  const fs::path tree_ = folder_ / "a tree";
  const fs::path tools_ = folder_ / "tools";
  const fs::path log_ = folder_ / "log";
};

TEST_F(SimccLauncher, GivesSimccItsArgumentsInTheUsersFolder) {
  configure();
  const Outcome outcome = call("'a tree/simcc' 'my file.cu' -o x --build sim ''");
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_EQ(outcome.out, fs::canonical(folder_.path()).string() +
                             "\n<my file.cu>\n<-o>\n<x>\n<--build>\n<sim>\n<>\n");
  EXPECT_EQ(outcome.err, "") << "nothing is said when there is nothing to do";
}

TEST_F(SimccLauncher, BuildsTheLibraryForTheSimulatedGpuWhateverTheMachineHas) {
  configure();
  for (const char* const environment : {"", "SGEMM_BUILD=cuda ", "SGEMM_BUILD= "}) {
    fs::remove(log_);
    EXPECT_EQ(call(environment + std::string("'a tree/simcc' k.cu")).exit_code, 7);
    const std::string built = contents(log_);
    EXPECT_TRUE(built.starts_with("ninja -C " + fs::canonical(tree_).string() + "/build/sim -j"))
        << built;
    EXPECT_TRUE(built.ends_with(" simulator\n")) << built;
  }
}

TEST_F(SimccLauncher, ConfiguresAFreshTree) {
  fs::create_directories(tree_ / "build/sim");
  make_simcc();
  const Outcome outcome = call("'a tree/simcc' k.cu");
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_NE(contents(log_).find(" --preset sim "), std::string::npos) << contents(log_);
  EXPECT_EQ(outcome.err, "simcc: configuring the sim build\n");
}

TEST_F(SimccLauncher, MayBeCalledByALink) {
  configure();
  fs::create_symlink(tree_ / "simcc", tools_ / "by_link");
  EXPECT_EQ(call("by_link k.cu").exit_code, 7);
  EXPECT_EQ(call("tools/by_link k.cu").exit_code, 7);
}

TEST_F(SimccLauncher, ExplainsItselfWithoutABuild) {
  for (const char* const words : {"--help", "-h", "k.cu --help"}) {
    const Outcome outcome = call("'a tree/simcc' " + std::string(words));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("usage: simcc FILE")) << outcome.out;
  }
  EXPECT_FALSE(fs::exists(log_));
  EXPECT_FALSE(fs::exists(tree_ / "build"));
}

TEST_F(SimccLauncher, SaysSoWhenTheBuildFails) {
  configure();
  write_script(tools_ / "ninja", "echo 'some.cpp: error'; exit 1\n");
  const Outcome outcome = call("'a tree/simcc' k.cu");
  EXPECT_EQ(outcome.exit_code, 70);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("some.cpp: error"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace simulator::test

#include "runner/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/error.hpp"

namespace {

namespace fs = std::filesystem;
using runner::OutputFile;

class Output : public testing::Test {
 protected:
  Output() {
    std::string pattern = (fs::temp_directory_path() / "sgemm_output_test.XXXXXX").string();
    directory = mkdtemp(pattern.data());
  }
  ~Output() override { fs::remove_all(directory); }

  static std::string contents(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  long entries() const {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  }

  fs::path directory;
};

TEST_F(Output, AppearsWhole) {
  const fs::path path = directory / "run.json";
  OutputFile file(path.string());
  EXPECT_FALSE(fs::exists(path)) << "before it is complete";
  file.commit("{}\n");
  EXPECT_EQ(contents(path), "{}\n");
  EXPECT_EQ(entries(), 1) << "no temporary file is left";
}

TEST_F(Output, LeavesNothingBehindWhenGivenUp) {
  {
    const OutputFile file((directory / "run.json").string());
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(Output, KeepsTheOldFileWhenGivenUp) {
  const fs::path path = directory / "run.json";
  std::ofstream(path) << "old";
  {
    const OutputFile file(path.string());
  }
  EXPECT_EQ(contents(path), "old");
}

TEST_F(Output, ReplacesWhatASymbolicLinkPointsTo) {
  const fs::path path = directory / "real.json";
  std::ofstream(path) << "old";
  fs::create_symlink(path, directory / "link.json");
  OutputFile((directory / "link.json").string()).commit("new");
  EXPECT_TRUE(fs::is_symlink(directory / "link.json"));
  EXPECT_EQ(contents(path), "new");
}

TEST_F(Output, MakesWhatASymbolicLinkPointsTo) {
  fs::create_directory(directory / "runs");
  fs::create_symlink("runs/new.json", directory / "link.json");
  OutputFile((directory / "link.json").string()).commit("new");
  EXPECT_TRUE(fs::is_symlink(directory / "link.json"));
  EXPECT_EQ(contents(directory / "runs" / "new.json"), "new");
}

TEST_F(Output, RefusesALinkToItself) {
  fs::create_symlink("link.json", directory / "link.json");
  EXPECT_THROW(OutputFile((directory / "link.json").string()), runner::Error);
}

// Whatever ends the process meanwhile, there is nothing to clear away.
TEST_F(Output, LeavesNothingBehindWhileTheWorkIsDone) {
  const OutputFile file((directory / "run.json").string());
  EXPECT_EQ(entries(), 0);
}

TEST_F(Output, WritesToADeviceDirectly) {
  OutputFile("/dev/null").commit("gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Output, RefusesWhatCannotBeWritten) {
  for (const fs::path& path : {directory / "nowhere" / "run.json", directory}) {
    try {
      const OutputFile file(path.string());
      ADD_FAILURE() << path;
    } catch (const runner::Error& error) {
      EXPECT_EQ(error.code(), runner::ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
}

}  // namespace

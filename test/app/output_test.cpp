#include "app/output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "app/error.hpp"
#include "test/support/files.hpp"

namespace {

namespace fs = std::filesystem;
using runner::OutputFile;

class Output : public testing::Test {
 protected:
  TemporaryFolder directory_;
  long entries() const { return directory_.entries(); }
};

// An open file of this process, and its names in folders such as /dev/fd/.
class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : descriptor_(open(path.c_str(), flags, 0600)) {}
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  std::string name_in(const std::string& folder) const {
    return folder + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

TEST_F(Output, AppearsWhole) {
  const fs::path path = directory_ / "run.json";
  OutputFile file(path.string());
  EXPECT_FALSE(fs::exists(path)) << "before it is complete";
  file.commit("{}\n");
  EXPECT_EQ(contents(path), "{}\n");
  EXPECT_EQ(entries(), 1) << "no temporary file is left";
}

TEST_F(Output, LeavesNothingBehindWhenGivenUp) {
  {
    const OutputFile file((directory_ / "run.json").string());
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(Output, KeepsTheOldFileWhenGivenUp) {
  const fs::path path = directory_ / "run.json";
  std::ofstream(path) << "old";
  {
    const OutputFile file(path.string());
  }
  EXPECT_EQ(contents(path), "old");
}

TEST_F(Output, ReplacesWhatASymbolicLinkPointsTo) {
  const fs::path path = directory_ / "real.json";
  std::ofstream(path) << "old";
  fs::create_symlink(path, directory_ / "link.json");
  OutputFile((directory_ / "link.json").string()).commit("new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
  EXPECT_EQ(contents(path), "new");
}

TEST_F(Output, MakesWhatASymbolicLinkPointsTo) {
  fs::create_directory(directory_ / "runs");
  fs::create_symlink("runs/new.json", directory_ / "link.json");
  OutputFile((directory_ / "link.json").string()).commit("new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
  EXPECT_EQ(contents(directory_ / "runs" / "new.json"), "new");
}

TEST_F(Output, RefusesALinkToItself) {
  fs::create_symlink("link.json", directory_ / "link.json");
  EXPECT_THROW(OutputFile((directory_ / "link.json").string()), runner::Error);
}

// Nothing is left to remove, no matter how the process ends meanwhile.
TEST_F(Output, LeavesNothingBehindWhileTheWorkIsDone) {
  const OutputFile file((directory_ / "run.json").string());
  EXPECT_EQ(entries(), 0);
}

TEST_F(Output, WritesToADeviceDirectly) {
  OutputFile("/dev/null").commit("gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A stream that was opened for appending, as by '>> log', keeps the file's contents.
TEST_F(Output, WritesIntoAnOpenStreamBehindWhatIsThere) {
  const fs::path path = directory_ / "log";
  const std::string self = std::to_string(getpid());
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/", "/proc/PID/fd/"}) {
    std::ofstream(path) << "before\n";
    const OpenFile log(path, O_WRONLY | O_APPEND);
    std::string name = log.name_in(folder);
    if (const size_t at = name.find("PID"); at != name.npos) name.replace(at, 3, self);
    OutputFile(name).commit("{}\n");
    EXPECT_EQ(contents(path), "before\n{}\n") << name;
  }
  EXPECT_EQ(entries(), 1);
}

TEST_F(Output, WritesIntoAnOpenStreamThroughALink) {
  const fs::path path = directory_ / "log";
  std::ofstream(path) << "before\n";
  const OpenFile log(path, O_WRONLY | O_APPEND);
  fs::create_symlink(log.name_in("/dev/fd/"), directory_ / "link");
  OutputFile((directory_ / "link").string()).commit("{}\n");
  EXPECT_EQ(contents(path), "before\n{}\n");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
}

TEST_F(Output, WritesIntoAPipeThatHasAName) {
  const fs::path path = directory_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] { read = contents(path); });
  OutputFile(path.string()).commit("{}\n");
  reader.join();
  EXPECT_EQ(read, "{}\n");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(Output, KeepsThePermissionsOfTheFileThatItReplaces) {
  const fs::path path = directory_ / "run.json";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  OutputFile(path.string()).commit("new");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(Output, RefusesWhatCannotBeWritten) {
  for (const fs::path& path : {directory_ / "nowhere" / "run.json", directory_.path(), fs::path(),
                               fs::path("/dev/fd/999")}) {
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

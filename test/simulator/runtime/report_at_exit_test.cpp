// The report of a program, as SIMULATOR_REPORT asks for it, however the program ends.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A program that is compiled once. Its argument selects its further actions.
class ReportAtExit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_folder = new TemporaryFolder;
    std::ofstream(*shared_folder / "copy.cu") << R"(#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void copy(const float* from, float* to, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i * stride];
}
int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  float *from, *to;
  cudaMalloc(&from, 1 << 20);
  cudaMalloc(&to, 1 << 20);
  for (int i = 0; i < 12; ++i) copy<<<64, 256>>>(from, to, 1);
  copy<<<64, 256>>>(from, to, 2);
  if (std::strcmp(what, "exit") == 0) std::exit(3);
  if (std::strcmp(what, "chdir") == 0) return chdir("/");
  if (std::strcmp(what, "fault") == 0) {
    copy<<<1, 32>>>(nullptr, to, 1);
    return cudaDeviceSynchronize();
  }
}
)";
    const Outcome compiled = run("'" SIMCC_PROGRAM "' " + (*shared_folder / "copy.cu").string() +
                                 " -o " + (*shared_folder / "copy").string());
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  }
  static void TearDownTestSuite() { delete shared_folder; }

  // Runs in its own folder, with this in SIMULATOR_REPORT. The program reads unwritten memory, and frees nothing.
  Outcome copy(const std::string& report, const std::string& argument = "") const {
    return run("cd '" + folder_.path().string() + "' && SIMULATOR_HAZARDS=0 SIMULATOR_REPORT='" +
               report + "' COLUMNS=80 '" + (*shared_folder / "copy").string() + "' " + argument);
  }

  const TemporaryFolder folder_;
  static inline TemporaryFolder* shared_folder = nullptr;
};

// The printed report's tables for stride 1 and then 2.
constexpr const char* const BOTH_STRIDES = R"(
copy in copy.cu, launch 1 (x 12)
grid 64, block 256; 10 registers, 0 bytes shared, 8 blocks an SM
                           bytes          sectors lines   bytes
line buffer   access       /lane requests   /req. /req.    used
   6 buffer 1 global load      4      512     4.0   1.0 100.0 %
   6 buffer 2 global store     4      512     4.0   1.0 100.0 %

copy in copy.cu, launch 13
grid 64, block 256; 10 registers, 0 bytes shared, 8 blocks an SM
                           bytes          sectors lines   bytes
line buffer   access       /lane requests   /req. /req.    used
   6 buffer 1 global load      4      512     8.0   2.0  50.0 %
   6 buffer 2 global store     4      512     4.0   1.0 100.0 %
)";

TEST_F(ReportAtExit, KeepsLaunchesApartWhoseStridesDiffer) {
  const Outcome outcome = copy("1");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find(BOTH_STRIDES), std::string::npos) << outcome.err;
}

TEST_F(ReportAtExit, WritesExactFiguresOfTheSame) {
  const Outcome outcome = copy("report.json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const json report = json::parse(contents(folder_ / "report.json"));
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["totals"]["launches"], 13);
  EXPECT_EQ(report["totals"]["blocks"], 13 * 64);
  ASSERT_EQ(report["launches"].size(), 2u);
  const json& one = report["launches"][0];
  const json& two = report["launches"][1];
  EXPECT_EQ(one["first_launch"], 1);
  EXPECT_EQ(one["times"], 12);
  EXPECT_EQ(one["counters"]["blocks"], 64);
  EXPECT_EQ(two["first_launch"], 13);
  EXPECT_EQ(two["times"], 1);
  const json expected_of_two = json::parse(R"({
    "line": 6, "instruction": "ld.global.f32", "access": "global load", "buffer": "buffer 1",
    "bytes_per_lane": 4, "requests": 512, "lanes": 16384, "bytes_asked": 65536, "bytes_used": 65536,
    "sectors": 4096, "lines": 1024, "wavefronts": 0, "bank_conflicts": 0})");
  json load = two["accesses"][0];
  EXPECT_EQ(load["file"], (*shared_folder / "copy.cu").string());
  load.erase("file");
  EXPECT_EQ(load, expected_of_two);
  EXPECT_EQ(one["accesses"][0]["sectors"], 2048);
  EXPECT_EQ(one["accesses"][0]["lines"], 512);
}

TEST_F(ReportAtExit, ComesHoweverTheProgramEnds) {
  const Outcome exited = copy("1", "exit");
  EXPECT_EQ(exited.exit_code, 3);
  EXPECT_NE(exited.err.find(BOTH_STRIDES), std::string::npos) << exited.err;

  const Outcome faulty = copy("1", "fault");
  EXPECT_NE(faulty.exit_code, 0);
  EXPECT_NE(faulty.err.find("out of bounds"), std::string::npos) << faulty.err;
  EXPECT_NE(faulty.err.find(BOTH_STRIDES), std::string::npos) << faulty.err;
  EXPECT_NE(faulty.err.find("copy, launch 14\n"), std::string::npos) << faulty.err;
  copy("report.json", "fault");
  EXPECT_EQ(json::parse(contents(folder_ / "report.json"))["launches"].size(), 3u);
}

TEST_F(ReportAtExit, BelongsWhereTheProgramWasStarted) {
  EXPECT_EQ(copy("report.json", "chdir").exit_code, 0);
  EXPECT_TRUE(json::accept(contents(folder_ / "report.json")));
}

TEST_F(ReportAtExit, ReplacesAFileAsAWhole) {
  std::ofstream(folder_ / "old.json") << "old";
  fs::create_symlink("old.json", folder_ / "link.json");
  EXPECT_EQ(copy("link.json").err, "");
  EXPECT_TRUE(json::accept(contents(folder_ / "old.json"))) << "a link is followed";
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.path())) ++files;
  EXPECT_EQ(files, 2u) << "nothing else is left in the folder";
}

TEST_F(ReportAtExit, SaysInOneLineThatItCannotWrite) {
  const Outcome outcome = copy("nowhere/report.json");
  EXPECT_EQ(outcome.exit_code, 0) << "the program's own";
  EXPECT_EQ(outcome.err, "simulated GPU: cannot write the report to '" +
                             fs::canonical(folder_.path()).string() +
                             "/nowhere/report.json': No such file or directory\n");
  fs::create_directory(folder_ / "taken.json");
  EXPECT_NE(copy("taken.json").err.find("Is a directory"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_ / "taken.json"));
}

// A limit on the size of files stands for a disk that is full.
TEST_F(ReportAtExit, KeepsTheOldFileWhenItCannotWriteTheNewOne) {
  std::ofstream(folder_ / "report.json") << "old";
  const Outcome outcome =
      run("cd '" + folder_.path().string() + "' && ulimit -f 1 && " +
          "SIMULATOR_REPORT=report.json '" + (*shared_folder / "copy").string() + "'");
  EXPECT_EQ(outcome.exit_code, 0) << "the program's own, not that of a signal";
  EXPECT_NE(outcome.err.find("cannot write the report to"), std::string::npos) << outcome.err;
  EXPECT_EQ(contents(folder_ / "report.json"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ReportAtExit, EndsTheProgramWithNoSignalWhereStderrIsFull) {
  const Outcome outcome = run("cd '" + folder_.path().string() +
                              "' && ulimit -f 0 && SIMULATOR_HAZARDS=0 SIMULATOR_REPORT=1 '" +
                              (*shared_folder / "copy").string() + "'");
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(ReportAtExit, SaysWhatMayBeAskedFor) {
  EXPECT_EQ(copy("").err, "");
  const Outcome outcome = copy("report.txt");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(
      outcome.err.starts_with("simulated GPU: SIMULATOR_REPORT is 'report.txt'; it must be 1"))
      << outcome.err;
  EXPECT_NE(outcome.err.find(".json"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace simulator::test

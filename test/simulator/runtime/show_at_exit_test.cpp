// Pictures of a program's requests, with SIMULATOR_SHOW and SIMULATOR_SVG.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

namespace fs = std::filesystem;

// A program that is compiled once. Its argument selects its further actions.
class ShowAtExit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_folder = new TemporaryFolder;
    std::ofstream(*shared_folder / "turn.cu") << R"(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void turn(const float* from, float* to, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  to[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  float *from, *to;
  cudaMalloc(&from, 1 << 20);
  cudaMalloc(&to, 1 << 20);
  if (std::strcmp(what, "idle") == 0) return 0;
  turn<<<1, dim3(32, 32)>>>(from, to, 64);
  std::puts("turned");
  if (std::strcmp(what, "exit") == 0) std::exit(3);
  if (std::strcmp(what, "chdir") == 0) return chdir("/");
  if (std::strcmp(what, "fault") == 0) {
    turn<<<1, dim3(32, 32)>>>(nullptr, to, 64);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 4;
  }
}
)";
    const Outcome compiled = run("'" SIMCC_PROGRAM "' " + (*shared_folder / "turn.cu").string() +
                                 " -o " + (*shared_folder / "turn").string());
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  }
  static void TearDownTestSuite() { delete shared_folder; }

  // Runs in its own folder, with these settings in its environment. The program reads unwritten memory, and frees
  // nothing.
  Outcome turn(const std::string& settings, const std::string& argument = "") const {
    return run("cd '" + folder_.path().string() + "' && COLUMNS=80 LC_ALL=C SIMULATOR_HAZARDS=0 " +
               settings + " '" + (*shared_folder / "turn").string() + "' " + argument);
  }

  const TemporaryFolder folder_;
  static inline TemporaryFolder* shared_folder = nullptr;
};

constexpr const char* const STORE_OF_LINE_9 = R"(
turn in turn.cu:9
st.global.f32 of buffer 2, launch 1, block (0,0,0), warp 0, request 0

         lanes  vvvvvvvv vvvvvvvv vvvvvvvv vvvvvvvv
  line    byte  sector 0 1        2        3         lanes
     0       0  ######## ######## ######## ########  0-31
32 lanes write 128 bytes in 4 sectors of 1 line (128 bytes): 100.0 % used.

# 4 bytes used, X waits for another word of its bank
)";

TEST_F(ShowAtExit, DrawsTheWorstRequestOfEachInstructionAndBuffer) {
  const Outcome outcome = turn("SIMULATOR_SHOW=turn.cu:9");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "turned\n");
  EXPECT_TRUE(outcome.err.starts_with("turn in turn.cu:9\nld.shared.f32 of shared, launch 1, "))
      << outcome.err;
  EXPECT_NE(outcome.err.find("32-way conflict: 32 wavefronts\nwhere 1 would do.\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with(STORE_OF_LINE_9)) << outcome.err;
  EXPECT_EQ(turn("SIMULATOR_SHOW=" + (*shared_folder / "turn.cu:9").string()).err, outcome.err)
      << "a whole path is an end of a path, too";
}

TEST_F(ShowAtExit, KnowsTheTerminal) {
  const std::string narrow = turn("COLUMNS=60 SIMULATOR_SHOW=turn.cu:7").err;
  EXPECT_NE(narrow.find("(128 bytes\nfetched): 100.0 % used."), std::string::npos) << narrow;
  EXPECT_NE(turn("LC_ALL=C.UTF-8 SIMULATOR_SHOW=turn.cu:7").err.find("████████"),
            std::string::npos);
  EXPECT_EQ(turn("SIMULATOR_SHOW=turn.cu:7").err.find('\033'), std::string::npos)
      << "no colour for what is no terminal";
}

TEST_F(ShowAtExit, ComesHoweverTheProgramEnds) {
  const Outcome exited = turn("SIMULATOR_SHOW=turn.cu:9", "exit");
  EXPECT_EQ(exited.exit_code, 3);
  EXPECT_TRUE(exited.err.ends_with(STORE_OF_LINE_9)) << exited.err;
  const Outcome faulty = turn("SIMULATOR_SHOW=turn.cu:9", "fault");
  EXPECT_EQ(faulty.exit_code, 4);
  EXPECT_NE(faulty.err.find("out of bounds"), std::string::npos) << faulty.err;
  EXPECT_TRUE(faulty.err.ends_with(STORE_OF_LINE_9)) << faulty.err;
}

TEST_F(ShowAtExit, SaysWhichLinesThereAre) {
  const std::string beginning = "simulated GPU: there is nothing to show for SIMULATOR_SHOW=";
  EXPECT_EQ(turn("SIMULATOR_SHOW=turn.cu:8").err,
            beginning +
                "turn.cu:8: no kernel has accessed memory there; in that file they did in "
                "lines 7 and 9\n");
  EXPECT_EQ(turn("SIMULATOR_SHOW=urn.cu:9").err,
            beginning +
                "urn.cu:9: no kernel that ran accesses memory in a file of that name; files with "
                "accesses: turn.cu\n");
  EXPECT_EQ(turn("SIMULATOR_SHOW=turn.cu:9", "idle").err,
            beginning + "turn.cu:9: no kernel has run that accesses memory\n");
}

TEST_F(ShowAtExit, RunsOnWhereTheWishMakesNoSense) {
  for (const std::string wish : {"turn.cu", "turn.cu:", ":9", "turn.cu:0", "turn.cu:-9",
                                 "turn.cu:9x", "turn.cu:99999999999999999999"}) {
    const Outcome outcome = turn("SIMULATOR_SHOW='" + wish + "'", "exit");
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.out, "turned\n");
    EXPECT_EQ(outcome.err,
              "simulated GPU: SIMULATOR_SHOW is '" + wish +
                  "'; it must be FILE:LINE, for example kernel.cu:17, and is ignored\n");
  }
  EXPECT_EQ(turn("SIMULATOR_SVG=figure.svg").err,
            "simulated GPU: SIMULATOR_SVG writes the picture that SIMULATOR_SHOW=FILE:LINE or "
            "SIMULATOR_TIMELINE=KERNEL asks for; neither is set, and it is ignored\n");
  EXPECT_FALSE(fs::exists(folder_ / "figure.svg"));
  EXPECT_EQ(turn("SIMULATOR_SHOW= SIMULATOR_SVG=").err, "");
}

TEST_F(ShowAtExit, DrawsTheTimelineOfABlock) {
  const Outcome outcome = turn("SIMULATOR_TIMELINE=turn SIMULATOR_SVG=timeline.svg", "chdir");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "turned\n");
  EXPECT_TRUE(outcome.err.starts_with("timeline of turn, block 0: ")) << outcome.err;
  EXPECT_NE(contents(folder_ / "timeline.svg").find("Timeline of turn"), std::string::npos);
  EXPECT_EQ(turn("SIMULATOR_TIMELINE=turn:99999").err,
            "simulated GPU: there is no timeline: no kernel whose name contains 'turn' has run a "
            "block 99999\n");
  EXPECT_EQ(turn("SIMULATOR_TIMELINE=turn:x").err,
            "simulated GPU: SIMULATOR_TIMELINE is 'turn:x'; it must be KERNEL or KERNEL:BLOCK, for "
            "example product:0, and is ignored\n");
}

// A program with tensor copies and wgmma.
TEST_F(ShowAtExit, DrawsTheLayoutOfMatricesInSharedMemory) {
  const std::string source = SOURCE_TREE "/test/data/hopper_idioms/wgmma_f16_plain.cu";
  const std::string program = (folder_ / "product").string();
  const Outcome compiled = run("'" SIMCC_PROGRAM "' '" + source + "' -lcuda -o '" + program + "'");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  // Returns the last line with `asm volatile(` before the one with this text.
  const auto line_of = [text = contents(source)](const std::string& part) {
    const size_t statement = text.rfind("asm volatile(", text.find(part));
    return std::to_string(
        1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(statement), '\n'));
  };
  const auto shown = [&](const std::string& line, const std::string& settings) {
    return run("COLUMNS=120 LC_ALL=C SIMULATOR_SHOW=wgmma_f16_plain.cu:" + line + " " + settings +
               " '" + program + "'");
  };
  const Outcome copy = shown(line_of("\"l\"(&map_a)"), "");
  EXPECT_EQ(copy.exit_code, 0);
  EXPECT_NE(copy.out.find("PASSED"), std::string::npos);
  EXPECT_NE(copy.err.find("The copy puts a box of 64 rows of 128 bytes"), std::string::npos)
      << copy.err;
  const std::string svg = (folder_ / "product.svg").string();
  const Outcome product = shown(line_of("wgmma.mma_async"), "SIMULATOR_SVG='" + svg + "'");
  EXPECT_NE(product.err.find("A, 64 x 16, contiguous in k"), std::string::npos) << product.err;
  EXPECT_NE(product.err.find("B, 16 x 32, contiguous in k"), std::string::npos) << product.err;
  EXPECT_NE(product.err.find("start at bytes 32, 64, 96."), std::string::npos) << product.err;
  EXPECT_NE(contents(svg).find("Places of 16-byte pieces"), std::string::npos);
  // A line of wgmma is one that accesses memory.
  const Outcome elsewhere = shown("1", "");
  EXPECT_NE(elsewhere.err.find("they did in lines " + line_of("wgmma.mma_async") + ", "),
            std::string::npos)
      << elsewhere.err;
}

TEST_F(ShowAtExit, WritesTheFirstAsAFigure) {
  const Outcome outcome = turn("SIMULATOR_SHOW=turn.cu:9 SIMULATOR_SVG=figure.svg", "chdir");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.err.ends_with(STORE_OF_LINE_9)) << outcome.err;
  const std::string figure = contents(folder_ / "figure.svg");
  EXPECT_TRUE(figure.starts_with("<?xml") && figure.ends_with("</svg>\n")) << figure;
  EXPECT_NE(figure.find("ld.shared.f32 of shared"), std::string::npos);
  EXPECT_EQ(figure.find("st.global.f32"), std::string::npos) << "the first alone";
}

TEST_F(ShowAtExit, WritesAFigureAsAWholeOrNotAtAll) {
  const Outcome outcome = turn("SIMULATOR_SHOW=turn.cu:9 SIMULATOR_SVG=nowhere/figure.svg", "exit");
  EXPECT_EQ(outcome.exit_code, 3) << "the program's own";
  EXPECT_TRUE(outcome.err.ends_with("simulated GPU: cannot write the picture to '" +
                                    fs::canonical(folder_.path()).string() +
                                    "/nowhere/figure.svg': No such file or directory\n"))
      << outcome.err;
  std::ofstream(folder_ / "old.svg") << "old";
  EXPECT_EQ(turn("SIMULATOR_SHOW=turn.cu:8 SIMULATOR_SVG=old.svg").exit_code, 0);
  EXPECT_EQ(contents(folder_ / "old.svg"), "old") << "there was nothing to draw";
  // A limit on a file's size stands for a full disk.
  turn("SIMULATOR_SHOW=turn.cu:9 SIMULATOR_SVG=old.svg sh -c 'ulimit -f 1; exec \"$0\"'");
  EXPECT_EQ(contents(folder_ / "old.svg"), "old");
  EXPECT_EQ(folder_.entries(), 1) << "nothing half-written is left";
}

}  // namespace
}  // namespace simulator::test

// The verdicts on the GPUs of a cluster as a table.
#include "results/tables/acceptance_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/tables/table.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::GpuVerdict;
using results::JudgedGpu;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<JudgedGpu> gpus() { return made::of_three_gpus().acceptance; }

TEST(AcceptanceTable, HasALineForEachGpuAndTheReasonsBelow) {
  EXPECT_EQ(
      results::to_table(gpus(), {.unicode = true, .width = 100}),
      "Example E100 · 3 GPUs on 2 hosts · 1 OK, 1 SLOWER, 1 WRONG\n"
      "  rank  host    GPU       worst row    size            time     median      clock   "
      "change  verdict\n"
      "     0  first   0         12 stream_k  4096×4096×2048  1.50 ms  1.50 ms  1980 MHz   "
      "+0.0 %  OK\n"
      "     1  second  GPU-8f2c  12 stream_k  4096×4096×2048  2.00 ms  1.50 ms  1500 MHz  "
      "-25.0 %  SLOWER\n"
      "     2  second  1         –            –                     –        –         –        "
      "–  WRONG\n"
      " rank 1 (second, GPU GPU-8f2c) is SLOWER: 12 stream_k at 4096x4096x2048 is 25.0 % slower "
      "than on\n"
      "   rank 0; its clock was 1500 MHz, and 1980 MHz on rank 0\n"
      " rank 2 (second, GPU 1) is WRONG: C[1][2] is 4, should be 3\n");
}

TEST(AcceptanceTable, FitsOnANarrowPage) {
  std::vector<JudgedGpu> far = gpus();
  far[0].host = "a-host-with-a-name-that-goes-on-and-on.example.org";
  for (const int width : {40, 60, 80, 120}) {
    for (const bool unicode : {false, true}) {
      const std::string text = results::to_table(far, {.unicode = unicode, .width = width});
      for (const std::string_view line : text::lines_of(text))
        EXPECT_LE(text::display_width(line), width) << line;
      EXPECT_THAT(text, AllOf(HasSubstr("SLOWER\n"), HasSubstr("WRONG\n")));
    }
  }
  EXPECT_THAT(results::to_table(far, {.unicode = true, .width = 120}),
              AllOf(HasSubstr(" a-host-with-a-name-that…  0 "), Not(HasSubstr("not shown"))));
  EXPECT_THAT(results::to_table(gpus(), {.width = 60}),
              HasSubstr("not shown at this width: clock, median, time"));
  EXPECT_THAT(results::to_table(gpus(), {.width = 120}), Not(HasSubstr("not shown")));
}

TEST(AcceptanceTable, NamesOneSizeAboveTheTable) {
  std::vector<JudgedGpu> of_one_size = gpus();
  of_one_size[1].rows.pop_back();
  EXPECT_THAT(results::to_table(of_one_size, {.width = 100}),
              AllOf(HasSubstr("2 hosts - 4096x4096x2048 - 1 OK"), Not(HasSubstr("size"))));
}

TEST(AcceptanceTable, OfCountsHasNoTimes) {
  std::vector<JudgedGpu> counted = gpus();
  counted.pop_back();
  for (JudgedGpu& gpu : counted) {
    gpu.verdict = GpuVerdict::ok;
    for (results::JudgedRow& row : gpu.rows) {
      row.quartiles_ms.reset();
      row.compared = {.verdict = results::Change::same};
    }
  }
  EXPECT_THAT(results::to_table(counted, {.width = 80}),
              AllOf(HasSubstr("rank  host    GPU       size  verdict\n"),
                    HasSubstr("counted and not timed, so nothing is said of their speed")));
}

TEST(AcceptanceTable, IsColouredByVerdict) {
  const std::string text = results::to_table(gpus(), {.color = true, .width = 100});
  EXPECT_THAT(text, HasSubstr("\033[32mOK"));
  EXPECT_THAT(text, HasSubstr("\033[31mSLOWER"));
  EXPECT_THAT(text, HasSubstr("\033[31mWRONG"));
}

TEST(AcceptanceTable, IsPartOfARunsTables) {
  const results::Run run = made::of_three_gpus();
  const text::Page page{.width = 80};
  EXPECT_EQ(results::to_table(run, {}, page), results::to_table(run.acceptance, page));
  const std::string markdown = results::to_markdown(run, {});
  EXPECT_THAT(markdown, StartsWith("Example E100 · 3 GPUs on 2 hosts"));
  EXPECT_THAT(markdown, HasSubstr("| 1 | second | GPU-8f2c | 12 stream_k | 4096×4096×2048 | "
                                  "2.00 ms | 1.50 ms | 1500 MHz | -25.0 % | SLOWER |\n"));
  EXPECT_THAT(markdown, HasSubstr("\nrank 2 (second, GPU 1) is WRONG: C\\[1\\]\\[2\\] is 4"));
}

}  // namespace

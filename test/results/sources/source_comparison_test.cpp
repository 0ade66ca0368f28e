// Two kernels beside each other: the lines that differ, and the effect of the difference.
#include "results/sources/source_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/results/made_runs.hpp"
#include "test/results/sources/made_sources.hpp"

namespace {

using results::Difference;
using results::Line;
using results::Result;

using results::Source;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using text::Page;

Source source(const std::string& text) { return {.file = "f.cu", .name = "f.cu", .text = text}; }

std::vector<Line> one_access(int line, uint64_t sectors) {
  return {made::global("f.cu", line, "ld.global.f32", "A", 4, 10, sectors, 128)};
}

constexpr const char* NAIVE =
    "void naive() {\n"      // 1
    "  row = x % m;\n"      // 2
    "  if (out) return;\n"  // 3
    "  sum += A[row];\n"    // 4
    "}\n";
constexpr const char* COALESCED =
    "int unused() {}\n"     // 1
    "void naive() {\n"      // 2
    "  col = x % n;\n"      // 3
    "  if (out) return;\n"  // 4
    "    sum += A[row];\n"  // 5, further in
    "}\n";

TEST(Difference, IsTheLinesWhoseTextOrWhoseCountersDiffer) {
  const Difference d = results::difference(one_access(4, 32), {source(NAIVE)}, one_access(5, 4),
                                           {source(COALESCED)});
  EXPECT_THAT(d.first, ElementsAre(Pair("f.cu", ElementsAre(Pair(2, '-'), Pair(4, ' ')))));
  EXPECT_THAT(d.second, ElementsAre(Pair("f.cu", ElementsAre(Pair(3, '+'), Pair(5, ' ')))));
}

TEST(Difference, LeavesOutAnAccessThatCostsTheSame) {
  const Difference d = results::difference(one_access(4, 32), {source(NAIVE)}, one_access(5, 32),
                                           {source(COALESCED)});
  EXPECT_THAT(d.first, ElementsAre(Pair("f.cu", ElementsAre(Pair(2, '-')))));
  EXPECT_THAT(d.second, ElementsAre(Pair("f.cu", ElementsAre(Pair(3, '+')))));
}

TEST(Difference, OfAKernelAndItselfIsNothing) {
  const Difference d =
      results::difference(one_access(4, 32), {source(NAIVE)}, one_access(4, 32), {source(NAIVE)});
  EXPECT_THAT(d.first, IsEmpty());
  EXPECT_THAT(d.second, IsEmpty());
}

// ---- The effect.

Result counted(int number, const std::string& name, uint64_t sectors, uint64_t wavefronts) {
  return made::counted(made::rung(number, name, 64), {{"global_bytes_fetched", "", 32 * sectors},
                                                      {"shared_wavefronts", "", wavefronts}});
}

TEST(Worth, SaysHowManyFewerSectorsAndWavefronts) {
  const Result naive = counted(1, "naive", 17000, 0), coalesced = counted(2, "coalesced", 2500, 0);
  EXPECT_EQ(results::worth(naive, coalesced, {}, Page{}),
            "sectors of global memory: 1 naive 17.0 k, 2 coalesced 2.50 k: 6.8x fewer\n");
  EXPECT_EQ(results::worth(coalesced, naive, {}, Page{.unicode = true}),
            "sectors of global memory: 2 coalesced 2.50 k, 1 naive 17.0 k: 6.8× more\n");
  EXPECT_THAT(results::worth(naive, naive, {}, Page{}), HasSubstr(": as many\n"));
  const Result tile = counted(3, "tile", 2500, 900), better = counted(8, "better", 2500, 600);
  EXPECT_THAT(results::worth(tile, better, {}, Page{}),
              HasSubstr("wavefronts of shared memory: 3 tile 900, 8 better 600: 1.50x fewer\n"));
  EXPECT_THAT(results::worth(coalesced, tile, {}, Page{}),
              HasSubstr("wavefronts of shared memory: 2 coalesced 0, 3 tile 900\n"));
}

TEST(Worth, HasTheSpeedThatWasRecorded) {
  results::Run recorded{.from = {.machine = results::Machine::cuda, .device = "NVIDIA H200"}};
  // cuBLAS took longer beside the second kernel. The factor is between the kernels' own times, as in a device's table.
  for (const auto& [number, name, ms, cublas_ms] :
       {std::tuple(1, "naive", 100.0, 1.0), std::tuple(2, "coalesced", 8.0, 1.04)}) {
    Result r = made::timed(made::rung(number, name, 4096), ms, cublas_ms);
    r.date = "2026-11-22T10:00:00Z";
    recorded.results.push_back(r);
  }
  const Result naive = counted(1, "naive", 17, 0), coalesced = counted(2, "coalesced", 3, 0);
  const std::string text = results::worth(naive, coalesced, {recorded}, Page{});
  EXPECT_THAT(text,
              HasSubstr("speed: 1 naive 1.0 % of cuBLAS, 2 coalesced 13.0 %: 12.5x faster *\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "* measured on an NVIDIA H200 on 2026-11-22 at 4096x4096x4096; counted at 64x64x64\n"));
  EXPECT_THAT(results::worth(coalesced, naive, {recorded}, Page{}),
              HasSubstr(": 12.5x slower *\n"));
  const Result other = counted(3, "other", 3, 0);
  EXPECT_THAT(results::worth(naive, other, {recorded}, Page{}), Not(HasSubstr("speed")));
}

}  // namespace

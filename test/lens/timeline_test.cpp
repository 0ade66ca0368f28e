// Timelines of a block, as text and as SVG.
#include "lens/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lens {
namespace {

// Two warps that multiply, and one that copies for them: `rounds` times.
Timeline ring(size_t rounds) {
  Timeline timeline{.kernel = "ring<3>", .block = 7, .warps = {{}, {}, {}}};
  const std::vector<uint64_t> none(3), of_the_last{0, 0, rounds}, of_the_first{rounds, rounds, 0};
  timeline.mbarriers.push_back({.name = "full", .arrivals = of_the_last, .copies = of_the_last});
  timeline.mbarriers.push_back(
      {.name = "empty", .begins = 1, .arrivals = of_the_first, .copies = none});
  const auto step = [&](const Moment& consumers, const Moment& producer, uint32_t full,
                        uint32_t empty) {
    timeline.warps[0].push_back(consumers);
    timeline.warps[1].push_back(consumers);
    timeline.warps[2].push_back(producer);
    timeline.mbarriers[0].phases.push_back(full);
    if (timeline.steps() > 1) timeline.mbarriers[1].phases.push_back(empty);
  };
  step({.doing = Doing::waits_at_barrier}, {.doing = Doing::runs}, 0, 0);
  for (uint32_t i = 0; i < rounds; ++i) {
    step({.doing = Doing::waits_for_phase, .mbarrier = 0}, {.doing = Doing::runs, .copies = true},
         i + 1, i);
    step({.doing = Doing::runs, .multiplies = true},
         {.doing = Doing::waits_for_phase, .mbarrier = 1}, i + 1, i + 1);
  }
  step({.doing = Doing::runs}, {}, static_cast<uint32_t>(rounds), static_cast<uint32_t>(rounds));
  return timeline;
}

TEST(Timelines, ShowWarpsPhasesAndWaits) {
  EXPECT_EQ(timeline(ring(3), {.unicode = true, .width = 80}),
            "timeline of ring<3>, block 7: 8 steps; a column is 1 step. In a step each warp\n"
            "  executes one basic block, unless it waits.\n\n"
            "warps 0-1  ▒·M·M·M█\n"
            "warp 2     █C·C·C·\n"
            "full       01122333\n"
            "empty       0112233\n\n"
            "█ runs; C requests a copy; M begins a product; ▒ waits at a barrier; · waits for\n"
            "  an mbarrier's phase; a digit: the last one of the mbarrier's number of\n"
            "  complete phases\n"
            "warps 0-1 wait 1 step at barriers, 3 steps for full\n"
            "warp 2 waits 3 steps for empty\n"
            "full: 3 phases, by arrivals and copies of warp 2\n"
            "empty: 3 phases, by arrivals of warps 0-1\n");
}

TEST(Timelines, FitIntoThePage) {
  for (const int width : {60, 80, 120}) {
    for (const bool unicode : {false, true}) {
      const std::string text = timeline(ring(500), {.unicode = unicode, .width = width});
      for (const std::string_view line : text::lines_of(text))
        EXPECT_LE(text::display_width(line), width) << line;
      EXPECT_EQ(unicode, std::ranges::any_of(text, [](char c) { return c < 0; })) << text;
    }
  }
}

// A column of many steps shows what most of them are, and never hides a copy or a product.
TEST(Timelines, SumUpTheStepsOfAColumn) {
  std::vector<Moment> moments(100, {.doing = Doing::waits_for_phase, .mbarrier = 4});
  EXPECT_EQ(summary(moments, 0, 100), moments[0]);
  for (size_t i = 0; i < 51; ++i) moments[i] = {.doing = Doing::runs};
  EXPECT_EQ(summary(moments, 0, 100).doing, Doing::runs);
  EXPECT_EQ(summary(moments, 50, 50).doing, Doing::waits_for_phase);
  moments[99].multiplies = true;
  EXPECT_TRUE(summary(moments, 0, 100).multiplies);
  EXPECT_FALSE(summary(moments, 0, 99).multiplies);
}

TEST(Timelines, JoinMbarriersWithTheSameStory) {
  Timeline two = ring(2);
  two.mbarriers.insert(two.mbarriers.begin() + 1, two.mbarriers[0]);
  two.mbarriers[0].name = "full[0]";
  two.mbarriers[1].name = "full[1]";
  EXPECT_EQ(phases_in_words(two).front(),
            "full[0], full[1]: each 2 phases, by arrivals and copies of warp 2");
}

TEST(Timelines, AreFiguresToo) {
  const std::string svg = svg_timeline(ring(3));
  for (const char* part : {"<svg ", "Timeline of ring&lt;3&gt;", "warps 0-1", "full",
                           "begins a product", "warp 2 waits 3 steps for empty", "</svg>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace lens

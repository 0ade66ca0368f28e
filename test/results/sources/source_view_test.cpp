// A kernel's source with its counters in the margin, byte for byte: test/data/source_views has the right text of each
// page. After an intended change SGEMM_WRITE_TABLES=1 results_test writes the files anew: read each as a user would
// before you commit it.
#include "results/sources/source_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "test/results/sources/made_sources.hpp"
#include "test/support/files.hpp"

namespace {

using results::Line;
using results::SourcePart;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using text::Page;

// ---- Golden text.

struct Golden : testing::TestWithParam<Page> {
  static std::string name(const Page& page) {
    return (page.width == 0 ? "unlimited" : std::to_string(page.width)) +
           (page.unicode ? "_utf8" : "_ascii") + (page.color ? "_color" : "");
  }
};

TEST_P(Golden, IsPrintedByteForByte) {
  const Page page = GetParam();
  const made::Kernel leaps = made::leaps(), slides = made::slides();
  const std::string printed =
      results::source_view({made::part_of("leaps: the lanes down a column, each at a row", leaps),
                            made::part_of("slides", slides)},
                           page);
  const std::string path = SGEMM_SOURCE_VIEWS "/" + Golden::name(page) + ".txt";
  if (std::getenv("SGEMM_WRITE_TABLES") != nullptr)
    std::ofstream(path, std::ios::binary) << printed;
  EXPECT_EQ(printed, contents(path));
  for (const std::string& line : lines_of(printed)) {
    if (page.width > 0 && !page.color) {
      EXPECT_LE(text::display_width(line), page.width) << line;
    }
    EXPECT_FALSE(line.ends_with(' ')) << line << "|";
    if (page.unicode) continue;
    for (const char c : line) EXPECT_GE(c, 0) << line;
  }
  EXPECT_EQ(std::getenv("SGEMM_WRITE_TABLES"), nullptr) << "the files were written, not compared";
}

INSTANTIATE_TEST_SUITE_P(SourceView, Golden,
                         testing::Values(Page{.width = 60}, Page{.unicode = true, .width = 60},
                                         Page{.width = 80}, Page{.unicode = true, .width = 80},
                                         Page{.width = 120}, Page{.unicode = true, .width = 120},
                                         Page{.unicode = true},
                                         Page{.color = true, .unicode = true, .width = 80}),
                         [](const auto& tested) { return Golden::name(tested.param); });

// ---- Rules that hold for every page.

TEST(SourceView, AddsUpWhatALineAskedOfABufferInOneWidth) {
  const std::string view =
      results::source_view({made::part_of("", made::leaps())}, Page{.width = 120});
  EXPECT_THAT(view, HasSubstr("| in     load 4 B    1.05 M    16.5 12.5 %"));
  EXPECT_THAT(view, HasSubstr("| out    store 4 B   2.05 k    32.0 12.5 %"));
}

TEST(SourceView, ShowsFunctionsThatAccessMemory) {
  const made::Kernel slides = made::slides();
  const results::Shown shown = results::functions_with_accesses(slides.lines, slides.sources);
  EXPECT_THAT(shown, ElementsAre(Pair("/src/lib.hpp",
                                      ElementsAre(Pair(3, ' '), Pair(4, ' '), Pair(5, ' '))),
                                 Pair("/src/slides.cu", testing::SizeIs(6))));
}

TEST(SourceView, ShowsTheLinesOfAFileThatItDoesNotHave) {
  made::Kernel kernel = made::leaps();
  kernel.sources[0].text.clear();
  const std::string view = results::source_view({made::part_of("gone", kernel)}, Page{.width = 80});
  EXPECT_THAT(view, HasSubstr("src/leaps.cu\n"));
  EXPECT_THAT(view, HasSubstr("!!    8"));
  EXPECT_THAT(view, HasSubstr("| in "));
}

TEST(SourceView, ExplainsTheColumnsThatItShows) {
  const made::Kernel slides = made::slides();
  for (const int width : {60, 80, 120, 0}) {
    SCOPED_TRACE(width);
    const std::string view =
        results::source_view({made::part_of("", slides)}, Page{.width = width});
    const size_t legend = view.rfind("\n\n");
    const std::string heading = view.substr(0, view.find("src/"));
    for (const auto& [column, meaning] :
         {std::pair("requests", "requests:"), std::pair("sectors", "sectors:"),
          std::pair("used", "bytes used:"), std::pair("fronts", "wavefronts:"),
          std::pair("flicts", "conflicts:")}) {
      EXPECT_EQ(heading.find(column) != heading.npos, view.find(meaning, legend) != view.npos)
          << view;
    }
  }
}

TEST(SourceView, PrintsNothingThatATerminalTakesForACommand) {
  made::Kernel kernel = made::leaps();
  kernel.sources[0].text = "void f() {\n  // \x1b[31m\a red\r\n}\n";
  kernel.lines[0].line = kernel.lines[1].line = kernel.lines[2].line = 2;
  const std::string view = results::source_view({made::part_of("", kernel)}, Page{.width = 80});
  EXPECT_THAT(view, Not(HasSubstr("\x1b")));
  EXPECT_THAT(view, Not(HasSubstr("\a")));
  EXPECT_THAT(view, Not(HasSubstr("\r")));
}

TEST(SourceView, KeepsToThePageWhereABufferHasALongName) {
  made::Kernel kernel = made::leaps();
  for (Line& line : kernel.lines) line.buffer += std::string(80, 'x');
  for (const int width : {60, 80, 120}) {
    const std::string view =
        results::source_view({made::part_of("", kernel)}, Page{.unicode = true, .width = width});
    for (const std::string& line : lines_of(view))
      EXPECT_LE(text::display_width(line), width) << line;
  }
}

TEST(Compact, HasThreeDigits) {
  EXPECT_EQ(results::compact(0), "0");
  EXPECT_EQ(results::compact(999), "999");
  EXPECT_EQ(results::compact(1000), "1.00 k");
  EXPECT_EQ(results::compact(524288), "524 k");
  EXPECT_EQ(results::compact(999499), "999 k");
  EXPECT_EQ(results::compact(999501), "1.00 M");
  EXPECT_EQ(results::compact(1048576), "1.05 M");
  EXPECT_EQ(results::compact(16777216), "16.8 M");
  EXPECT_EQ(results::compact(1.8446744073709552e19), "18.4 E");
}

}  // namespace

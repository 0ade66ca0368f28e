#include "text/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

TEST(DisplayWidth, CountsCodePoints) {
  EXPECT_EQ(text::display_width("abc"), 3);
  EXPECT_EQ(text::display_width("4096³ ✓"), 7);
}

TEST(Wrap, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(text::wrap("aa bb cc dd", 5, 1), "aa bb\n cc\n dd");
  EXPECT_EQ(text::wrap("aa bb", 0, 1), "aa bb");
  EXPECT_EQ(text::wrap("a-very-long-word b", 5, 2), "a-very-long-word\n  b");
}

TEST(Wrap, KeepsTheSpacesThatALineBeginsWith) {
  EXPECT_EQ(text::wrap("  aa bb", 4, 3), "  aa\n   bb");
}

TEST(Wrap, CountsCodePoints) { EXPECT_EQ(text::wrap("³³³ ³³³ ³³³", 7, 0), "³³³ ³³³\n³³³"); }

TEST(Wrap, CountsALineBreakOfTheTextsOwn) {
  EXPECT_EQ(text::wrap("aa bb\ncc dd ee", 5, 0), "aa bb\ncc dd\nee");
}

TEST(Wrap, KeepsANumberWithItsUnit) {
  EXPECT_EQ(text::wrap("it is 66.7 %, of all", 9, 0), "it is\n66.7 %,\nof all");
  EXPECT_EQ(text::wrap("aa (32 bytes) bb", 6, 1), "aa\n (32 bytes)\n bb");
  EXPECT_EQ(text::wrap("took 1.5 ms", 9, 0), "took\n1.5 ms");
  EXPECT_EQ(text::wrap("aa 4\n% bb", 4, 0), "aa 4\n% bb");  // a line break in the text itself
  EXPECT_EQ(text::wrap("a 4 %\nbb cc", 4, 0), "a\n4 %\nbb\ncc");
}

TEST(Wrap, PartsANumberFromAnyOtherWord) {
  EXPECT_EQ(text::wrap("exercise 2 shows", 10, 0), "exercise 2\nshows");
  EXPECT_EQ(text::wrap("is 4. W is", 5, 0), "is 4.\nW is");
  EXPECT_EQ(text::wrap("row r s", 5, 0), "row r\ns");
}

TEST(LinesOf, AreWithoutTheirEnds) {
  EXPECT_THAT(text::lines_of("a\n\nb"), testing::ElementsAre("a", "", "b"));
  EXPECT_THAT(text::lines_of("a\n"), testing::ElementsAre("a"));
}

TEST(Signs, AreAsciiWithoutUtf8) {
  const text::Signs signs(false);
  for (const char* sign : {signs.dot, signs.right, signs.wrong, signs.cube, signs.times,
                           signs.micro, signs.none, signs.ellipsis}) {
    ASSERT_NE(*sign, '\0');
    for (const char* c = sign; *c != '\0'; ++c) EXPECT_GE(*c, 0) << sign;
  }
}

TEST(Pad, CountsColumnsAndNotBytes) {
  EXPECT_EQ(text::pad_right("é", 3), "é  ");
  EXPECT_EQ(text::pad_left("é", 3), "  é");
  EXPECT_EQ(text::pad_left("longer", 3), "longer");
  EXPECT_EQ(text::pad_right("", 2), "  ");
}

TEST(Shortened, LeavesWholeSignsAndOneColumnForTheEllipsis) {
  EXPECT_EQ(text::shortened("abcd", 4, "…"), "abcd");
  EXPECT_EQ(text::shortened("abcde", 4, "…"), "abc…");
  EXPECT_EQ(text::shortened("ééééé", 4, "…"), "ééé…");
  EXPECT_EQ(text::shortened("abc", 0, "~"), "~");
}

}  // namespace

// Foreign texts are shown as text, and nothing else.
#include "text/foreign.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using text::in_markdown;
using text::plain_line;
using text::plain_lines;

TEST(PlainLine, LeavesUsualTextsAlone) {
  for (const char* usual : {"", "Zoë O'Brien", "4096³ · µs – 王", "a  b", "🙂 100 %"})
    EXPECT_EQ(plain_line(usual), usual);
}

TEST(PlainLine, LeavesOutWhatMovesACursorOrTurnsTheText) {
  EXPECT_EQ(plain_line("\033[31mred\033[0m\a\b\x7F"), "[31mred[0m");
  EXPECT_EQ(plain_line("a\xC2\x9B"
                       "31mb\xC2\x80"),
            "a31mb")
      << "the second set of controls";
  EXPECT_EQ(plain_line("x\u202Ey\u2066z\u2069\u200F\u061C"), "xyz") << "directions";
  EXPECT_EQ(plain_line("a\u200Bb\uFEFFc\u2028d\U000E0041"), "abcd") << "without width";
  EXPECT_EQ(plain_line(std::string("a\0b", 3)), "ab");
}

TEST(PlainLine, IsOneLine) { EXPECT_EQ(plain_line("one\r\ntwo\tthree\n"), "one two three "); }

TEST(PlainLines, KeepsTheLines) { EXPECT_EQ(plain_lines("one\r\n\033two\n"), "one\ntwo\n"); }

TEST(PlainLine, MarksWhatIsNoUtf8) {
  for (const char* broken :
       {"\xFF", "\x9B", "\xC0\xAF", "\xED\xA0\x80", "\xE2\x82", "\xF5\x80\x80\x80"})
    EXPECT_EQ(plain_line(std::string("a") + broken + "b"),
              "a" + std::string(std::string_view(broken).size(), '?') + "b");
}

TEST(InMarkdown, IsNoMarkup) {
  EXPECT_EQ(in_markdown("<script>a & b</script>"), "&lt;script>a &amp; b&lt;/script>");
  EXPECT_EQ(in_markdown("a|b `c` [d](e) \\"), "a\\|b \\`c\\` \\[d\\](e) \\\\");
  EXPECT_EQ(in_markdown("02_coalesced, 4096³"), "02_coalesced, 4096³");
}

}  // namespace

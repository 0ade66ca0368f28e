#include "runner/terminal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

TEST(DisplayWidth, CountsCodePoints) {
  EXPECT_EQ(runner::display_width("abc"), 3);
  EXPECT_EQ(runner::display_width("4096³ ✓"), 7);
}

TEST(Wrap, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(runner::wrap("aa bb cc dd", 5, 1), "aa bb\n cc\n dd");
  EXPECT_EQ(runner::wrap("aa bb", 0, 1), "aa bb");
  EXPECT_EQ(runner::wrap("a-very-long-word b", 5, 2), "a-very-long-word\n  b");
}

TEST(Terminal, TakesItsWidthFromColumns) {
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(runner::stdout_terminal(runner::When::automatic).width, 60);
  setenv("COLUMNS", "sixty", 1);
  EXPECT_NE(runner::stdout_terminal(runner::When::automatic).width, 60);
  unsetenv("COLUMNS");
}

TEST(Terminal, KnowsTheLocalesEncoding) {
  setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(runner::stdout_terminal(runner::When::automatic).unicode);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_TRUE(runner::stdout_terminal(runner::When::automatic).unicode);
  unsetenv("LC_ALL");
}

TEST(Terminal, ColoursWhenToldTo) {
  EXPECT_TRUE(runner::stdout_terminal(runner::When::always).color);
  EXPECT_FALSE(runner::stdout_terminal(runner::When::never).color);
}

}  // namespace

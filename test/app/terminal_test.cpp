#include "app/terminal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using runner::stdout_page;
using runner::When;

TEST(Terminal, TakesItsWidthFromColumns) {
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(stdout_page(When::automatic).width, 60);
  for (const char* nonsense : {"sixty", "60x", "-60", "0", ""}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_NE(stdout_page(When::automatic).width, 60) << nonsense;
    EXPECT_GE(stdout_page(When::automatic).width, 0) << nonsense;
  }
  unsetenv("COLUMNS");
}

TEST(Terminal, KnowsTheLocalesEncoding) {
  setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(stdout_page(When::automatic).unicode);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_TRUE(stdout_page(When::automatic).unicode);
  unsetenv("LC_ALL");
}

TEST(Terminal, ColoursWhenToldTo) {
  EXPECT_TRUE(stdout_page(When::always).color);
  EXPECT_FALSE(stdout_page(When::never).color);
}

}  // namespace

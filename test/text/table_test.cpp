// Tables: the places of columns, and the columns that a narrow page hides first.
#include "text/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using text::Align;
using text::Table;
using text::Tone;

const std::vector<Table::Row> ROWS{{{"coalesced"}, {"4.0"}, {"1.25"}, {"kept", Tone::good}},
                                   {{"naïve"}, {"32.0"}, {"1"}, {"BROKEN", Tone::bad}}};

Table table(const text::Page& page) {
  Table table({{.heading = "kernel", .align = Align::left, .gap = 1},
               {.group = "sectors/request", .heading = "A", .rank = 2},
               {.group = "sectors/request", .heading = "B", .rank = 3},
               {.heading = "promise", .align = Align::left, .rank = 1, .is_told_below = true}},
              page);
  for (const Table::Row& row : ROWS) table.make_room_for(row);
  return table;
}

std::string shown(Table table, std::vector<std::string>* left_out = nullptr) {
  std::vector<std::string> names;
  table.fit(0, names);
  std::string text = table.headings();
  for (const Table::Row& row : ROWS) text += table.line(row);
  if (left_out != nullptr) *left_out = names;
  return text;
}

TEST(Table, GivesEachColumnTheWidthOfWhatStandsInIt) {
  std::vector<std::string> left_out;
  EXPECT_EQ(shown(table({}), &left_out),
            "       sectors/request\n"
            " kernel        A     B  promise\n"
            " coalesced   4.0  1.25  kept\n"
            " naïve      32.0     1  BROKEN\n");
  EXPECT_THAT(left_out, IsEmpty());
}

TEST(Table, LeavesTheHighestRankOutFirst) {
  std::vector<std::string> left_out;
  EXPECT_EQ(shown(table({.width = 26}), &left_out),
            " sectors/request\n"
            " kernel        A  promise\n"
            " coalesced   4.0  kept\n"
            " naïve      32.0  BROKEN\n");
  EXPECT_THAT(left_out, ElementsAre("sectors/request B"));
  EXPECT_EQ(shown(table({.width = 12}), &left_out), " kernel\n coalesced\n naïve\n");
  EXPECT_THAT(left_out, ElementsAre("sectors/request B", "sectors/request A"))
      << "the promise is told below";
}

TEST(Table, CutsNamesWhereNothingElseCanGo) {
  EXPECT_EQ(shown(table({.unicode = true, .width = 8})), " kernel\n coales…\n naïve\n");
  EXPECT_EQ(shown(table({.width = 1})), " kernel\n coa~\n naï~\n") << "not beyond four columns";
}

TEST(Table, KeepsTheHeadingsOfTwoGroupsApart) {
  Table two({{.heading = "of any name", .gap = 0},
             {.group = "before it", .heading = "A"},
             {.group = "and behind it", .heading = "A"}},
            {});
  two.make_room_for({{"0"}, {"1"}, {"2"}});
  EXPECT_EQ(two.headings(), "     before it  and behind it\nof any name  A              A\n");
}

TEST(Table, ColoursCells) {
  const Table one = table({.color = true});
  EXPECT_EQ(one.line(ROWS[1]), " naïve      32.0     1  \033[31mBROKEN \033[0m\n");
}

TEST(Table, StandsInMarkdown) {
  EXPECT_EQ(table({}).markdown(ROWS),
            "| kernel | sectors/request A | sectors/request B | promise |\n"
            "| --- | ---: | ---: | --- |\n"
            "| coalesced | 4.0 | 1.25 | kept |\n"
            "| naïve | 32.0 | 1 | BROKEN |\n");
}

}  // namespace

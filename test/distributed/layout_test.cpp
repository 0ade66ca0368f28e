// Axes, and the segments between them, against element by element.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "distributed/layout/axis.hpp"
#include "distributed/layout/layout.hpp"

namespace distributed {
namespace {

std::vector<Axis> axes(int64_t size) {
  std::vector<Axis> all;
  for (const int64_t block : {1, 2, 3, 7, 64})
    for (const int processes : {1, 2, 3, 5})
      for (const int first : {0, processes - 1}) all.push_back({size, block, processes, first});
  return all;
}

std::string text_of(const Axis& a) {
  return std::to_string(a.size) + " in blocks of " + std::to_string(a.block) + " on " +
         std::to_string(a.processes) + " from " + std::to_string(a.first);
}

TEST(Axis, DealsOutBlocksInTurns) {
  const Axis axis{10, 3, 2, 1};
  std::vector<int> owners;
  for (int64_t i = 0; i < axis.size; ++i) owners.push_back(axis.owner(i));
  EXPECT_EQ(owners, (std::vector<int>{1, 1, 1, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(axis.size_on(1), 6);
  EXPECT_EQ(axis.size_on(0), 4);
  EXPECT_EQ(axis.place_of(9), 3);
}

TEST(Axis, GivesEachElementOnePlace) {
  for (const int64_t size : {0, 1, 6, 7, 50, 128}) {
    for (const Axis& axis : axes(size)) {
      std::map<int, int64_t> places;  // of each process so far
      for (int64_t i = 0; i < size; ++i) {
        const int owner = axis.owner(i);
        ASSERT_EQ(axis.place_of(i), places[owner]) << text_of(axis);
        ASSERT_EQ(axis.element_at(places[owner], owner), i) << text_of(axis);
        ++places[owner];
      }
      for (int process = 0; process < axis.processes; ++process)
        ASSERT_EQ(axis.size_on(process), places[process]) << text_of(axis);
    }
  }
}

// Copies by segments, and returns the elements by place.
std::map<int64_t, int64_t> copied(const std::vector<Segment>& segments, const Axis& from,
                                  int sender) {
  std::map<int64_t, int64_t> elements;
  for (const Segment& segment : segments) {
    EXPECT_GT(segment.length, 0);
    for (int64_t i = 0; i < segment.length; ++i)
      EXPECT_TRUE(
          elements.emplace(segment.to + i, from.element_at(segment.from + i, sender)).second);
  }
  return elements;
}

TEST(Segments, BetweenAxesMeetEachElementOnce) {
  for (const Axis& from : axes(50)) {
    for (const Axis& to : axes(50)) {
      for (int receiver = 0; receiver < to.processes; ++receiver) {
        int64_t elements = 0;
        for (int sender = 0; sender < from.processes; ++sender) {
          const std::vector<Segment> segments = segments_between(from, sender, to, receiver);
          for (const auto& [place, element] : copied(segments, from, sender)) {
            ASSERT_EQ(to.owner(element), receiver);
            ASSERT_EQ(to.place_of(element), place);
          }
          elements += length_of(segments);
        }
        ASSERT_EQ(elements, to.size_on(receiver)) << text_of(from) << "; " << text_of(to);
      }
    }
  }
}

TEST(Segments, WithinAPartMeetEachElementOnce) {
  for (const Axis& from : axes(50)) {
    for (const auto& [begin, end] :
         {std::pair<int64_t, int64_t>{0, 50}, {3, 20}, {48, 50}, {7, 7}}) {
      int64_t elements = 0;
      for (int sender = 0; sender < from.processes; ++sender) {
        for (const auto& [place, element] :
             copied(segments_within(from, sender, begin, end), from, sender))
          ASSERT_EQ(element, begin + place);
        elements += length_of(segments_within(from, sender, begin, end));
      }
      ASSERT_EQ(elements, end - begin) << text_of(from);
    }
  }
}

TEST(Segments, OfEqualAxesAreOne) {
  const Axis axis{1000, 16, 4, 0};
  EXPECT_EQ(segments_between(axis, 2, axis, 2), (std::vector<Segment>{{0, 0, axis.size_on(2)}}));
  EXPECT_TRUE(segments_between(axis, 1, axis, 2).empty());
}

TEST(Layout, HasTheNineNumbersOfADescriptor) {
  const Grid grid{2, 3};
  const Layout layout = layout_of({1, 0, 100, 200, 16, 32, 1, 2, 60}, grid);
  EXPECT_EQ(layout.rows_on(grid, grid.rank_of(1, 0)), (Axis{100, 16, 2, 1}.size_on(1)));
  EXPECT_EQ(layout.cols_on(grid, grid.rank_of(1, 0)), (Axis{200, 32, 3, 2}.size_on(0)));
  EXPECT_EQ(grid.row_of(4), 1);
  EXPECT_EQ(grid.col_of(4), 1);
}

}  // namespace
}  // namespace distributed

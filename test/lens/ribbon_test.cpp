// A matrix as one line of memory, in which a warp slides or leaps.
#include <gtest/gtest.h>

#include "lens/picture.hpp"
#include "test/lens/requests.hpp"

namespace lens::test {
namespace {

constexpr text::Page UTF8_80{.color = false, .unicode = true, .width = 80};

TEST(Ribbon, ShowsAColumnAsLeaps) {
  const Request r = load([](uint64_t lane) { return lane * 1024; });
  EXPECT_EQ(ribbon(r, 256, {.color = false, .unicode = false, .width = 60}), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request
0

The matrix, 256 elements of 4 bytes in a row:
  row  columns 0 to 49 of 256
    0  #................................................. ~
    1  #................................................. ~
    2  #................................................. ~
    3  #................................................. ~
    4  #................................................. ~
    5  #................................................. ~
    :  25 rows more
   31  #................................................. ~
In memory its rows lie one behind the other:
  |row 0 |1     |2     |3     |4     |5     |6     |7
  #------#------#------#------#------#------#------#------ ~
From lane to lane the row moves: the warp leaps 1024 bytes
each time.
)");
}

TEST(Ribbon, ShowsARowAsASlide) {
  const Request r = load([](uint64_t lane) { return 1024 + lane * 4; });
  EXPECT_EQ(ribbon(r, 256, UTF8_80), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0

The matrix, 256 elements of 4 bytes in a row:
  row  columns 0 to 69 of 256
    1  ████████████████████████████████······································ …
In memory its rows lie one behind the other:
  │row 1             │2                 │3                 │4
  ███─────────────────────────────────────────────────────────────────────────
From lane to lane the column moves: the warp slides along a row, each lane
beside the one before.
)");
}

TEST(Ribbon, CountsTheStepsOfABlockThatDoesBoth) {
  const Request r = load([](uint64_t lane) { return lane % 16 * 4 + lane / 16 * 80; });
  EXPECT_EQ(ribbon(r, 20, UTF8_80), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0

The matrix, 20 elements of 4 bytes in a row:
  row  columns 0 to 19 of 20
    0  ████████████████····
    1  ████████████████····
In memory its rows lie one behind the other:
  │row 0             │1                 │2                 │3
  ███████████████────███████████████──────────────────────────────────────────
There are 31 steps from lane to lane: 30 slide along a row, 1 leap to another,
and 0 stay.
)");
}

TEST(Ribbon, NamesWhatIsNoWalk) {
  const auto said_of = [](const Request& r) { return ribbon(r, 256, UTF8_80); };
  EXPECT_NE(said_of(load([](uint64_t) { return 8; })).find("All lanes are at the same element."),
            std::string::npos);
  EXPECT_NE(said_of(load([](uint64_t) { return 8; }, 1)).find("One lane alone"), std::string::npos);
}

// A lane's 16 bytes are four elements of the matrix; the instruction's type gives the width of an
// element.
TEST(Ribbon, MarksEveryElementOfAWideLoad) {
  Request r = load([](uint64_t lane) { return lane * 1024; }, 1);
  r.instruction = "ld.global.v4.f32";
  r.bytes_per_lane = 16;
  EXPECT_NE(ribbon(r, 256, UTF8_80).find("    0  ████··"), std::string::npos);
  r.instruction = "ld.global.v2.f64";
  EXPECT_NE(ribbon(r, 128, UTF8_80).find("    0  ██··"), std::string::npos);
}

}  // namespace
}  // namespace lens::test

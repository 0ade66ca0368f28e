// Pictures of requests, as text on any page.
#include "lens/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/lens/requests.hpp"
#include "test/support/files.hpp"

namespace lens::test {
namespace {

constexpr text::Page ASCII_60{.color = false, .unicode = false, .width = 60};
constexpr text::Page UTF8_80{.color = false, .unicode = true, .width = 80};

TEST(Picture, FitsSixtyColumnsOfAscii) {
  Request next = every_other();
  next.nth = 1;
  for (uint64_t& address : next.addresses) address += address == 0 ? 0 : 512;
  EXPECT_EQ(picture({every_other(), next}, ASCII_60), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request
0

         lanes  vvvvvvvv vvvvvvvv vvvvvvvv vvvv----
  line    byte  sector 0 1        2        3         lanes
     0       0  #.#.#.#. #.#.#.#. #.#.#.#. #.#.#.#.  0-15
     1     128  #.#.#.#. #.#.#.#. #.#.#.#.           16-27
28 lanes ask for 112 bytes in 7 sectors of 2 lines
(224 bytes fetched): 50.0 % used.

request 1
         lanes  vvvvvvvv vvvvvvvv vvvvvvvv vvvv----
  line    byte  sector 0 1        2        3         lanes
     4     512  #.#.#.#. #.#.#.#. #.#.#.#. #.#.#.#.  0-15
     5     640  #.#.#.#. #.#.#.#. #.#.#.#.           16-27
28 lanes ask for 112 bytes in 7 sectors of 2 lines
(224 bytes fetched): 50.0 % used.

# 4 bytes used, . 4 bytes fetched in vain, - inactive lane
)");
}

TEST(Picture, FillsWhatIsUsedAndLeavesHollowWhatIsFetchedInVain) {
  EXPECT_EQ(picture({every_other()}, UTF8_80), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0

         lanes  ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼····
  line    byte  sector 0 1        2        3         lanes
     0       0  █░█░█░█░ █░█░█░█░ █░█░█░█░ █░█░█░█░  0-15
     1     128  █░█░█░█░ █░█░█░█░ █░█░█░█░           16-27
28 lanes ask for 112 bytes in 7 sectors of 2 lines (224 bytes fetched): 50.0 %
used.

█ 4 bytes used, ░ 4 bytes fetched in vain, · inactive lane
)");
}

TEST(Picture, GivesAWordTwoSignsWhereThePageIsWide) {
  EXPECT_EQ(picture({every_other()}, {.color = false, .unicode = true, .width = 120}),
            R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0

         lanes  ▼ ▼ ▼ ▼ ▼ ▼ ▼ ▼  ▼ ▼ ▼ ▼ ▼ ▼ ▼ ▼  ▼ ▼ ▼ ▼ ▼ ▼ ▼ ▼  ▼ ▼ ▼ ▼ · · · ·
  line    byte  sector 0         1                2                3                 lanes
     0       0  ██░░██░░██░░██░░ ██░░██░░██░░██░░ ██░░██░░██░░██░░ ██░░██░░██░░██░░  0-15
     1     128  ██░░██░░██░░██░░ ██░░██░░██░░██░░ ██░░██░░██░░██░░                   16-27
28 lanes ask for 112 bytes in 7 sectors of 2 lines (224 bytes fetched): 50.0 % used.

█ 4 bytes used, ░ 4 bytes fetched in vain, · inactive lane
)");
}

TEST(Picture, IsTheSameBelowItsColors) {
  std::string colored = picture({every_other()}, {.color = true, .unicode = true, .width = 80});
  EXPECT_NE(colored.find("\033[32m█\033[0m\033[31m░\033[0m"), std::string::npos)
      << "green is used, red is wasted";
  for (size_t at; (at = colored.find('\033')) != std::string::npos;)
    colored.erase(at, colored.find('m', at) - at + 1);
  EXPECT_EQ(colored, picture({every_other()}, UTF8_80));
}

TEST(Picture, FitsEveryPageFromSixtyColumnsOn) {
  Request long_name = stride_1000();
  long_name.kernel = "product<float, (Layout)1, (Layout)0, 128, 128, 8, 64, 32, 8, 8>::main_loop";
  for (uint64_t lane = 0; lane < LANES; ++lane) long_name.addresses[lane] += lane << 32;
  for (const int width : {60, 61, 80, 95, 96, 120, 200}) {
    for (const bool unicode : {false, true}) {
      const text::Page page{.color = false, .unicode = unicode, .width = width};
      for (const Request& r : {every_other(), stride_1000(), eight_way(), quarters(), long_name}) {
        for (const std::string& text : {picture({r}, page), ribbon(r, 256, page)}) {
          for (const std::string& line : lines_of(text))
            EXPECT_LE(text::display_width(line), width) << line;
          const bool ascii =
              std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
          EXPECT_TRUE(unicode || ascii) << text;
        }
      }
    }
  }
}

TEST(Picture, MarksTheGapsOfALeap) {
  const std::vector<std::string> lines = lines_of(picture({stride_1000()}, UTF8_80));
  ASSERT_GE(lines.size(), 37u);
  EXPECT_EQ(lines[5], "     0       0  █░░░░░░░                             0");
  EXPECT_EQ(lines[6], "⋮   31    3968           █░░░░░░░                    1");
  EXPECT_EQ(lines[36], "⋮  968  123904                             █░░░░░░░  31");
  EXPECT_EQ(lines[37],
            "32 lanes ask for 128 bytes in 32 sectors of 32 lines (1024 bytes fetched):");
}

TEST(Picture, ShowsABroadcastAsTheOneWordThatItIs) {
  Request r = load([](uint64_t) { return 400; });
  r.sectors = 1;
  r.lines = 1;
  r.bytes_used = 4;
  EXPECT_EQ(picture({r}, UTF8_80), R"(copy in copy.cu:6
ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0

         lanes  ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼
  line    byte  sector 0 1        2        3         lanes
     3     384  ░░░░█░░░                             0-31
32 lanes ask for the same 4 bytes in 1 sector of 1 line (32 bytes fetched):
12.5 % used.

█ 4 bytes used, ░ 4 bytes fetched in vain
)");
}

TEST(Picture, ShowsTheWordsThatCollideInABank) {
  EXPECT_EQ(picture({eight_way()}, UTF8_80), R"(copy in copy.cu:6
ld.shared.f32 of shared, launch 1, block (3,0,0), warp 2, request 0

         lanes  ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼
   row    byte  bank 0   8        16       24        lanes
     0       0  ╳······· ╳······· ╳······· ╳·······  0-3
     1     128  ╳······· ╳······· ╳······· ╳·······  4-7
     2     256  ╳······· ╳······· ╳······· ╳·······  8-11
     3     384  ╳······· ╳······· ╳······· ╳·······  12-15
     4     512  ╳······· ╳······· ╳······· ╳·······  16-19
     5     640  ╳······· ╳······· ╳······· ╳·······  20-23
     6     768  ╳······· ╳······· ╳······· ╳·······  24-27
     7     896  ╳······· ╳······· ╳······· ╳·······  28-31
 words in bank  8······· 8······· 8······· 8·······
32 lanes ask for 128 bytes of shared memory, 8-way conflict: 8 wavefronts where
1 would do.

╳ waits for another word of its bank
)");
}

TEST(Picture, ShowsEachPhaseOfAWideAccess) {
  EXPECT_EQ(picture({quarters()}, UTF8_80), R"(copy in copy.cu:6
ld.shared.v4.f32 of shared, launch 1, block (3,0,0), warp 2, request 0

phase 1 of 4: lanes 0-7
         lanes  ▼▼▼▼▼▼▼▼ ········ ········ ········
   row    byte  bank 0   8        16       24        lanes
     0       0  ████████ ████████ ████████ ████████  0-7
 words in bank  11111111 11111111 11111111 11111111
phase 2 of 4: lanes 8-15
         lanes  ········ ▼▼▼▼▼▼▼▼ ········ ········
   row    byte  bank 0   8        16       24        lanes
     1     128  ████████ ████████ ████████ ████████  8-15
 words in bank  11111111 11111111 11111111 11111111
phase 3 of 4: lanes 16-23
         lanes  ········ ········ ▼▼▼▼▼▼▼▼ ········
   row    byte  bank 0   8        16       24        lanes
     2     256  ████████ ████████ ████████ ████████  16-23
 words in bank  11111111 11111111 11111111 11111111
phase 4 of 4: lanes 24-31
         lanes  ········ ········ ········ ▼▼▼▼▼▼▼▼
   row    byte  bank 0   8        16       24        lanes
     3     384  ████████ ████████ ████████ ████████  24-31
 words in bank  11111111 11111111 11111111 11111111
32 lanes ask for 512 bytes of shared memory, without a bank conflict: 4
wavefronts.

█ 4 bytes used
)");
}

TEST(Picture, WritesTensAboveOnesWhereABankHasTenWords) {
  Request r = to_shared(load([](uint64_t lane) { return lane * 128; }));
  r.bytes_used = 128;
  r.wavefronts = 32;
  r.bank_conflicts = 31;
  const std::string text = picture({r}, UTF8_80);
  EXPECT_NE(text.find("\n                3\n words in bank  2·······"), std::string::npos) << text;
  EXPECT_NE(text.find("32-way conflict: 32 wavefronts\nwhere 1 would do."), std::string::npos)
      << text;
}

TEST(Picture, SaysThePriceThatWasCounted) {
  Request r = eight_way();
  r.wavefronts = 11;
  r.bank_conflicts = 9;
  EXPECT_NE(picture({r}, {.color = false, .unicode = false, .width = 120})
                .find("9 bank conflicts: 11 wavefronts where 2 would do.\n"),
            std::string::npos);
}

TEST(Picture, DoesNotSayThatAStoreFetches) {
  Request r = every_other();
  r.instruction = "st.global.f32";
  r.action = Action::store;
  const text::Page page{.color = false, .unicode = false, .width = 120};
  EXPECT_NE(picture({r}, page).find(
                "28 lanes write 112 bytes in 7 sectors of 2 lines (224 bytes): 50.0 % used."),
            std::string::npos);
  EXPECT_EQ(picture({r}, page).find("fetched"), std::string::npos);
  r.action = Action::atomic;
  EXPECT_NE(picture({r}, page).find("28 lanes change 112 bytes"), std::string::npos);
}

TEST(Picture, MarksWordsThatAreUsedInPart) {
  Request r = load([](uint64_t lane) { return lane * 3; });
  r.instruction = "ld.global.u8";
  r.bytes_per_lane = 1;
  r.sectors = 3;
  r.lines = 1;
  r.bytes_used = 32;
  EXPECT_EQ(picture({r}, UTF8_80), R"(copy in copy.cu:6
ld.global.u8 of A, launch 1, block (3,0,0), warp 2, request 0

         lanes  ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼ ▼▼▼▼▼▼▼▼
  line    byte  sector 0 1        2        3         lanes
     0       0  ▄▄▄▄▄▄▄▄ ▄▄▄▄▄▄▄▄ ▄▄▄▄▄▄▄▄           0-31
32 lanes ask for 32 bytes in 3 sectors of 1 line (96 bytes fetched): 33.3 %
used.

▄ used in part
)");
}

// At one offset the words of all lanes lie side by side, lane by lane.
TEST(Picture, InterleavesLocalMemoryByTheWord) {
  Request r = load([](uint64_t) { return 8; });
  r.path = Path::local;
  r.buffer = "local";
  for (uint64_t& address : r.addresses) address -= r.buffer_base;
  r.buffer_base = 0;
  r.bytes_per_lane = 8;
  r.sectors = 8;
  r.lines = 2;
  r.bytes_used = 256;
  const std::string text = picture({r}, UTF8_80);
  EXPECT_NE(text.find("     2     256  ████████ ████████ ████████ ████████  0-31\n"
                      "     3     384  ████████ ████████ ████████ ████████  0-31\n"),
            std::string::npos)
      << text;
}

// The host's memory may begin anywhere. Its first byte is byte 0 of the buffer, in the middle of line 0.
TEST(Picture, CountsFromTheBeginningOfABufferThatIsNotAligned) {
  Request r = every_other();
  r.buffer_base += 16;
  for (uint64_t& address : r.addresses) address += address == 0 ? 0 : 16;
  const std::string text = picture({r}, UTF8_80);
  EXPECT_NE(text.find("     0     -16  ░░░░█░█░ █"), std::string::npos) << text;
}

TEST(Picture, OfNothingIsEmpty) { EXPECT_EQ(picture({}, UTF8_80), ""); }

}  // namespace
}  // namespace lens::test

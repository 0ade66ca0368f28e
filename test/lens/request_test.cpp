#include "lens/request.hpp"

#include <gtest/gtest.h>

#include "test/lens/requests.hpp"

namespace lens::test {
namespace {

TEST(Request, IsWorseWithMoreConflictsOrMoreWaste) {
  EXPECT_TRUE(is_worse(stride_1000(), every_other())) << "28 sectors in vain, not 4";
  EXPECT_FALSE(is_worse(every_other(), stride_1000()));
  EXPECT_TRUE(is_worse(eight_way(), quarters()));
  EXPECT_FALSE(is_worse(every_other(), every_other())) << "equal";
}

TEST(Request, IsNoneTheWorseForOneWordThatAllLanesRead) {
  Request broadcast, neighbours, leaping;
  broadcast.sectors = 1, broadcast.bytes_used = 4;
  neighbours.sectors = 4, neighbours.bytes_used = 128;
  leaping.sectors = 5, leaping.bytes_used = 128;
  EXPECT_FALSE(is_worse(broadcast, neighbours));
  EXPECT_TRUE(is_worse(neighbours, broadcast)) << "more sectors, none of them in vain";
  EXPECT_TRUE(is_worse(leaping, neighbours));
}

TEST(Request, KnowsItsBlocksNumber) {
  Request r;
  r.grid = {5, 7, 3};
  r.block = {4, 2, 1};
  EXPECT_EQ(linear_block(r), 4u + 5 * (2 + 7 * 1));
}

TEST(Request, FileIsNamedByTheEndOfItsPath) {
  EXPECT_TRUE(is_file("/home/me/src/copy.cu", "copy.cu"));
  EXPECT_TRUE(is_file("/home/me/src/copy.cu", "src/copy.cu"));
  EXPECT_TRUE(is_file("/home/me/src/copy.cu", "/home/me/src/copy.cu"));
  EXPECT_TRUE(is_file("copy.cu", "copy.cu"));
  EXPECT_FALSE(is_file("/home/me/src/my_copy.cu", "copy.cu"));
  EXPECT_FALSE(is_file("/home/me/src/copy.cu", "other/copy.cu"));
  EXPECT_FALSE(is_file("copy.cu", "src/copy.cu"));
}

}  // namespace
}  // namespace lens::test

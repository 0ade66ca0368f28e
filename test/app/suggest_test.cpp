#include "app/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

const std::array<std::string, 4> KNOWN{"naive", "coalesced", "shared_tile", "list"};

TEST(Suggest, FindsASlipOfTheFingers) {
  EXPECT_EQ(runner::nearest("niave", KNOWN), "naive");         // a swap
  EXPECT_EQ(runner::nearest("coalesed", KNOWN), "coalesced");  // one missing
  EXPECT_EQ(runner::nearest("lisst", KNOWN), "list");          // one too many
  EXPECT_EQ(runner::nearest("sharedtile", KNOWN), "shared_tile");
  EXPECT_EQ(runner::nearest("NAIVE", KNOWN), "naive");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(runner::nearest("warp", KNOWN), "");
  EXPECT_EQ(runner::nearest("", KNOWN), "");
  EXPECT_EQ(runner::nearest(std::string(100000, 'x'), KNOWN), "");
  EXPECT_EQ(runner::did_you_mean("warp", KNOWN), "");
}

TEST(Suggest, AsksAQuestion) {
  EXPECT_EQ(runner::did_you_mean("naiv", KNOWN), "; did you mean 'naive'?");
}

}  // namespace

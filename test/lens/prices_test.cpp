// The price of a shared-memory access, against every pattern measured on an H200.
#include "lens/prices.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

using lens::SharedAccess;
using lens::WarpAddresses;

struct Measured {
  SharedAccess access;
  uint32_t bytes;
  WarpAddresses addresses;
  uint32_t wavefronts;
  uint32_t bank_conflicts;
};

Measured parse(const std::string& line) {
  std::istringstream row(line);
  std::string op, bytes, mask, offsets, wavefronts, conflicts;
  std::getline(row, op, ',');
  std::getline(row, bytes, ',');
  std::getline(row, mask, ',');
  std::getline(row, offsets, ',');
  std::getline(row, wavefronts, ',');
  std::getline(row, conflicts, ',');
  Measured m{op == "ld" ? SharedAccess::load : SharedAccess::store,
             static_cast<uint32_t>(std::stoul(bytes)),
             {{}, static_cast<uint32_t>(std::stoul(mask, nullptr, 16))},
             static_cast<uint32_t>(std::stoul(wavefronts)),
             static_cast<uint32_t>(std::stoul(conflicts))};
  std::istringstream words(offsets);
  for (uint64_t& address : m.addresses.lane) {
    words >> address;
    address *= 4;
  }
  EXPECT_FALSE(words.fail()) << line;
  return m;
}

TEST(SharedCost, EveryPatternMeasuredOnAnH200) {
  std::ifstream file(TEST_DATA "/shared_wavefronts_h200.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << "the first line names the columns";
  int patterns = 0;
  while (std::getline(file, line)) {
    const Measured m = parse(line);
    const lens::SharedCost cost = shared_cost(m.addresses, m.bytes, m.access);
    EXPECT_EQ(cost.wavefronts, m.wavefronts) << line;
    EXPECT_EQ(cost.bank_conflicts(), m.bank_conflicts) << line;
    ++patterns;
  }
  EXPECT_EQ(patterns, 390);
}

WarpAddresses strided(uint64_t first, uint64_t stride, uint32_t active = ~0u) {
  WarpAddresses addresses{{}, active};
  for (uint64_t lane = 0; lane < 32; ++lane) addresses.lane[lane] = first + lane * stride;
  return addresses;
}

TEST(CountSectors, TheLessonsOfALoad) {
  EXPECT_EQ(count_sectors(strided(0, 4), 4), 4u) << "contiguous: one 128-byte line";
  EXPECT_EQ(count_sectors(strided(0, 8), 4), 8u) << "stride 2";
  EXPECT_EQ(count_sectors(strided(0, 32), 4), 32u) << "stride 8";
  EXPECT_EQ(count_sectors(strided(0, 4000), 4), 32u) << "stride 1000";
  EXPECT_EQ(count_sectors(strided(64, 0), 4), 1u) << "a broadcast";
  EXPECT_EQ(count_sectors(strided(4, 4), 4), 5u) << "one float off alignment";
  EXPECT_EQ(count_sectors(strided(0, 16), 16), 16u) << "float4";
  EXPECT_EQ(count_sectors(strided(0, 32), 16), 32u) << "half of a 32-byte struct";
  EXPECT_EQ(count_sectors(strided(0, 4, 0x000000ff), 4), 1u) << "eight lanes";
}

TEST(CountDistinctBytes, ABroadcastUsesItsBytesOnce) {
  EXPECT_EQ(count_distinct_bytes(strided(0, 4), 4), 128u);
  EXPECT_EQ(count_distinct_bytes(strided(0, 0), 4), 4u);
  EXPECT_EQ(count_distinct_bytes(strided(0, 16), 16), 512u);
  EXPECT_EQ(count_distinct_bytes(strided(0, 4, 0x3), 4), 8u);
}

// "2,0,0 1 2 3 ...,2,0": matrices, transposed, the place of each row in 16 bytes, wavefronts, bank conflicts.
TEST(SharedCost, EveryMatrixLoadMeasuredOnAnH200) {
  std::ifstream file(TEST_DATA "/matrix_loads_h200.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << "the first line names the columns";
  int patterns = 0, conflicts = 0;
  for (; std::getline(file, line); ++patterns) {
    std::istringstream row(line);
    std::string matrices, transposed, places, wavefronts, bank_conflicts;
    for (std::string* field : {&matrices, &transposed, &places, &wavefronts, &bank_conflicts}) {
      ASSERT_TRUE(std::getline(row, *field, ',')) << line;
    }
    WarpAddresses addresses{{}, 0};
    std::istringstream words(places);
    for (size_t lane = 0; lane < 8 * std::stoul(matrices); ++lane) {
      words >> addresses.lane[lane];
      addresses.lane[lane] *= 16;
      addresses.active |= 1u << lane;
    }
    ASSERT_FALSE(words.fail()) << line;
    const lens::SharedCost cost = shared_cost(addresses, 16, SharedAccess::matrix_load);
    EXPECT_EQ(cost.wavefronts, std::stoul(wavefronts)) << line;
    EXPECT_EQ(cost.bank_conflicts(), std::stoul(bank_conflicts)) << line;
    conflicts += cost.bank_conflicts() > 0 ? 1 : 0;
  }
  EXPECT_EQ(patterns, 135);
  EXPECT_GE(conflicts, 60);
}

}  // namespace

// The corners of single labs that no size for all labs would meet: the paths of variants, and their refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "labs/lab.hpp"
#include "runner/verify/lab_trial.hpp"

namespace {

using testing::HasSubstr;

const lab::Lab& find(std::string_view name) {
  for (const lab::Lab* one : lab::all()) {
    if (one->name == name) return *one;
  }
  throw std::invalid_argument(fmt::format("no lab '{}'", name));
}

const lab::Variant& find(std::string_view name, std::string_view variant) {
  for (const lab::Variant& one : find(name).variants) {
    if (one.name == variant) return one;
  }
  throw std::invalid_argument(fmt::format("lab '{}' has no variant '{}'", name, variant));
}

// Returns the complaint about any variant of the lab; empty if all are right.
std::string complaints(std::string_view name, const lab::Sizes& sizes) {
  std::string all;
  for (const lab::Variant& variant : find(name).variants) {
    runner::LabTrial trial(variant, sizes, runner::machine::GUARD);
    results::Observation seen;
    const results::Judgement judged = trial.check(seen);
    if (!judged.correct) {
      all += fmt::format("{}: {} {}\n", variant.name, judged.complaint, judged.failure);
    }
  }
  return all;
}

lab::Sizes matrix(int64_t rows, int64_t cols) {
  return lab::Sizes({{"rows", rows}, {"cols", cols}});
}

TEST(Transpose, IsRightWhereTilesAreRaggedAndPatchesWhole) {
  EXPECT_EQ(complaints("transpose", matrix(68, 100)), "");
  EXPECT_EQ(complaints("transpose", matrix(4, 132)), "");
}

TEST(Transpose, IsRightForARowAndForAColumn) {
  EXPECT_EQ(complaints("transpose", matrix(1, 77)), "");
  EXPECT_EQ(complaints("transpose", matrix(77, 1)), "");
  EXPECT_EQ(complaints("transpose", matrix(64, 67)), "") << "only one side is whole";
  EXPECT_EQ(complaints("transpose", matrix(67, 64)), "") << "only the other is";
}

TEST(Transpose, SaysWhichPathFloat4Takes) {
  const auto path = find("transpose", "float4").path;
  EXPECT_THAT(path(matrix(68, 100)), HasSubstr("16-byte"));
  EXPECT_THAT(path(matrix(66, 100)), HasSubstr("4-byte"));
  EXPECT_THAT(path(matrix(68, 101)), HasSubstr("4-byte"));
}

lab::Sizes lookup(int64_t batch, int64_t seq, int64_t vocabulary, int64_t dim) {
  return lab::Sizes({{"batch", batch}, {"seq", seq}, {"vocabulary", vocabulary}, {"dim", dim}});
}

TEST(Embedding, IsRightWhereRowsAreShortAndBlocksRagged) {
  EXPECT_EQ(complaints("embedding", lookup(3, 37, 50, 12)), "") << "float4 with a ragged end";
  EXPECT_EQ(complaints("embedding", lookup(1, 1, 1, 1)), "");
  EXPECT_EQ(complaints("embedding", lookup(5, 7, 1, 4)), "") << "one token for all";
  EXPECT_EQ(complaints("embedding", lookup(1, 1000, 17, 3)), "");
  EXPECT_EQ(complaints("embedding", lookup(1, 100, 30, 14)), "") << "every second row misaligned";
}

TEST(Embedding, SaysWhichPathFloat4Takes) {
  const auto path = find("embedding", "float4").path;
  EXPECT_THAT(path(lookup(1, 1, 1, 12)), HasSubstr("16-byte"));
  EXPECT_THAT(path(lookup(1, 1, 1, 14)), HasSubstr("4-byte"));
}

TEST(Embedding, RefusesWhatThirtyTwoBitsDoNotNumber) {
  const lab::Sizes longest = lookup(1 << 14, 1 << 16, 1, 1),
                   too_long = lookup(1 << 15, 1 << 16, 1, 1);
  for (const lab::Variant& variant : find("embedding").variants) {
    if (variant.refuses == nullptr) continue;
    EXPECT_EQ(variant.refuses(longest), nullptr) << variant.name;
    ASSERT_NE(variant.refuses(too_long), nullptr) << variant.name;
    EXPECT_THAT(variant.refuses(too_long), HasSubstr("2^31")) << variant.name;
  }
  EXPECT_NE(find("embedding", "1d").refuses, nullptr);
  EXPECT_EQ(find("embedding", "1d_64bit").refuses, nullptr);
}

TEST(Embedding, CountsARowAsReadOnceAtLeast) {
  const auto useful = [](const lab::Sizes& sizes) {
    return find("embedding", "1d").setup(sizes).useful_bytes;
  };
  EXPECT_EQ(useful(lookup(2, 8, 100, 4)), 4 * (16 + 16 * 4 + 16 * 4));
  EXPECT_EQ(useful(lookup(2, 8, 3, 4)), 4 * (16 + 3 * 4 + 16 * 4));
}

// The promise of 16 sectors rests on this.
TEST(Embedding, LooksUpEachTokenOnceBeforeAnyComesAgain) {
  for (const int64_t vocabulary : {16, 50, 512, 4099}) {
    const lab::Setup setup = find("embedding", "1d").setup(lookup(1, vocabulary, vocabulary, 1));
    std::set<uint32_t> tokens;
    for (int64_t t = 0; t < vocabulary; ++t) tokens.insert(setup.arrays.at(0).before(t));
    EXPECT_EQ(tokens.size(), static_cast<size_t>(vocabulary));
    EXPECT_EQ(*tokens.rbegin(), vocabulary - 1);
  }
}

TEST(Mappings, IsRightForOneElementAndForALittleMoreThanATile) {
  EXPECT_EQ(complaints("mappings", lab::Sizes({{"n", 1}})), "");
  EXPECT_EQ(complaints("mappings", lab::Sizes({{"n", 33}})), "");
}

// A riddle can be solved only if no two of its kernels have the same counters. It is a riddle only if no name gives it
// away.
TEST(Mystery, ShowsSixKernelsThatDifferInTheirCountersOnly) {
  const lab::Lab& mystery = find("mystery");
  EXPECT_TRUE(mystery.is_riddle);
  std::set<std::vector<std::tuple<std::string, std::string, double>>> shown;
  std::string names;
  for (const lab::Variant& variant : mystery.variants) {
    std::vector<std::tuple<std::string, std::string, double>> counters;
    for (const lab::Claim& claim : variant.claims) {
      EXPECT_EQ(claim.relation, lab::Relation::equal);
      counters.emplace_back(claim.counter, claim.buffer, claim.value);
    }
    shown.insert(std::move(counters));
    names += variant.name;
  }
  EXPECT_EQ(names, "abcdef");
  EXPECT_EQ(shown.size(), mystery.variants.size());
}

}  // namespace

#include "results/values/line_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/files/json.hpp"
#include "test/results/sources/made_sources.hpp"

namespace {

using results::Line;
using results::Waste;

TEST(LineFigures, OfGlobalMemoryAreSectorsAndBytes) {
  const Line line = made::global("f", 1, "ld.global.f32", "A", 4, 10, 5, 128);
  EXPECT_EQ(results::sectors_per_request(line), 5.0);
  EXPECT_EQ(results::bytes_used_over_fetched(line), 0.8);
  EXPECT_EQ(results::wavefronts_per_request(line), std::nullopt);
}

TEST(LineFigures, OfSharedMemoryAreWavefronts) {
  const Line line = made::shared("f", 1, "ld.shared.f32", 4, 10, 2, 1);
  EXPECT_EQ(results::wavefronts_per_request(line), 2.0);
  EXPECT_EQ(results::sectors_per_request(line), std::nullopt);
  EXPECT_EQ(results::bytes_used_over_fetched(line), std::nullopt);
}

TEST(LineFigures, AreNoneWhereNothingWasAsked) {
  EXPECT_EQ(results::sectors_per_request(Line{}), std::nullopt);
  EXPECT_EQ(results::bytes_used_over_fetched(Line{}), std::nullopt);
  EXPECT_EQ(results::wavefronts_per_request(Line{}), std::nullopt);
}

// Python's reader takes these words.
TEST(LineFigures, StandInTheJson) {
  results::Run run;
  run.results.push_back({.who = {.set = "sgemm", .name = "naive"}});
  run.results[0].judged.correct = true;
  run.results[0].seen.lines = {made::global("f", 1, "ld.global.f32", "A", 4, 10, 5, 128),
                               made::shared("f", 2, "ld.shared.f32", 4, 10, 2, 1)};
  const std::string text = results::to_json(run);
  EXPECT_THAT(text, testing::HasSubstr("\"sectors_per_request\": 5.0"));
  EXPECT_THAT(text, testing::HasSubstr("\"bytes_used_over_fetched\": 0.8"));
  EXPECT_THAT(text, testing::HasSubstr("\"waste\": \"some\""));
  EXPECT_THAT(text, testing::HasSubstr("\"wavefronts_per_request\": 2.0"));
  EXPECT_THAT(text, testing::HasSubstr("\"waste\": \"much\""));
}

TEST(Waste, IsWhatIsMovedBeyondTheBytesThatAreAskedFor) {
  const auto of = [](uint64_t sectors, uint64_t used) {
    return waste_of(made::global("f", 1, "ld.global.f32", "A", 4, 10, sectors, used));
  };
  EXPECT_EQ(of(4, 128), Waste::none) << "neighbours";
  EXPECT_EQ(of(16, 512), Waste::none) << "four neighbours a lane";
  EXPECT_EQ(of(1, 4), Waste::none) << "a broadcast cannot take less";
  EXPECT_EQ(of(5, 128), Waste::some) << "neighbours that begin within a sector";
  EXPECT_EQ(of(8, 128), Waste::much) << "every second float";
  EXPECT_EQ(of(32, 128), Waste::much);
  EXPECT_EQ(of(32, 4 * 32), Waste::much);
}

TEST(Waste, OfSharedMemoryIsWhatConflictsCost) {
  const auto of = [](uint64_t wavefronts, uint64_t conflicts) {
    return waste_of(made::shared("f", 1, "ld.shared.f32", 4, 10, wavefronts, conflicts));
  };
  EXPECT_EQ(of(1, 0), Waste::none);
  EXPECT_EQ(of(8, 0), Waste::none) << "16 bytes a lane";
  EXPECT_EQ(of(5, 2), Waste::some);
  EXPECT_EQ(of(2, 1), Waste::much);
}

TEST(Waste, IsNothingWhereNothingWasAsked) { EXPECT_EQ(waste_of(Line{}), Waste::none); }

}  // namespace

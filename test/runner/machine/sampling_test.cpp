// The measuring protocol, on a made-up device and a clock that only the test moves.
#include "runner/machine/sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/values/metrics.hpp"

namespace {

using results::MeasureOptions;
using results::Timing;
using runner::doubts;
using runner::Sample;
using runner::StopRule;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Returns the number of the step in which a turn lies. Each step is `turns_of_a_step` turns long.
double step_of(size_t turn, size_t turns_of_a_step) {
  const size_t step = turn / turns_of_a_step;
  return static_cast<double>(step);
}

// A device whose samples depend on the number of samples of kernel and reference together that were taken before.
struct Device {
  using Law = std::function<Sample(size_t turn)>;
  Law kernel = [](size_t) { return Sample{.ms = 10}; };
  Law reference = [](size_t) { return Sample{.ms = 10}; };
  double seconds_of_a_sample = 0.01;

  std::string turns{};
  double seconds = 0;

  Timing measure(const MeasureOptions& options = {}, bool with_reference = true) {
    const auto take = [&](char which, const Law& law) {
      const Sample sample = law(turns.size());
      turns += which;
      seconds += seconds_of_a_sample;
      return sample;
    };
    return runner::take_turns(
        [&] { return take('K', kernel); },
        with_reference ? runner::Sampler([&] { return take('R', reference); }) : runner::Sampler(),
        options, [&] { return seconds; });
  }
};

TEST(TakeTurns, KernelAndReferenceAlternate) {
  Device device;
  const Timing timing = device.measure();
  for (size_t i = 0; i < device.turns.size(); ++i)
    EXPECT_EQ(device.turns[i], i % 2 == 0 ? 'K' : 'R');
  EXPECT_THAT(timing.samples_ms, SizeIs(10)) << "as many as the stop rule wants at least";
  EXPECT_THAT(timing.reference_samples_ms, SizeIs(10));
  EXPECT_THAT(doubts(timing), IsEmpty());
}

TEST(TakeTurns, WithoutAReferenceTheKernelIsAlone) {
  Device device;
  const Timing timing = device.measure({}, false);
  EXPECT_THAT(device.turns, Not(HasSubstr("R")));
  EXPECT_THAT(timing.reference_samples_ms, IsEmpty());
  EXPECT_THAT(doubts(timing), IsEmpty());
}

// Each sample of the reference belongs to the kernel's sample right before it. Their ratio is 1/2 throughout, although
// a sinking clock moves both.
TEST(TakeTurns, NeighboursStandSideBySide) {
  Device device;
  const auto slower = [](size_t turn) { return 1.0 + 0.1 * step_of(turn, 2); };
  device.kernel = [&](size_t turn) { return Sample{.ms = 10 * slower(turn)}; };
  device.reference = [&](size_t turn) { return Sample{.ms = 5 * slower(turn)}; };
  EXPECT_THAT(results::paired_percent(device.measure()), Each(testing::DoubleEq(50.0)));
}

TEST(TakeTurns, TellsTheClockOfEach) {
  Device device;
  device.kernel = [](size_t) { return Sample{.ms = 10, .clock_mhz = 1400}; };
  device.reference = [](size_t) { return Sample{.ms = 10, .clock_mhz = 1800}; };
  const Timing timing = device.measure();
  EXPECT_THAT(timing.clocks_mhz, ElementsAre(1400, 1400, 1800));
  EXPECT_EQ(timing.reference_clock_mhz, 1800);
  EXPECT_EQ(device.measure({}, false).reference_clock_mhz, std::nullopt);
}

// A device that uses 700 W. Its counter moves every 20 ms, and a sample of two launches takes 5 ms.
struct EnergyCounter {
  double seconds = 0;
  double watts = 700;
  bool is_there = true;

  std::optional<double> joules_of_launch() {
    return runner::joules_of_launch(
        [&] {
          seconds += 0.005;
          return 2;
        },
        [&]() -> std::optional<double> {
          if (!is_there) return std::nullopt;
          return 0.02 * watts * std::floor(seconds / 0.02 + 1e-9);
        },
        [&] { return seconds; });
  }
};

TEST(Energy, IsThatOfALaunch) {
  EnergyCounter counter;
  const auto joules = counter.joules_of_launch();
  ASSERT_TRUE(joules);
  EXPECT_NEAR(*joules, 700 * 0.0025, 1e-9);
  EXPECT_LT(counter.seconds, 1);
}

// It begins between two steps of the counter, which belong to no whole number of launches.
TEST(Energy, CountsFromOneStepOfTheCounterToAnother) {
  EnergyCounter counter{.seconds = 0.013};
  const auto joules = counter.joules_of_launch();
  ASSERT_TRUE(joules);
  EXPECT_NEAR(*joules, 700 * 0.0025, 1e-9);
}

TEST(Energy, IsUnknownWithoutACounterThatMoves) {
  EXPECT_EQ(EnergyCounter{.is_there = false}.joules_of_launch(), std::nullopt);
  EnergyCounter still{.watts = 0};
  EXPECT_EQ(still.joules_of_launch(), std::nullopt);
  EXPECT_LT(still.seconds, 4) << "it gives up";
}

TEST(TakeTurns, KeepsHowItWasAsked) {
  const MeasureOptions options{.cold = true, .seconds = 0.5, .samples = 7, .target_spread = 0.0625};
  EXPECT_EQ(Device().measure(options).options, options);
}

// A steady kernel beside a reference that is not steady. The kernel's time alone would stop after ten samples.
TEST(TakeTurns, GoesOnUntilTheRatioIsKnownToo) {
  Device device;
  device.reference = [](size_t turn) { return Sample{.ms = turn % 4 == 1 ? 8.0 : 12.0}; };
  Timing timing = device.measure({.seconds = 0.5});
  EXPECT_THAT(timing.samples_ms, SizeIs(testing::Gt(20)));
  EXPECT_THAT(doubts(timing), testing::Contains(HasSubstr("the ratio to cuBLAS is known to")));
  timing.is_against_copy = true;
  EXPECT_THAT(doubts(timing), testing::Contains(HasSubstr("the ratio to the copy is known to")));
}

TEST(TakeTurns, SamplesBeginWhenTheClockIsSteady) {
  Device device;
  const auto law = [](size_t turn) {
    const double mhz = std::min(1980.0, 1200.0 + 20.0 * static_cast<double>(turn));
    return Sample{.ms = 10 * 1980 / mhz, .clock_mhz = mhz};
  };
  device.kernel = device.reference = law;
  const Timing timing = device.measure();
  EXPECT_THAT(timing.samples_ms, Each(10.0));
  EXPECT_THAT(timing.clocks_mhz, Each(1980.0));
  EXPECT_THAT(doubts(timing), IsEmpty());
}

// Each time occurs twice in a row before it falls, and no clock can be read.
TEST(TakeTurns, SamplesBeginWhenTheTimesAreSteady) {
  const auto falling = [](size_t turn) {
    return Sample{.ms = std::max(10.0, 20.0 - step_of(turn, 4))};
  };
  Device moving_kernel;
  moving_kernel.kernel = falling;
  EXPECT_THAT(moving_kernel.measure().samples_ms, Each(10.0));
  Device moving_reference;
  moving_reference.reference = falling;
  EXPECT_THAT(moving_reference.measure().reference_samples_ms, Each(10.0));
}

TEST(TakeTurns, TheReferencesClockCountsToo) {
  Device device;
  device.reference = [](size_t turn) {
    return Sample{.ms = 10, .clock_mhz = turn < 50 ? 1500 + 9.0 * static_cast<double>(turn) : 1980};
  };
  EXPECT_THAT(doubts(device.measure()), IsEmpty());
  EXPECT_THAT(device.turns, SizeIs(Ge(70)));
  Device slow;
  slow.kernel = [](size_t) { return Sample{.ms = 10, .clock_mhz = 1980}; };
  slow.reference = [](size_t) {
    return Sample{.ms = 10, .clock_mhz = 1200, .slowdowns = {"thermal slowdown"}};
  };
  const Timing timing = slow.measure();
  EXPECT_THAT(doubts(timing),
              ElementsAre("thermal slowdown", AllOf(HasSubstr("1200"), HasSubstr("1980"))));
  EXPECT_THAT(timing.clocks_mhz, ElementsAre(1200, 1980, 1980)) << "the median is the kernel's";
}

// The times stay the same, since memory limits this kernel. Only the clock shows the change.
TEST(TakeTurns, TheClockCountsWhereTheTimesDoNotTell) {
  Device device;
  device.kernel = [](size_t turn) {
    return Sample{.ms = 10,
                  .clock_mhz = turn < 30 ? 1200 + 20.0 * static_cast<double>(turn) : 1800};
  };
  EXPECT_THAT(device.measure().clocks_mhz, Each(1800.0));
  EXPECT_THAT(device.turns, SizeIs(Ge(50)));
}

TEST(TakeTurns, DoubtsAClockThatNeverSettles) {
  Device device;
  device.kernel = [](size_t turn) {
    return Sample{.ms = 10, .clock_mhz = turn % 4 == 0 ? 1600 : 1980};
  };
  EXPECT_THAT(doubts(device.measure()), ElementsAre(HasSubstr("still moved after the warm-up"),
                                                    AllOf(HasSubstr("1600"), HasSubstr("1980"))));
}

TEST(TakeTurns, DoubtsASlowdownThatHasPassedByTheEnd) {
  Device device;
  device.kernel = [](size_t turn) {
    Sample sample{.ms = 10};
    if (turn == 24) sample.slowdowns = {"thermal slowdown", "hardware slowdown"};
    if (turn == 26) sample.slowdowns = {"thermal slowdown"};
    return sample;
  };
  EXPECT_THAT(doubts(device.measure()), ElementsAre("hardware slowdown", "thermal slowdown"));
}

TEST(TakeTurns, DoubtsFewSamples) {
  Device device;
  EXPECT_THAT(doubts(device.measure({.samples = 4})), ElementsAre(HasSubstr("only 4 samples")));
  EXPECT_THAT(doubts(device.measure({.samples = 5})), IsEmpty());
}

TEST(TakeTurns, DoubtsScatteredSamples) {
  Device device;
  device.kernel = device.reference = [](size_t turn) {
    return Sample{.ms = 10.0 + static_cast<double>(turn / 2 % 3)};
  };
  EXPECT_THAT(doubts(device.measure({.samples = 12})),
              testing::Contains(HasSubstr("the median is known to")));
}

TEST(TakeTurns, SpendsNoMoreThanItsTime) {
  Device device;
  device.kernel = [](size_t turn) { return Sample{.ms = 10.0 + static_cast<double>(turn % 5)}; };
  const Timing timing = device.measure({.seconds = 0.3});
  EXPECT_NEAR(static_cast<double>(timing.samples_ms.size()), 0.3 / 0.02, 1);
}

// Three rounds of a launch that takes a minute would be far too long for a warm-up.
TEST(TakeTurns, ALongLaunchIsItsOwnWarmUp) {
  Device device;
  device.seconds_of_a_sample = 20;
  const Timing timing = device.measure();
  EXPECT_EQ(device.turns, "KRKR");
  EXPECT_THAT(doubts(timing), ElementsAre(HasSubstr("only 1 sample;")));
}

TEST(TakeTurns, OnceIsOneLaunchOfEach) {
  Device device;
  const Timing timing = device.measure({.once = true});
  EXPECT_EQ(device.turns, "KR");
  EXPECT_THAT(doubts(timing), ElementsAre(HasSubstr("without warm-up")));
}

TEST(Doubts, AreNoneOfASoundMeasurement) {
  Timing timing{.samples_ms = {1, 1, 1, 1, 1},
                .reference_samples_ms = {2, 2, 2, 2, 2},
                .clocks_mhz = {1900, 1950, 1980}};
  EXPECT_THAT(doubts(timing), IsEmpty());
  timing.clocks_mhz = {1800, 1950, 1980};
  EXPECT_THAT(doubts(timing), ElementsAre(HasSubstr("the clock moved between 1800 and 1980 MHz")));
}

TEST(StopRule, TakesOneSampleWhateverItCosts) {
  const StopRule rule{
      .least_samples = 5, .most_samples = 10, .most_seconds = 1, .target_uncertainty = 0.01};
  EXPECT_FALSE(rule.stop({}, 100));
  const double slow[] = {100.0};
  EXPECT_TRUE(rule.stop(slow, 100));
}

TEST(StopRule, StopsWhenTheMedianIsKnown) {
  const StopRule rule{
      .least_samples = 5, .most_samples = 100, .most_seconds = 1, .target_uncertainty = 0.01};
  const double equal[] = {2, 2, 2, 2, 2};
  EXPECT_FALSE(rule.stop(std::span(equal).first(4), 0)) << "too few to know";
  EXPECT_TRUE(rule.stop(equal, 0));
  const double scattered[] = {1, 2, 3, 4, 5};
  EXPECT_FALSE(rule.stop(scattered, 0));
}

TEST(StopRule, StopsAtTheMostSamples) {
  const StopRule rule{
      .least_samples = 2, .most_samples = 3, .most_seconds = 1, .target_uncertainty = 0};
  const double scattered[] = {1, 2, 3};
  EXPECT_FALSE(rule.stop(std::span(scattered).first(2), 0));
  EXPECT_TRUE(rule.stop(scattered, 0));
}

}  // namespace

// The trial finds a lab kernel's fault and names the first wrong word.
#include "runner/verify/lab_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/labs/faulty_labs.hpp"

namespace {

using testing::HasSubstr;

// Poison around the arrays, also on the simulated GPU, where a write beside an allocation would otherwise be a fault.
constexpr int64_t GUARD = 64;

results::Judgement check(const lab::Lab& of, const std::string& name, int64_t elements) {
  for (const lab::Variant& variant : of.variants) {
    if (variant.name != name) continue;
    results::Observation seen;
    return runner::LabTrial(variant, lab::Sizes({{"elements", elements}}), GUARD).check(seen);
  }
  return {.complaint = "no such variant"};
}

TEST(LabTrial, FindsASoundVariantRight) {
  for (const int64_t elements : {1, 100, 1024}) {
    const results::Judgement judged = check(faulty::sound_lab, "backwards", elements);
    EXPECT_TRUE(judged.correct) << judged.complaint;
    EXPECT_EQ(judged.compared, 2 * elements);
  }
}

TEST(LabTrial, NamesTheFirstWrongWord) {
  const results::Judgement judged = check(faulty::wrong_lab, "one_word", 1024);
  EXPECT_FALSE(judged.correct);
  EXPECT_THAT(judged.complaint,
              HasSubstr("1 of 1024 words of 'out' are wrong, the first at 37: got "));
}

TEST(LabTrial, SeesAWordThatIsNeverWritten) {
  EXPECT_THAT(check(faulty::wrong_lab, "never_written", 1024).complaint,
              HasSubstr("the first at 5: got nothing (it was never written), want "));
}

TEST(LabTrial, SeesWhatIsWrittenToAnArrayThatIsOnlyRead) {
  EXPECT_THAT(check(faulty::wrong_lab, "spoils_in", 1024).complaint,
              HasSubstr("1 of 1024 words of 'in' are wrong, the first at 3: got 0.5, want "));
}

TEST(LabTrial, SeesAWriteBesideAnArray) {
  const results::Judgement judged = check(faulty::beside_lab, "one_behind", 1000);
  EXPECT_FALSE(judged.correct);
  EXPECT_EQ(judged.complaint, "'out' was written to at word 1000, and it has 1000");
}

int fills = 0;  // the number of times that the first array was filled

lab::Setup counting_setup(const lab::Sizes& sizes) {
  lab::Setup setup = faulty::sound_lab.variants.at(0).setup(sizes);
  lab::Array& in = setup.arrays.front();
  in.after = in.before;
  in.before = [numbers = in.after](int64_t i) {
    fills += i == 0;
    return numbers(i);
  };
  return setup;
}

// A second check must not find the first one's words, so arrays are filled anew. An unchanged array is filled only
// once.
TEST(LabTrial, FillsTheArraysBeforeEachCheck) {
  lab::Variant variant = faulty::sound_lab.variants.at(0);
  variant.setup = counting_setup;
  runner::LabTrial trial(variant, lab::Sizes({{"elements", 64}}), GUARD);
  results::Observation seen;
  EXPECT_TRUE(trial.check(seen).correct);
  EXPECT_EQ(fills, 1);
  EXPECT_TRUE(trial.check(seen).correct);
  EXPECT_EQ(fills, 2);
}

TEST(LabTrial, KnowsHowMuchMemoryItTakes) {
  const lab::Setup setup = faulty::sound_lab.variants.at(0).setup(lab::Sizes({{"elements", 1000}}));
  const double copy = runner::machine::MEASURES_TIME ? 2 * 1000 : 0;
  EXPECT_EQ(runner::LabTrial::bytes_needed(setup, 0), 4 * (2 * 1000 + copy));
  EXPECT_EQ(runner::LabTrial::bytes_needed(setup, 1), 4 * (2 * 1000 + 4 * 64 + copy));
}

}  // namespace

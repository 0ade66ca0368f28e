#include "runner/choose/select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.hpp"

namespace {

using ladder::Rung;
using testing::ElementsAre;
using testing::HasSubstr;

Rung rung(int number, const char* name) {
  return {.number = number, .name = name, .idea = "", .promise = {}, .launch = nullptr};
}

class Select : public testing::Test {
 protected:
  const Rung zero_ = rung(0, "cuBLAS"), one_ = rung(1, "naive"), two_ = rung(2, "coalesced"),
             four_ = rung(4, "tile");
  const std::vector<const Rung*> rungs_{&zero_, &one_, &two_, &four_};
  const std::vector<std::string> other_{"list"};

  std::vector<int> numbers(const std::vector<std::string>& words) const {
    std::vector<int> result;
    for (const runner::Selected& chosen : runner::select(words, rungs_, other_))
      result.push_back(chosen.rung->number);
    return result;
  }
  // Returns the rungs that were named alone, not by a range.
  std::vector<int> named(const std::vector<std::string>& words) const {
    std::vector<int> result;
    for (const runner::Selected& chosen : runner::select(words, rungs_, other_)) {
      if (chosen.by_name) result.push_back(chosen.rung->number);
    }
    return result;
  }
  std::string refusal(const std::vector<std::string>& words) const {
    try {
      numbers(words);
    } catch (const runner::Error& error) {
      EXPECT_EQ(error.code(), runner::ExitCode::usage);
      return error.what();
    }
    return "nothing was refused";
  }
};

TEST_F(Select, ByNumberNameRangeListAndAll) {
  EXPECT_THAT(numbers({"2"}), ElementsAre(2));
  EXPECT_THAT(numbers({"naive"}), ElementsAre(1));
  EXPECT_THAT(numbers({"CUBLAS"}), ElementsAre(0));
  EXPECT_THAT(numbers({"02_coalesced"}), ElementsAre(2));
  EXPECT_THAT(numbers({"1-2"}), ElementsAre(1, 2));
  EXPECT_THAT(numbers({"1-4"}), ElementsAre(1, 2, 4));  // the list has no 3
  EXPECT_THAT(numbers({"4,0"}), ElementsAre(4, 0));
  EXPECT_THAT(numbers({"all"}), ElementsAre(0, 1, 2, 4));
}

TEST_F(Select, EachOnceInTheOrderAskedFor) {
  EXPECT_THAT(numbers({"2", "naive", "1-2,0"}), ElementsAre(2, 1, 0));
}

// A rung that the device cannot run is left out of a range, and is an error if it was named alone.
TEST_F(Select, KnowsWhatWasNamedByItself) {
  EXPECT_THAT(named({"2", "naive"}), ElementsAre(2, 1));
  EXPECT_THAT(named({"1-4"}), ElementsAre());
  EXPECT_THAT(named({"all"}), ElementsAre());
  EXPECT_THAT(named({"1-4", "2"}), ElementsAre(2));
  EXPECT_THAT(named({"04_tile", "all"}), ElementsAre(4));
}

TEST_F(Select, KnowsBestWhichIsNotAmongAll) {
  EXPECT_THAT(named({"best"}), ElementsAre(Rung::NO_NUMBER));
  EXPECT_THAT(named({"Best,2"}), ElementsAre(Rung::NO_NUMBER, 2));
  EXPECT_THAT(numbers({"all"}), testing::Not(testing::Contains(Rung::NO_NUMBER)));
  EXPECT_THAT(refusal({"bset"}), HasSubstr("did you mean 'best'?"));
}

TEST_F(Select, RefusesNumbersThatDoNotExist) {
  EXPECT_THAT(refusal({"3"}), HasSubstr("no kernel 3: they are numbered 0 to 4"));
  EXPECT_THAT(refusal({"99999999999999999999"}), HasSubstr("no kernel 99999999999999999999"));
  EXPECT_THAT(refusal({"2-9"}), HasSubstr("no kernel 9"));
}

TEST_F(Select, RefusesARangeThatRunsBackwards) {
  EXPECT_THAT(refusal({"4-1"}), HasSubstr("runs backwards; write 1-4"));
}

TEST_F(Select, AsksWhetherANearWordWasMeant) {
  EXPECT_THAT(refusal({"naiev"}), HasSubstr("did you mean 'naive'?"));
  EXPECT_THAT(refusal({"lst"}), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(refusal({"warp"}), testing::Not(HasSubstr("did you mean")));
}

TEST_F(Select, RefusesEmptyWords) {
  EXPECT_THAT(refusal({""}), HasSubstr("a kernel's name is empty"));
  EXPECT_THAT(refusal({"1,,2"}), HasSubstr("a kernel's name is empty"));
  EXPECT_THAT(refusal({"1-"}), HasSubstr("no kernel '1-'"));
}

TEST_F(Select, SaysHowToRunAFileAndHowToWriteOne) {
  EXPECT_THAT(refusal({"run.json"}), HasSubstr("say --json=run.json"));
  EXPECT_THAT(refusal({"mine.cu"}), HasSubstr("say --kernel mine.cu"));
}

// A user who looks for the exercises is told the command.
TEST_F(Select, KnowsWordsThatAreTriedForTheExercises) {
  const struct {
    const char *word, *hint;
  } tried[] = {
      {"start", "'sgemm_runner learn' says"},      {"next", "'sgemm_runner learn next' opens"},
      {"skip", "'sgemm_runner learn skip'"},       {"exercise", "'sgemm_runner learn' says"},
      {"exercises", "'sgemm_runner learn' says"},  {"workshop", "'sgemm_runner learn' says"},
      {"Tutorial", "'sgemm_runner learn' says"},   {"quiz", "'sgemm_runner learn quiz'"},
      {"answer", "'sgemm_runner check' judges"},   {"test", "'sgemm_runner check' judges"},
      {"verify", "'sgemm_runner learn --verify'"}, {"pack", "'sgemm_runner learn --pack FILE'"},
  };
  for (const auto& [word, hint] : tried) EXPECT_THAT(refusal({word}), HasSubstr(hint)) << word;
  EXPECT_EQ(refusal({"next"}),
            "there is no kernel 'next': 'sgemm_runner learn next' opens the next exercise");
  // A kernel of that name takes precedence.
  const Rung next = rung(5, "next");
  const std::vector<const Rung*> rungs{&next};
  EXPECT_EQ(runner::select(std::vector<std::string>{"next"}, rungs).front().rung, &next);
}

TEST_F(Select, LabelsAsTheFilesAreNamed) { EXPECT_EQ(runner::label(two_), "02_coalesced"); }

}  // namespace

// The workshop as a learner calls it: exercises are opened, checked, hinted, solved and begun anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "text/page.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/course/exercise.hpp"
#include "workshop/words/text_file.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using workshop::find_exercise;
using workshop::read_text;

// Returns a message without its line breaks, whose places depend on the length of paths.
std::string in_one_line(const std::string& message) {
  return std::regex_replace(message, std::regex("\n +"), " ");
}

struct Learner : testing::Test {
  TemporaryFolder folder;
  std::string mine = folder / "mine";
  std::string file = mine + "/02_coalesced.cu";

  Ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), SGEMM_WORKSHOP);
    words.insert(words.end(), {"--folder", mine});
    return run_program(
        {.words = std::move(words), .environment = {"LC_ALL=C.UTF-8", "COLUMNS=100"}});
  }
  void answer(const std::string& filling, char hole = 'a') const {
    workshop::write_text(file, workshop::cut(find_exercise("2"), hole, filling));
  }
  json progress() const { return json::parse(read_text(mine + "/progress.json")); }
};

TEST_F(Learner, BeginsAtTheFirstExerciseAndMakesNothingByLooking) {
  const Ended ended = run({"learn"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("0 of 28 exercises solved"),
                               HasSubstr("./sgemm_runner learn numbering")));
  EXPECT_FALSE(fs::exists(mine));
}

TEST_F(Learner, OpensAnExerciseOnceAndKeepsWhatIsWritten) {
  Ended ended = run({"learn", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(StartsWith("2 coalesced: "), HasSubstr("(made now)"),
                               HasSubstr("./sgemm_runner check 2")));
  EXPECT_EQ(read_text(file), workshop::cut(find_exercise("2"), 'a'));

  std::ofstream(file) << "mine";
  ended = run({"learn", "2"});
  EXPECT_THAT(ended.out, Not(HasSubstr("(made now)")));
  EXPECT_EQ(read_text(file), "mine");
  EXPECT_EQ(run({"learn", "2", "--hole", "b"}).code, 2);
  EXPECT_EQ(read_text(file), "mine");
}

TEST_F(Learner, IsToldWhatIsWrongAndWhatIsNext) {
  static_cast<void>(run({"learn", "2"}));
  const Ended ended = run({"check"});  // the current exercise
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("02_coalesced.cu exercise 2: the result is wrong"),
                               HasSubstr("nothing written"), HasSubstr("./sgemm_runner hint 2")));
  EXPECT_EQ(progress()["exercises"]["02_coalesced"]["endings"]["wrong_result"], 1);
}

TEST_F(Learner, WhoIsRightSeesWhatItWasWorth) {
  answer(workshop::solution_of(find_exercise("2"), 'a'));
  const Ended ended = run({"check", "2"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("exercise 2: right"), HasSubstr("the rung's own code"),
                    HasSubstr("6.6× fewer"), HasSubstr("in 32 sectors of 32 lines"),
                    HasSubstr("in 4 sectors of 1 line"), HasSubstr("./sgemm_runner learn ")));
  EXPECT_THAT(progress()["exercises"]["02_coalesced"]["solved"], StartsWith("20"));
  EXPECT_THAT(run({"learn"}).out, HasSubstr("1 of 28 exercises solved"));
}

TEST_F(Learner, TheRightResultWithoutTheIdeaIsNotRight) {
  answer(
      "  const int64_t row = (blockIdx.x / tiles_n) * BM + threadIdx.x % BM;\n"
      "  const int64_t col = (blockIdx.x % tiles_n) * BN + threadIdx.x / BM;\n");
  const Ended ended = run({"check", "2", "--json"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  const json outcome = json::parse(ended.out);
  EXPECT_EQ(outcome["ending"], "broken_promise");
  EXPECT_EQ(outcome["claims"][0]["counted"], 32);
}

TEST_F(Learner, GetsNoHintForAnExerciseWithoutAFile) {
  const Ended ended = run({"hint", "2"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(in_one_line(ended.err), HasSubstr("'./sgemm_runner learn 2' makes it"));
}

TEST_F(Learner, GetsThreeHintsOneAfterTheOther) {
  static_cast<void>(run({"learn", "2"}));
  for (const char* which : {"Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3",
                            "Hint 3 of 3 for exercise 2, hole a, once more"}) {
    EXPECT_THAT(run({"hint", "2"}).out, HasSubstr(which));
  }
  EXPECT_EQ(progress()["exercises"]["02_coalesced"]["hints"], 3);
}

TEST_F(Learner, SeesTheNumberOfTheNextHint) {
  EXPECT_THAT(run({"learn", "2"}).out, HasSubstr("hint 2   (hint 1 of 3)\n"));
  EXPECT_THAT(run({"hint", "2"}).out,
              HasSubstr("still stuck: ./sgemm_runner hint 2   (hint 2 of 3)\n"));
  EXPECT_THAT(run({"learn"}).out,
              HasSubstr("stuck?:      ./sgemm_runner hint 2   (hint 2 of 3)\n"));
  static_cast<void>(run({"hint", "2"}));
  static_cast<void>(run({"hint", "2"}));
  EXPECT_THAT(run({"learn"}).out, HasSubstr("stuck?:      ./sgemm_runner hint 2\n"));
}

TEST_F(Learner, IsToldWhatIsNextAfterAReset) {
  for (const char* which : {"2", "copy_stride"}) {
    const std::string word = which;
    EXPECT_THAT(
        run({"reset", word}).out,
        AllOf(HasSubstr("read:        ./sgemm_runner learn " + word + "\n"),
              HasSubstr("check:       ./sgemm_runner check " + word + "\n"),
              HasSubstr("stuck?:      ./sgemm_runner hint " + word + "   (hint 1 of 3)\n")));
  }
}

// stderr has the width of stdout, and each error is a paragraph of its own.
TEST_F(Learner, ReadsErrorsThatFitThePage) {
  workshop::write_text(mine + "/copy_stride.txt", std::string(7, '-') + "\nnonsense\n");
  const Ended ended = run({"check", "copy_stride"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(in_one_line(ended.err), HasSubstr(":1: '-------' is no line"));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("\n  " + mine),
                               HasSubstr("\n  './sgemm_runner reset copy_stride' gives")));
  for (const std::string_view line : text::lines_of(ended.err)) {
    const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == line.npos;
    EXPECT_TRUE(is_one_word || text::display_width(line) <= 100) << line;
  }
}

TEST_F(Learner, SeesTheirProgressInAllExercises) {
  static_cast<void>(run({"learn", "2"}));
  const Ended own = run({"progress"});
  EXPECT_THAT(own.out, HasSubstr("02_coalesced          begun"));
  EXPECT_EQ(run({"progress", "all"}).out, own.out);
  const Ended none = run({"progress", "2"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("there is no file '2'"),
                              HasSubstr("'./sgemm_runner progress' shows your own")));
}

TEST_F(Learner, IsAskedAboutWhatTheyHaveBegun) {
  const auto quiz = [this](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"learn", "quiz", "--seed", "7"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  EXPECT_THAT(quiz({}).out, AllOf(StartsWith("30 questions about all exercises;"),
                                  HasSubstr("learn quiz all --questions 30 --seed 7\n")));
  static_cast<void>(run({"learn", "2"}));
  static_cast<void>(run({"learn", "banks"}));
  EXPECT_THAT(quiz({}).out, AllOf(StartsWith("9 questions about 2, banks, which you have begun"),
                                  HasSubstr("learn quiz 2 banks --questions 9 --seed 7\n")));
  EXPECT_THAT(quiz({"numbering"}).out, StartsWith("15 questions about numbering;"));
  EXPECT_THAT(quiz({"all"}).out, StartsWith("30 questions about all exercises;"));
  const Ended none = quiz({"13"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("has no question about 13_tensor_tf32"));
}

TEST_F(Learner, GetsTheHintsOfAnotherHoleFromTheFirstOn) {
  static_cast<void>(run({"learn", "2"}));
  static_cast<void>(run({"hint", "2"}));
  static_cast<void>(run({"hint", "2"}));
  EXPECT_THAT(run({"reset", "2", "--hole", "b"}).out, HasSubstr("is new, hole b"));
  EXPECT_THAT(run({"learn"}).out, HasSubstr("(hole b)"));
  EXPECT_THAT(run({"hint", "2"}).out, HasSubstr("Hint 1 of 3 for exercise 2, hole b"));
  EXPECT_EQ(progress()["exercises"]["02_coalesced"]["hints"], 3);
}

TEST_F(Learner, IsToldThatNothingIsWrittenYet) {
  static_cast<void>(run({"reset", "10", "--hole", "b"}));
  const std::string out = run({"check", "10"}).out;
  EXPECT_THAT(out, HasSubstr("Nothing is written between the marks yet"));
  EXPECT_THAT(out, Not(HasSubstr("The stage never moves on")));
}

TEST_F(Learner, MayGiveTheAnswerAloneInAFile) {
  static_cast<void>(run({"learn", "2"}));
  const std::string answer_file = mine + "/answer.txt";
  std::ofstream(answer_file) << workshop::solution_of(find_exercise("2"), 'a');
  const Ended right = run({"check", "2", "--answer", answer_file});
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  EXPECT_EQ(read_text(file),
            workshop::cut(find_exercise("2"), 'a', workshop::solution_of(find_exercise("2"), 'a')));
  EXPECT_TRUE(fs::exists(mine + "/backup/02_coalesced.1.cu"));
  EXPECT_EQ(run({"check", "2", "--answer", answer_file}).code,
            0);  // the same copy is not kept twice
  EXPECT_FALSE(fs::exists(mine + "/backup/02_coalesced.2.cu"));

  const Ended none = run({"check", "2", "--answer", mine + "/none.txt"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("none.txt"));
  const Ended of_a_lab = run({"check", "copy_stride", "--answer", answer_file});
  EXPECT_EQ(of_a_lab.code, 2);
  EXPECT_THAT(of_a_lab.err, HasSubstr("predict"));
}

TEST_F(Learner, HandsInProgressUnderAName) {
  static_cast<void>(run({"learn", "2"}));
  static_cast<void>(run({"hint", "2"}));
  const std::string handed_in = mine + "/ada.json";
  const Ended exported = run({"progress", "--export", handed_in});
  EXPECT_EQ(exported.code, 0) << exported.err;
  const auto json = nlohmann::json::parse(read_text(handed_in));
  EXPECT_EQ(json["learner"], "ada");
  EXPECT_EQ(json["exercises"]["02_coalesced"]["hints"], 1);
  EXPECT_EQ(progress()["learner"], "ada");
  EXPECT_THAT(run({"progress", handed_in}).out, HasSubstr("ada"));
  EXPECT_EQ(run({"progress", "--export", "/nowhere/ada.json"}).code, 2);
  EXPECT_EQ(run({"progress", "--export", mine + "/ada.txt"}).code, 2);

  EXPECT_EQ(run({"progress", "--export", handed_in}).code, 0);  // once more
  const std::string notes = mine + "/notes.json", bens = mine + "/ben.json";
  std::ofstream(notes) << "{\"an hour\": \"of work\"}";
  fs::copy_file(handed_in, bens);  // ada's progress under ben's name
  for (const std::string& file : {notes, bens}) {
    const std::string before = read_text(file);
    const Ended refused = run({"progress", "--export", file});
    EXPECT_EQ(refused.code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr(file));
    EXPECT_EQ(read_text(file), before);
  }
  EXPECT_EQ(progress()["learner"], "ada");
}

TEST_F(Learner, SeesTheSolutionBesideTheirs) {
  static_cast<void>(run({"learn", "2"}));
  const Ended ended = run({"solution", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("row = p.M"), HasSubstr("threadIdx.x / BN"),
                               HasSubstr("A question before")));
  EXPECT_THAT(progress()["exercises"]["02_coalesced"]["solution_seen"], StartsWith("20"));
}

TEST_F(Learner, BeginsAnewAndLosesNothing) {
  static_cast<void>(run({"learn", "2"}));
  std::ofstream(file) << "an hour's work";
  const Ended ended = run({"reset", "2", "--hole", "b"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("02_coalesced.1.cu"));
  EXPECT_EQ(read_text(mine + "/backup/02_coalesced.1.cu"), "an hour's work");
  EXPECT_EQ(read_text(file), workshop::cut(find_exercise("2"), 'b'));
}

TEST_F(Learner, TakesUpASolvedExerciseAgain) {
  answer(workshop::solution_of(find_exercise("2"), 'a'));
  EXPECT_EQ(run({"check", "2"}).code, 0);
  EXPECT_EQ(run({"check"}).code, 2);  // no exercise is current
  EXPECT_EQ(run({"reset", "2", "--hole", "b"}).code, 0);
  const Ended ended = run({"check"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("exercise 2: the result is wrong"));
  EXPECT_EQ(run({"learn", "1"}).code, 0);
  EXPECT_THAT(run({"check"}).out, HasSubstr("01_naive.cu exercise 1"));
}

TEST_F(Learner, WhoReadsASolvedOneAgainIsNotHeldThere) {
  answer(workshop::solution_of(find_exercise("2"), 'a'));
  EXPECT_THAT(run({"check", "2"}).out, AllOf(HasSubstr("./sgemm_runner reset 2 --hole b"),
                                             HasSubstr("./sgemm_runner solution 2"),
                                             HasSubstr("./sgemm_runner learn vector_add")));
  EXPECT_EQ(run({"learn", "2"}).code, 0);
  EXPECT_THAT(run({"learn", "next"}).out, StartsWith("vector_add"));
  EXPECT_EQ(run({"learn", "skip", "2"}).code, 2);  // there is no exercise to put off
  EXPECT_THAT(run({"learn", "skip"}).out, HasSubstr("vector_add is put off"));
}

TEST_F(Learner, IsHintedAtTheHoleOfTheirFile) {
  const auto hints = [&](const char* hole) {
    EXPECT_EQ(run({"reset", "12", "--hole", hole}).code, 0);
    return run({"hint", "12"}).out;
  };
  EXPECT_THAT(hints("a"), AllOf(HasSubstr("Hole `a`"), Not(HasSubstr("Hole `b`"))));
  EXPECT_THAT(hints("b"), AllOf(HasSubstr("Hole `b`"), Not(HasSubstr("Hole `a`"))));
}

TEST_F(Learner, AHazardIsToldByItselfAndAllOfThemWhenAsked) {
  static_cast<void>(run({"learn", "3"}));
  workshop::write_text(
      mine + "/03_shared_tile.cu",
      workshop::cut(find_exercise("3"), 'a',
                    "    for (int k = 0; k < BK; ++k) sum += As[y][k] * Bs[k][x];\n"));
  const std::string shortly = run({"check", "3"}).out;
  const std::string all = run({"check", "3", "-v"}).out;
  EXPECT_THAT(shortly, AllOf(HasSubstr("byte 0 of As"), HasSubstr("1 more of its kind"),
                             Not(HasSubstr("byte 0 of Bs"))));
  EXPECT_THAT(all, AllOf(HasSubstr("byte 0 of As"), HasSubstr("byte 0 of Bs")));
}

TEST_F(Learner, SeesNoSolutionByAWordThatSlippedOut) {
  static_cast<void>(run({"learn", "2"}));
  EXPECT_EQ(run({"solution"}).code, 2);
}

TEST_F(Learner, MaySkipOneByItsName) {
  EXPECT_THAT(run({"learn", "skip", "2"}).out, StartsWith("02_coalesced is put off"));
  EXPECT_EQ(run({"learn", "2", "3"}).code, 2);
}

TEST_F(Learner, GoesOnToTheNextAndMaySkip) {
  EXPECT_THAT(run({"learn", "next"}).out, StartsWith("numbering"));
  EXPECT_THAT(run({"learn", "skip"}).out,
              AllOf(StartsWith("numbering is put off"), HasSubstr("copy_stride: ")));
  EXPECT_THAT(run({"progress"}).out, AllOf(HasSubstr("numbering             put off"),
                                           HasSubstr("copy_stride           begun")));
}

TEST_F(Learner, ALabIsPredictedAndThenRevealed) {
  EXPECT_THAT(run({"learn", "copy_stride"}).out,
              AllOf(HasSubstr("A question before"), Not(HasSubstr("A question after"))))
      << "it gives the predictions away";
  const std::string sheet = mine + "/copy_stride.txt";
  EXPECT_EQ(run({"check", "copy_stride"}).code, 1);
  std::string filled;
  for (const char c : read_text(sheet)) filled += c == '?' ? '1' : c;
  std::ofstream(sheet) << filled;
  const Ended ended = run({"check", "copy_stride"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("A question after"),
                               HasSubstr("compare:     ./sgemm_runner solution copy_stride")));
  EXPECT_THAT(progress()["exercises"]["copy_stride"]["solved"], StartsWith("20"));
}

TEST_F(Learner, ChecksAllThatHasAFile) {
  EXPECT_EQ(run({"check", "all"}).code, 2);
  answer(workshop::solution_of(find_exercise("2"), 'a'));
  const Ended ended = run({"check", "all"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "✓ 02_coalesced          right\n");
}

}  // namespace

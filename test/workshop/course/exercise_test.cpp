// The course: every rung and every lab is in it once, and finds its exercise by the words that people type.
#include "workshop/course/exercise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "app/error.hpp"
#include "test/support/files.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/words/layout.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using workshop::course;
using workshop::Exercise;
using workshop::find_exercise;

TEST(Course, HasEveryRungFromTheFirstOnAndEveryLabOnce) {
  std::map<const void*, int> times;
  for (const Exercise& exercise : course()) {
    ++times[std::visit([](const void* of) { return of; }, exercise.of)];
  }
  for (const ladder::Rung* rung : ladder::all()) {
    EXPECT_EQ(times[rung], rung->number == 0 ? 0 : 1) << rung->name;
  }
  for (const lab::Lab* one : lab::all()) EXPECT_EQ(times[one], 1) << one->name;
}

TEST(Course, TakesTheRungsInTheirOrder) {
  int last = 0;
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written()) continue;
    EXPECT_EQ(exercise.rung().number, last + 1);
    last = exercise.rung().number;
    if (exercise.before == nullptr) continue;
    EXPECT_LT(exercise.before->number, last);
  }
}

// A link to the playground becomes its command on a screen, so no text gives the command as well.
TEST(Course, SaysTheCommandOfThePlaygroundOnce) {
  constexpr std::string_view COMMAND = "./sgemm_runner playground ";
  for (const Exercise& exercise : course()) {
    for (const workshop::Section& section : exercise.readme().sections) {
      const std::string text = workshop::markdown_on(section.text, {});
      std::set<std::string> said;
      for (size_t at = text.find(COMMAND); at != text.npos; at = text.find(COMMAND, at + 1)) {
        const size_t preset = at + COMMAND.size();
        const std::string one = text.substr(preset, text.find_first_of(") `\n", preset) - preset);
        EXPECT_TRUE(said.insert(one).second) << exercise.name << ": " << one << " is said twice";
      }
    }
  }
}

TEST(FindExercise, TakesANumberANameOrBoth) {
  for (const char* word : {"2", "02", "coalesced", "Coalesced", "02_coalesced"}) {
    EXPECT_EQ(find_exercise(word).name, "02_coalesced") << word;
  }
  EXPECT_EQ(find_exercise("12").name, "12_stream_k");
  EXPECT_EQ(find_exercise("13").name, "13_tensor_tf32");
  EXPECT_EQ(find_exercise("copy_stride").name, "copy_stride");
}

TEST(FindExercise, RefusesWhatIsNoneAndSaysWhichIsNear) {
  for (const char* word : {"", "0", "00", "99", "-1", "2a", "two", "99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(find_exercise(word)), runner::Error) << word;
  }
  try {
    static_cast<void>(find_exercise("colesced"));
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'coalesced'"));
  }
}

TEST(Claims, AreOnAProblemAndItsData) {
  const TemporaryFolder folder;
  Exercise exercise = find_exercise("13");
  exercise.folder = folder.path().string();
  const auto claims_of = [&](const std::string& text) {
    std::ofstream(folder / "holes.md") << "# Holes\n\nAlso promised: " << text << "\n";
    return exercise.further_claims();
  };

  const auto plain = claims_of("load_sectors_per_request of A = 32 at 64x32x16");
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].buffer, "A");
  EXPECT_EQ(plain[0].problem.size(), "64x32x16");
  EXPECT_EQ(plain[0].problem.data, results::Data::uniform);

  const auto positive = claims_of("frobenius_error at most 1e-4 at 64x64x1024 on positive data");
  ASSERT_EQ(positive.size(), 1U);
  EXPECT_EQ(positive[0].relation, device::Relation::at_most);
  EXPECT_EQ(positive[0].value, 1e-4);
  EXPECT_EQ(positive[0].problem.size(), "64x64x1024");
  EXPECT_EQ(positive[0].problem.data, results::Data::positive);

  for (const char* text :
       {"blocks = 4 at 8x8x8 on", "blocks = 4 at 8x8x8 on positive", "blocks = 4 at 8x8x8 positive",
        "blocks = 4 at 8x8x8 on odd data", "blocks = 4 at 8x8x8 on positive data too"}) {
    EXPECT_THROW(claims_of(text), runner::Error) << text;
  }
}

// Cutting a hole and filling it again gives the rung, except for the marks and the comment at its top.
TEST(Cut, WithTheSolutionInTheHoleNothingButTheMarksIsNew) {
  const Exercise& exercise = find_exercise("2");
  for (const char letter : exercise.letters()) {
    const std::string solution = workshop::solution_of(exercise, letter);
    const std::string filled = workshop::cut(exercise, letter, solution);
    EXPECT_THAT(workshop::whole_source(exercise),
                HasSubstr(filled.substr(filled.find("cudaError_t launch"))));
    EXPECT_EQ(workshop::own_part(filled), solution);
    EXPECT_EQ(workshop::hole_of(filled), letter);
  }
}

TEST(Cut, TheSolutionIsNotInTheSkeleton) {
  for (const Exercise& exercise : course()) {
    if (!exercise.is_written()) continue;
    for (const char letter : exercise.letters()) {
      const std::string skeleton = workshop::cut(exercise, letter);
      EXPECT_THAT(skeleton, Not(HasSubstr(workshop::solution_of(exercise, letter))))
          << exercise.name << letter;
      EXPECT_THAT(skeleton, StartsWith("// Exercise ")) << exercise.name;
      EXPECT_THAT(skeleton, HasSubstr("// exercise " + std::string(1, letter) + ": begin\n"));
    }
  }
}

TEST(Cut, RefusesAHoleThatTheExerciseDoesNotHave) {
  try {
    static_cast<void>(workshop::cut(find_exercise("2"), 'z'));
    FAIL();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("exercise 2 has no hole 'z'; it has a, b"));
  }
}

}  // namespace

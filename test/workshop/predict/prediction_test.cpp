// Predictions of labs: the questions, the learner's sheet, and its verdict.
#include "workshop/predict/prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "app/error.hpp"
#include "labs/lab.hpp"
#include "runner/machine/machine.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using workshop::Asked;
using workshop::Document;
using workshop::Entry;
using workshop::Fact;
using workshop::Facts;
using workshop::Held;
using workshop::LabQuestions;
using workshop::Predictions;

const text::Page PAGE{.unicode = true, .width = 100};
const std::string FILE_NAME = "mine/copy_stride.txt";

const lab::Lab& lab_named(std::string_view name) {
  for (const lab::Lab* one : lab::all()) {
    if (name == one->name) return *one;
  }
  throw std::runtime_error("no such lab");
}

std::string folder_of(const lab::Lab& of) {
  return fmt::format("{}/exercises/{}", SGEMM_SOURCE_DIR, of.name);
}

LabQuestions questions_of(std::string_view name) {
  return workshop::read_lab_questions(lab_named(name), folder_of(lab_named(name)));
}

Document markdown(const std::string& text) { return workshop::parse_markdown(text, "texts.md"); }

// Returns the test's own questions, on the lab copy_stride.
LabQuestions two_questions(const std::string& wrong_answers = "") {
  return workshop::parse_lab_questions(lab_named("copy_stride"), markdown(R"(# Predict
Opening words.

## How many sectors?

A sector is 32 bytes.

- load_sectors_per_request of in in 2
- bytes_used_over_fetched in 2
)"),
                                       markdown(wrong_answers));
}

Facts facts(std::vector<double> figures) {
  Facts all{.source = "counted by hand"};
  for (const double figure : figures) all.of.push_back({.figure = figure});
  return all;
}

// Returns a sheet with these in place of its question marks.
std::string filled(const LabQuestions& questions, const std::vector<std::string>& written) {
  std::string sheet = workshop::new_sheet(questions);
  for (const std::string& one : written) {
    sheet.replace(sheet.find("   ?\n"), 4, "   " + one);
  }
  return sheet;
}

std::vector<std::string> written_in(const std::vector<Entry>& entries) {
  std::vector<std::string> written;
  for (const Entry& entry : entries) written.push_back(entry.written);
  return written;
}

std::vector<Held::State> states_of(const Predictions& predictions) {
  std::vector<Held::State> states;
  for (const Held& held : predictions.held) states.push_back(held.state);
  return states;
}

// Returns the message with which a sheet is refused.
std::string refusal_of_sheet(const std::string& sheet) {
  try {
    workshop::read_sheet(two_questions(), sheet, FILE_NAME);
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    return error.what();
  }
  return "taken";
}

std::string refusal_of_texts(const std::string& questions, const std::string& wrong_answers,
                             const char* lab = "copy_stride") {
  try {
    workshop::parse_lab_questions(lab_named(lab), markdown(questions), markdown(wrong_answers));
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::failure);
    return error.what();
  }
  return "taken";
}

// ---- The exercises of the project.

class LabExercise : public testing::TestWithParam<const lab::Lab*> {
 protected:
  const lab::Lab& lab() const { return *GetParam(); }
  LabQuestions questions() const { return workshop::read_lab_questions(lab(), folder_of(lab())); }

  // Returns a lab's facts. It runs once for all tests of it.
  const Facts& facts() const {
    static std::map<std::string, Facts> of_labs;
    const auto known = of_labs.find(lab().name);
    if (known != of_labs.end()) return known->second;
    return of_labs[lab().name] = workshop::facts_of(questions());
  }
};

TEST_P(LabExercise, AsksAHandfulAndKnowsWhatGoesWrong) {
  const LabQuestions questions = this->questions();
  EXPECT_GE(questions.all().size(), 3);
  EXPECT_LE(questions.all().size(), 8);
  EXPECT_GE(questions.misunderstandings.size(), 3);
}

TEST_P(LabExercise, HasTextsThatAgreeWithWhatIsCounted) {
  if (runner::machine::KIND == results::Machine::cuda)
    return;  // a device knows only promised figures
  EXPECT_THAT(workshop::complaints_about(questions(), facts()), IsEmpty());
}

// The lab's promise states the counts independently.
TEST_P(LabExercise, CountsWhatTheLabPromises) {
  const LabQuestions questions = this->questions();
  const Facts& facts = this->facts();
  const std::vector<Asked> all = questions.all();
  ASSERT_EQ(facts.of.size(), all.size());
  int compared = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    for (const lab::Variant& variant : lab().variants) {
      if (all[i].variant != variant.name) continue;
      for (const lab::Claim& claim : variant.claims) {
        if (all[i].counter != claim.counter || all[i].buffer != claim.buffer) continue;
        ASSERT_TRUE(facts.of[i].figure.has_value());
        if (claim.relation == device::Relation::equal) {
          EXPECT_NEAR(*facts.of[i].figure, claim.value, 1e-9) << all[i].figure() << variant.name;
        }
        if (claim.relation == device::Relation::at_least) {
          EXPECT_GE(*facts.of[i].figure, claim.value) << all[i].figure() << variant.name;
        }
        ++compared;
      }
    }
  }
  EXPECT_TRUE(compared > 0 || lab().is_riddle);
}

TEST_P(LabExercise, HasASheetThatIsReadBack) {
  const LabQuestions questions = this->questions();
  const std::string sheet = workshop::new_sheet(questions);
  for (const Entry& entry : workshop::read_sheet(questions, sheet, FILE_NAME)) {
    EXPECT_EQ(entry.written, "");
    EXPECT_GT(entry.line, 0) << entry.asked.figure();
  }
  EXPECT_EQ(sheet.find("counter of"), sheet.npos);
  const std::vector<std::string> ones(questions.all().size(), "1");
  EXPECT_EQ(written_in(workshop::read_sheet(questions, filled(questions, ones), FILE_NAME)), ones);
}

TEST_P(LabExercise, TellsNothingOnItsSheet) {
  const std::string sheet = workshop::new_sheet(questions());
  EXPECT_THAT(sheet, Not(HasSubstr(lab().answer)));
}

INSTANTIATE_TEST_SUITE_P(All, LabExercise, testing::ValuesIn(lab::all().begin(), lab::all().end()),
                         [](const auto& named) { return std::string(named.param->name); });

// ---- Figures.

TEST(Figures, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(workshop::parse_figure("4"), 4);
  EXPECT_EQ(workshop::parse_figure("4.50"), 4.5);
  EXPECT_EQ(workshop::parse_figure("50 %"), 0.5);
  EXPECT_EQ(workshop::parse_figure("50%"), 0.5);
  EXPECT_EQ(workshop::parse_figure("1/4"), 0.25);
  EXPECT_EQ(workshop::parse_figure("1 / 4"), 0.25);
  for (const char* none : {"", "?", "four", "4 sectors", "1/0", "1/", "/2", "%", "0x10", "nan",
                           "inf", "1e999", "4,5", "1/2/3"}) {
    EXPECT_EQ(workshop::parse_figure(none), std::nullopt) << none;
  }
}

TEST(Figures, AreCloseToOnePerCent) {
  EXPECT_TRUE(workshop::is_close(32, 31.99));
  EXPECT_TRUE(workshop::is_close(0.667, 2.0 / 3));
  EXPECT_TRUE(workshop::is_close(0, 0));
  EXPECT_FALSE(workshop::is_close(4, 5));
  EXPECT_FALSE(workshop::is_close(0, 0.001));
  EXPECT_FALSE(workshop::is_close(0.65, 2.0 / 3));
}

// ---- The sheet.

TEST(Sheet, HasALineForEachQuestionBelowItsWords) {
  EXPECT_THAT(workshop::new_sheet(two_questions()), HasSubstr(R"(
# How many sectors?
# A sector is 32 bytes.
#
# variant   counter                          prediction
  2         load_sectors_per_request of in   ?
  2         bytes_used_over_fetched          ?
)"));
  EXPECT_THAT(workshop::new_sheet(two_questions()), HasSubstr("\n# Opening words.\n"));
  EXPECT_THAT(workshop::new_sheet(two_questions()),
              HasSubstr("./sgemm_runner check copy_stride\n"));
}

TEST(Sheet, IsReadWhateverItsSpaceItsOrderAndItsRemarks) {
  const auto entries = workshop::read_sheet(two_questions(),
                                            "# mine\r\n\r\n2 bytes_used_over_fetched   66.7 %\r\n"
                                            "\t2 load_sectors_per_request of in 8  # a guess\r\n",
                                            FILE_NAME);
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].asked.figure(), "load_sectors_per_request of in");
  EXPECT_EQ(entries[0].written, "8");
  EXPECT_EQ(entries[0].value, 8);
  EXPECT_EQ(entries[0].line, 4);
  EXPECT_EQ(entries[1].written, "66.7 %");
  EXPECT_NEAR(*entries[1].value, 0.667, 1e-9);
  EXPECT_EQ(entries[1].line, 3);
}

TEST(Sheet, TakesALineThatIsGoneForAnOpenOne) {
  const auto entries =
      workshop::read_sheet(two_questions(), "2 load_sectors_per_request of in ?\n", FILE_NAME);
  EXPECT_THAT(written_in(entries), ElementsAre("", ""));
  EXPECT_EQ(entries[0].line, 1);
  EXPECT_EQ(entries[1].line, 0);
  EXPECT_THAT(written_in(workshop::read_sheet(two_questions(), "", FILE_NAME)),
              ElementsAre("", ""));
}

TEST(Sheet, DamagedIsRefusedWithItsLineAndTheWayOut) {
  const std::string line = "2 load_sectors_per_request of in ";
  EXPECT_THAT(refusal_of_sheet("# first\n3 load_sectors_per_request of in 4\n"),
              testing::AllOf(HasSubstr("mine/copy_stride.txt:2: '3 load_sectors"),
                             HasSubstr("like '2 load_sectors_per_request of in ?'"),
                             HasSubstr("'./sgemm_runner reset copy_stride' gives a fresh sheet")));
  EXPECT_THAT(refusal_of_sheet(line + "4\n\n" + line + "8\n"),
              HasSubstr(":3: 2 load_sectors_per_request of in stands in line 1 too"));
  EXPECT_THAT(refusal_of_sheet(line + "four\n"), HasSubstr(":1: 'four' is no prediction"));
  EXPECT_THAT(refusal_of_sheet(line + "? 4\n"), HasSubstr(":1: '? 4' is no prediction"));
  EXPECT_THAT(refusal_of_sheet(line + "-4\n"), HasSubstr(":1: '-4' is no prediction"));
  EXPECT_THAT(refusal_of_sheet("2 bytes_used_over_fetched 66.7\n"),
              HasSubstr(":1: '66.7' is more than all bytes"));
  EXPECT_THAT(refusal_of_sheet("\x01\x02 binary\n"), HasSubstr(":1: ' binary' is no line"));
}

TEST(Sheet, OfManyDamagedLinesTheFirstAreTold) {
  std::string sheet;
  for (int i = 1; i <= 5; ++i) sheet += "nonsense\n";
  EXPECT_THAT(refusal_of_sheet(sheet),
              testing::AllOf(HasSubstr(":5: 'nonsense'"), Not(HasSubstr("more line"))));
  EXPECT_THAT(refusal_of_sheet(sheet + "nonsense\n"), HasSubstr("\nand 1 more line that cannot"));
  EXPECT_THAT(refusal_of_sheet(sheet + sheet),
              testing::AllOf(Not(HasSubstr(":6: ")), HasSubstr("\nand 5 more lines that cannot"),
                             HasSubstr("\n'./sgemm_runner reset copy_stride' gives")));
}

// ---- Predictions.

TEST(Predicted, AreRightOrWrongByTheFacts) {
  const LabQuestions questions = two_questions();
  const auto entries = workshop::read_sheet(questions, filled(questions, {"8", "50 %"}), FILE_NAME);
  const Predictions predictions = workshop::hold(questions, entries, facts({8, 2.0 / 3}));
  EXPECT_THAT(states_of(predictions), ElementsAre(Held::State::right, Held::State::wrong));
  EXPECT_EQ(predictions.right(), 1);
  EXPECT_THAT(predictions.right_variants(), IsEmpty());  // one of its two is wrong
  EXPECT_TRUE(predictions.is_solved());
  EXPECT_EQ(workshop::exit_code_of(predictions), runner::ExitCode::ok);

  const std::string text = workshop::rendered(predictions, PAGE);
  EXPECT_THAT(text, HasSubstr("counted by hand"));
  EXPECT_TRUE(std::regex_search(text, std::regex("✓ 2  load sectors per request of in +8  8\n")));
  EXPECT_TRUE(
      std::regex_search(text, std::regex("✗ 2  bytes used / bytes fetched +50 %  66.67 %\n")));
  EXPECT_THAT(text, HasSubstr("1 of 2 predictions were right"));
  EXPECT_THAT(text, HasSubstr("Draw the 32 addresses"));
  EXPECT_THAT(text, HasSubstr("./sgemm_runner show copy_stride/2\n"));
  EXPECT_THAT(text, HasSubstr("A request uses 128 bytes at every stride"));
}

TEST(Predicted, TickAVariantWhereAllIsRight) {
  const LabQuestions questions = two_questions();
  const auto entries =
      workshop::read_sheet(questions, filled(questions, {"8", "66.7 %"}), FILE_NAME);
  const Predictions predictions = workshop::hold(questions, entries, facts({8, 2.0 / 3}));
  EXPECT_THAT(predictions.right_variants(), ElementsAre("2"));
  EXPECT_THAT(workshop::rendered(predictions, PAGE),
              HasSubstr("2 of 2 predictions were right; complete: 2."));
}

TEST(Predicted, NamesAKnownMisunderstandingTheFirstOne) {
  const LabQuestions questions = two_questions(R"(# Wrong
## The stride was not paid for
Known by: load_sectors_per_request of in in 2 is 4

It is paid for.

## Too many
Known by: load_sectors_per_request of in in 2 above 8

There are not so many.

## Too few
Known by: load_sectors_per_request of in in 2 below 8

There are more.
)");
  const auto told = [&](const std::string& prediction) {
    const auto entries =
        workshop::read_sheet(questions, filled(questions, {prediction, "1/2"}), FILE_NAME);
    return workshop::hold(questions, entries, facts({8, 0.5})).held.front().misunderstanding;
  };
  EXPECT_EQ(told("4"), "The stride was not paid for");
  EXPECT_EQ(told("3"), "Too few");
  EXPECT_EQ(told("9"), "Too many");
  EXPECT_EQ(told("8"), "");
  const auto entries = workshop::read_sheet(questions, filled(questions, {"4", "1/2"}), FILE_NAME);
  EXPECT_THAT(workshop::rendered(workshop::hold(questions, entries, facts({8, 0.5})), PAGE),
              testing::AllOf(HasSubstr("2, load sectors per request of in: 4\n"),
                             HasSubstr("  The stride was not paid for\n    It is paid for.\n"),
                             HasSubstr("show copy_stride/2 --picture --buffer in\n")));
}

TEST(Predicted, RevealNothingBeforeAllAreMade) {
  const LabQuestions questions = two_questions();
  const Predictions predictions =
      workshop::check_predictions(questions, filled(questions, {"8"}), FILE_NAME);
  EXPECT_FALSE(predictions.is_solved());
  EXPECT_EQ(workshop::exit_code_of(predictions), runner::ExitCode::wrong);
  EXPECT_EQ(predictions.source, "");
  EXPECT_EQ(predictions.answer, "");
  const std::string text = workshop::rendered(predictions, PAGE);
  EXPECT_THAT(text, HasSubstr("1 of 2 predictions in mine/copy_stride.txt are open"));
  EXPECT_TRUE(std::regex_search(text, std::regex("line [0-9]+: 2  bytes_used_over_fetched\n")));
  EXPECT_THAT(text, Not(HasSubstr("66.67")));
  EXPECT_THAT(workshop::rendered(workshop::check_predictions(questions, "", FILE_NAME), PAGE),
              HasSubstr("its line is gone, add it: 2  bytes_used_over_fetched  ?"));
}

TEST(Predicted, AreHeldAgainstWhatRunsWhenAllAreMade) {
  const LabQuestions questions = two_questions();
  const Predictions predictions =
      workshop::check_predictions(questions, filled(questions, {"8", "2/3"}), FILE_NAME);
  if (runner::machine::KIND == results::Machine::cuda) {
    EXPECT_THAT(predictions.source, HasSubstr("as the lab promises"));
    EXPECT_THAT(states_of(predictions), ElementsAre(Held::State::right, Held::State::untold));
    return;
  }
  EXPECT_EQ(predictions.source, "counted on the simulated GPU at elements 16384");
  EXPECT_EQ(predictions.right(), 2);
}

// A machine that does not count knows only the promise, which may be a bound.
TEST(Predicted, KeepWithinAPromisedBound) {
  const LabQuestions questions = two_questions();
  const auto entries = workshop::read_sheet(questions, filled(questions, {"32", "1/2"}), FILE_NAME);
  const Facts bounds{.of = {{.figure = 31, .relation = device::Relation::at_least},
                            {.figure = 0.4, .relation = device::Relation::at_most}},
                     .source = "promised"};
  const Predictions predictions = workshop::hold(questions, entries, bounds);
  EXPECT_THAT(states_of(predictions), ElementsAre(Held::State::right, Held::State::wrong));
  EXPECT_THAT(workshop::rendered(predictions, PAGE), HasSubstr("at least 31"));
}

// ---- A riddle.

TEST(Riddle, AsksForTheIdeaOfEachLetter) {
  const LabQuestions questions = questions_of("mystery");
  ASSERT_EQ(questions.all().size(), lab_named("mystery").variants.size());
  const std::string sheet = workshop::new_sheet(questions);
  std::vector<std::string> right;
  for (const lab::Variant& variant : lab_named("mystery").variants) {
    EXPECT_THAT(sheet, HasSubstr(variant.idea));
    const auto idea = std::ranges::find(questions.ideas, variant.idea);
    right.push_back(fmt::format("{}", idea - questions.ideas.begin() + 1));
  }
  EXPECT_TRUE(std::ranges::is_sorted(questions.ideas));
  EXPECT_NE(right, (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));

  const Predictions predictions =
      workshop::check_predictions(questions, filled(questions, right), FILE_NAME);
  EXPECT_EQ(predictions.right(), 6);
  EXPECT_THAT(workshop::rendered(predictions, PAGE),
              HasSubstr("6 of 6 predictions were right; complete: a, b, c, d, e, f."));

  std::swap(right[0], right[1]);
  const Predictions swapped =
      workshop::check_predictions(questions, filled(questions, right), FILE_NAME);
  EXPECT_EQ(swapped.right(), 4);
  EXPECT_THAT(workshop::rendered(swapped, PAGE), HasSubstr("show mystery/a --reveal"));
}

TEST(Riddle, TakesNoNumberBeyondItsIdeas) {
  const LabQuestions questions = questions_of("mystery");
  for (const char* none : {"0", "7", "1.5", "backwards"}) {
    EXPECT_THROW(workshop::read_sheet(questions, filled(questions, {none}), FILE_NAME),
                 runner::Error)
        << none;
  }
}

// ---- Malformed texts.

TEST(LabTexts, ThatAskForWhatIsNotThereAreRefused) {
  const std::string head = "# Predict\n## How many?\n";
  EXPECT_EQ(refusal_of_texts(head + "- load_sectors_per_request of in in 8\n", ""), "taken");
  EXPECT_EQ(refusal_of_texts(head + "- load_sectors_per_request of in in 9\n", ""),
            "texts.md:2: copy_stride has no variant '9'");
  EXPECT_EQ(refusal_of_texts(head + "- sectors of in in 8\n", ""),
            "texts.md:2: there is no counter 'sectors'");
  EXPECT_EQ(refusal_of_texts(head + "- load_sectors_per_request of table in 8\n", ""),
            "texts.md:2: copy_stride has no array 'table'");
  EXPECT_THAT(refusal_of_texts(head + "- bytes_used_over_fetched of in in 8\n", ""),
              HasSubstr("is counted of the whole launch"));
  EXPECT_THAT(refusal_of_texts(head + "- idea in 8\n", ""), HasSubstr("is no riddle"));
  EXPECT_THAT(refusal_of_texts(head + "- load_sectors_per_request 8\n", ""),
              HasSubstr("is not COUNTER of BUFFER in VARIANT"));
  EXPECT_THAT(refusal_of_texts(head + "No list.\n", ""), HasSubstr("asks for nothing"));
  EXPECT_THAT(refusal_of_texts("# Predict\n", ""), HasSubstr("there is no question"));
  EXPECT_THAT(refusal_of_texts(head + "- bytes_used_over_fetched in 8\n"
                                      "- bytes_used_over_fetched in 8\n",
                               ""),
              HasSubstr("is asked twice"));
  EXPECT_THAT(
      refusal_of_texts(head + "- load_sectors_per_request of in in float4+1\n", "", "copy_offset"),
      HasSubstr("does not run: a float4"));
}

TEST(LabTexts, ThatKnowWhatIsNotAskedAreRefused) {
  const std::string questions = "# Predict\n## How many?\n- load_sectors_per_request of in in 8\n";
  const std::string known = "# Wrong\n## Why\nKnown by: load_sectors_per_request of in in 8 ";
  EXPECT_EQ(refusal_of_texts(questions, known + "is 4\n\nSo.\n"), "taken");
  EXPECT_THAT(refusal_of_texts(questions, known + "is four\n\nSo.\n"),
              HasSubstr("texts.md:2: a learner cannot write 'four' as a prediction"));
  EXPECT_THAT(refusal_of_texts(questions, known + "\n\nSo.\n"), HasSubstr("is not COUNTER"));
  EXPECT_THAT(refusal_of_texts(questions, known + "is 4\n"), HasSubstr("explains nothing"));
  EXPECT_THAT(refusal_of_texts(questions,
                               "# Wrong\n## Why\nKnown by: load_sectors_per_request of "
                               "in in 2 is 4\n\nSo.\n"),
              HasSubstr("is not asked"));
}

TEST(LabTexts, WhoseMisunderstandingIsRightOrHiddenAreComplainedOf) {
  const LabQuestions questions = two_questions(R"(# Wrong
## Many
Known by: load_sectors_per_request of in in 2 above 4

So.

## Hidden
Known by: load_sectors_per_request of in in 2 is 6

So.
)");
  EXPECT_THAT(workshop::complaints_about(questions, facts({4, 0.5})),
              ElementsAre("texts.md:7: 'Hidden' is taken for 'Many'"));
  EXPECT_THAT(workshop::complaints_about(questions, facts({8, 0.5})),
              ElementsAre("texts.md:2: 'Many' is known by what is right",
                          "texts.md:7: 'Hidden' is taken for 'Many'"));
  Facts unknown = facts({4, 0.5});
  unknown.of[1].figure.reset();
  EXPECT_THAT(workshop::complaints_about(questions, unknown),
              testing::Contains(HasSubstr("neither counted nor promised")));
}

// There are no questions, and the sheet is empty. That solves nothing.
TEST(Prediction, NoneAtAllSolvesNothing) {
  EXPECT_FALSE(Predictions{}.is_solved());
  LabQuestions none = two_questions();
  none.groups.clear();
  EXPECT_FALSE(workshop::check_predictions(none, "", FILE_NAME).is_solved());
  EXPECT_EQ(workshop::exit_code_of(Predictions{}), runner::ExitCode::wrong);
}

}  // namespace

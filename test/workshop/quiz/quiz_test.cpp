// The quiz. The tests work each template's answer out a second time, from the question's text alone, so the text has
// all numbers that are needed. This second way counts by hand, byte for byte, and does not use the program's rules.
#include "workshop/quiz/quiz.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/error.hpp"
#include "workshop/commands/workshop.hpp"
#include "workshop/course/exercise.hpp"

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using workshop::QuizQuestion;
using workshop::QuizScore;

constexpr int SEEDS = 200;

// ---- The second way. Patterns read numbers from a text, one for each group.

std::vector<std::string> groups_in(const std::string& text, const std::string& pattern) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern))) return {};
  return {match.begin() + 1, match.end()};
}

std::vector<int> numbers_in(const std::string& text, const std::string& pattern) {
  std::vector<int> numbers;
  for (const std::string& group : groups_in(text, pattern)) {
    numbers.push_back(group.empty() ? 0 : std::stoi(group));
  }
  if (numbers.empty()) throw std::runtime_error("'" + text + "' does not say " + pattern);
  return numbers;
}

// An index expression of a question: sums, products, quotients and remainders of names and numbers.
class Expression {
 public:
  Expression(std::string text, std::map<std::string, int> values)
      : text_(std::move(text)), values_(std::move(values)) {}

  int value() {
    at_ = 0;
    const int result = sum();
    if (at_ != text_.size()) throw std::runtime_error("'" + text_ + "' cannot be read");
    return result;
  }

 private:
  int sum() {
    int result = product();
    while (takes('+')) result += product();
    return result;
  }
  int product() {
    int result = factor();
    while (true) {
      if (takes('*')) {
        result *= factor();
      } else if (takes('/')) {
        result /= factor();
      } else if (takes('%')) {
        result %= factor();
      } else {
        return result;
      }
    }
  }
  int factor() {
    if (takes('(')) {
      const int result = sum();
      takes(')');
      return result;
    }
    std::string word;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '.')) {
      word += text_[at_++];
    }
    skip_spaces();
    return values_.contains(word) ? values_.at(word) : std::stoi(word);
  }
  bool takes(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string text_;
  std::map<std::string, int> values_;
  size_t at_ = 0;
};

// Returns the number of pieces of `piece` bytes that the lanes' accesses touch, byte for byte.
int pieces(const std::vector<int>& first_bytes, int width, int piece) {
  std::set<int> touched;
  for (const int first : first_bytes) {
    for (int byte = first; byte < first + width; ++byte) touched.insert(byte / piece);
  }
  return static_cast<int>(touched.size());
}

int bytes_of(const std::string& type) {
  const std::map<std::string, int> BYTES{{"char", 1},   {"short", 2},  {"int", 4},    {"float", 4},
                                         {"double", 8}, {"float2", 8}, {"float4", 16}};
  return BYTES.at(type);
}

// Reads "TYPE* x ... reads x[EXPRESSION]", for the lanes that take part.
struct Read {
  int width = 0;
  std::vector<int> bytes{};
};
Read read_in(const std::string& text) {
  EXPECT_THAT(text, HasSubstr("begins at a multiple of 256 bytes"));
  EXPECT_THAT(text, HasSubstr("t = 0 to 31"));
  const auto words = groups_in(text, R"((\w+)\* x .* reads x\[([^\]]+)\])");
  const auto limit = groups_in(text, R"(only if t < (\d+))");
  Read read{.width = bytes_of(words.at(0))};
  for (int t = 0; t < (limit.empty() ? 32 : std::stoi(limit[0])); ++t) {
    read.bytes.push_back(read.width * Expression(words.at(1), {{"t", t}}).value());
  }
  return read;
}

double sectors(const std::string& text) {
  EXPECT_THAT(text, HasSubstr("sectors of 32 bytes"));
  const Read read = read_in(text);
  return pieces(read.bytes, read.width, 32);
}

double lines(const std::string& text) {
  EXPECT_THAT(text, HasSubstr("lines of 128 bytes"));
  const Read read = read_in(text);
  return pieces(read.bytes, read.width, 128);
}

double fetched(const std::string& text) {
  const Read read = read_in(text);
  return 32 * pieces(read.bytes, read.width, 32);
}

double percent_used(const std::string& text) {
  const Read read = read_in(text);
  return 100.0 * pieces(read.bytes, read.width, 1) / (32 * pieces(read.bytes, read.width, 32));
}

double sectors_of_row(const std::string& text) {
  const auto n = numbers_in(
      text,
      R"((\d+) floats in a row without a gap; it begins at a multiple of 256 bytes.*A\[(\d+)\]\[t\])");
  std::vector<int> bytes;
  for (int t = 0; t < 32; ++t) bytes.push_back(4 * (n[1] * n[0] + t));
  return pieces(bytes, 4, 32);
}

// Returns the threads of a block in the order of their numbers: x first.
std::vector<std::array<int, 2>> threads_in(const std::string& text) {
  const auto block = numbers_in(text, R"(block has (\d+) x (\d+) threads \(x first\))");
  std::vector<std::array<int, 2>> threads;
  for (int y = 0; y < block[1]; ++y) {
    for (int x = 0; x < block[0]; ++x) threads.push_back({x, y});
  }
  return threads;
}

double sectors_of_first_warp(const std::string& text) {
  EXPECT_THAT(text, AllOf(HasSubstr("multiple of 256 bytes"), HasSubstr("first warp")));
  const auto index = groups_in(text, R"(reads x\[([^\]]+)\])").at(0);
  const auto threads = threads_in(text);
  std::vector<int> bytes;
  for (int lane = 0; lane < 32; ++lane) {
    const auto [x, y] = threads.at(static_cast<size_t>(lane));
    bytes.push_back(4 * Expression(index, {{"threadIdx.x", x}, {"threadIdx.y", y}}).value());
  }
  return pieces(bytes, 4, 32);
}

int number_of_thread(const std::string& text) {
  const auto thread = numbers_in(text, R"(threadIdx\.x = (\d+) and threadIdx\.y = (\d+))");
  const auto threads = threads_in(text);
  return static_cast<int>(std::ranges::find(threads, std::array{thread[0], thread[1]}) -
                          threads.begin());
}

double rows_of_warp(const std::string& text) {
  const int warp = numbers_in(text, R"(warp number (\d+)\?)")[0];
  const auto threads = threads_in(text);
  std::set<int> rows;
  for (int lane = 0; lane < 32; ++lane)
    rows.insert(threads.at(static_cast<size_t>(32 * warp + lane))[1]);
  return static_cast<double>(rows.size());
}

std::string what_moves(const std::string& text) {
  const auto index = groups_in(text, R"(reads A\[([^\]]+)\]\[([^\]]+)\])");
  const auto threads = threads_in(text);
  const auto values = [&](const std::string& expression) {
    std::set<int> seen;
    for (int lane = 0; lane < 32; ++lane) {
      const auto [x, y] = threads.at(static_cast<size_t>(lane));
      seen.insert(
          Expression(expression, {{"threadIdx.x", x}, {"threadIdx.y", y}, {"k", 7}}).value());
    }
    return seen.size();
  };
  const bool row = values(index.at(0)) > 1, col = values(index.at(1)) > 1;
  EXPECT_FALSE(row && col) << text;
  return row ? "row" : col ? "column" : "neither";
}

// Counts the passes: in each, a bank hands one word to all lanes that want it.
int passes(const std::vector<std::vector<int>>& words_of_lanes) {
  std::map<int, std::set<int>> wanted;  // the words for each bank
  for (const auto& words : words_of_lanes) {
    for (const int word : words) wanted[word % 32].insert(word);
  }
  size_t most = 0;
  for (const auto& [bank, words] : wanted) most = std::max(most, words.size());
  return static_cast<int>(most);
}

double passes_of_floats(const std::string& text, const std::string& pattern) {
  EXPECT_THAT(text, AllOf(HasSubstr("begins in bank 0"), HasSubstr("32 banks, 4 bytes wide")));
  const auto words = groups_in(text, pattern);
  std::vector<std::vector<int>> lanes;
  for (int t = 0; t < 32; ++t) {
    const int row = Expression(words.at(words.size() == 1 ? 0 : 1), {{"t", t}}).value();
    lanes.push_back({words.size() == 1 ? row : row * std::stoi(words[0]) + std::stoi(words[2])});
  }
  return passes(lanes);
}

// Counts the passes by the rule in the question's text.
double passes_of_float4(const std::string& text) {
  EXPECT_THAT(text, AllOf(HasSubstr("quarters of 8 lanes"), HasSubstr("lanes 2i and 2i + 1")));
  const auto index = groups_in(text, R"(reads v\[([^\]]+)\])").at(0);
  const auto vector_of = [&](int t) { return Expression(index, {{"t", t}}).value(); };
  const auto words_of = [&](int first, int lanes) {
    std::vector<std::vector<int>> words;
    for (int t = first; t < first + lanes; ++t) {
      const int v = 4 * vector_of(t);
      words.push_back({v, v + 1, v + 2, v + 3});
    }
    return words;
  };
  int all = 0;
  for (const int half : {0, 16}) {
    bool pairs = true;
    for (int t = half; t < half + 16; t += 2) pairs &= vector_of(t) == vector_of(t + 1);
    all += pairs ? passes(words_of(half, 16))
                 : passes(words_of(half, 8)) + passes(words_of(half + 8, 8));
  }
  return all;
}

std::string may_be_read(const std::string& text) {
  const auto n =
      numbers_in(text, R"((\d+) floats in a row without a gap.* 256 bytes.*A\[(\d+)\]\[(\d+)\])");
  return (n[1] * n[0] + n[2]) * 4 % 16 == 0 ? "yes" : "no";
}

double requests(const std::string& text) {
  const int floats = numbers_in(text, R"(array of (\d+) floats)")[0];
  const int bytes = bytes_of(groups_in(text, R"(accesses of type (\w+) )").at(0));
  int count = 0;
  for (int read = 0; read < 4 * floats; read += 32 * bytes) ++count;
  return count;
}

double blocks(const std::string& text) {
  const auto n = numbers_in(
      text, R"(C has (\d+) rows and (\d+) columns.*tile of (\d+) rows and (\d+) columns)");
  int count = 0;
  for (int row = 0; row < n[0]; row += n[2]) {
    for (int col = 0; col < n[1]; col += n[3]) ++count;
  }
  return count;
}

double warps(const std::string& text) {
  const auto n = numbers_in(text, R"(tile of (\d+) x (\d+) elements.*piece of (\d+) x (\d+)\.)");
  int threads = 0;
  for (int row = 0; row < n[0]; row += n[2]) {
    for (int col = 0; col < n[1]; col += n[3]) ++threads;
  }
  EXPECT_LE(threads, 1024);
  EXPECT_EQ(threads % 32, 0);
  return threads / 32;
}

double flop_per_byte(const std::string& text) {
  const auto n = numbers_in(
      text, R"((\d+) x (\d+) floats of A and (\d+) x (\d+) floats of B.* a (\d+) x (\d+) tile)");
  EXPECT_EQ(n[0], n[4]);
  EXPECT_EQ(n[3], n[5]);
  double flop = 0;
  for (int row = 0; row < n[4]; ++row) flop += 2.0 * n[5] * n[1];
  return flop / (4.0 * (n[0] * n[1] + n[2] * n[3]));
}

double reads_of_element(const std::string& text) {
  const auto n = numbers_in(
      text, R"(C = A \* B has (\d+) rows and (\d+) columns.*tile of (\d+) rows and (\d+) columns)");
  const std::string matrix = groups_in(text, R"(each element of (\w) read)").at(0);
  // Every tile in an element's row of C needs that element of A; every tile in its column, that element of B.
  int count = 0;
  const int size = matrix == "A" ? n[1] : n[0], tile = matrix == "A" ? n[3] : n[2];
  for (int at = 0; at < size; at += tile) ++count;
  return count;
}

// Each template's second way returns the answer in the question's form.
std::string as_number(double value) { return fmt::format("{:.4g}", value); }
const std::map<std::string, std::function<std::string(const std::string&)>> SECOND_WAY{
    {"stride", [](const auto& text) { return as_number(sectors(text)); }},
    {"lines", [](const auto& text) { return as_number(lines(text)); }},
    {"offset", [](const auto& text) { return as_number(sectors(text)); }},
    {"fetched", [](const auto& text) { return as_number(fetched(text)); }},
    {"used", [](const auto& text) { return as_number(percent_used(text)); }},
    {"element", [](const auto& text) { return as_number(sectors(text)); }},
    {"element_stride", [](const auto& text) { return as_number(sectors(text)); }},
    {"quotient", [](const auto& text) { return as_number(sectors(text)); }},
    {"first_lanes", [](const auto& text) { return as_number(sectors(text)); }},
    {"row_of_matrix", [](const auto& text) { return as_number(sectors_of_row(text)); }},
    {"block_along_rows", [](const auto& text) { return as_number(sectors_of_first_warp(text)); }},
    {"block_down_columns", [](const auto& text) { return as_number(sectors_of_first_warp(text)); }},
    {"warp_of_thread", [](const auto& text) { return as_number(number_of_thread(text) / 32); }},
    {"lane_of_thread", [](const auto& text) { return as_number(number_of_thread(text) % 32); }},
    {"rows_of_warp", [](const auto& text) { return as_number(rows_of_warp(text)); }},
    {"moves", what_moves},
    {"bank_stride",
     [](const auto& text) { return as_number(passes_of_floats(text, R"(reads s\[([^\]]+)\])")); }},
    {"bank_column",
     [](const auto& text) {
       return as_number(
           passes_of_floats(text, R"(tile\[32\]\[(\d+)\].*reads tile\[(t)\]\[(\d+)\])"));
     }},
    {"bank_float4", [](const auto& text) { return as_number(passes_of_float4(text)); }},
    {"aligned", may_be_read},
    {"requests", [](const auto& text) { return as_number(requests(text)); }},
    {"blocks", [](const auto& text) { return as_number(blocks(text)); }},
    {"warps_of_tile", [](const auto& text) { return as_number(warps(text)); }},
    {"flop_per_byte", [](const auto& text) { return as_number(flop_per_byte(text)); }},
    {"reads_of_element", [](const auto& text) { return as_number(reads_of_element(text)); }},
};

class QuizTemplate : public testing::TestWithParam<std::string> {};

TEST_P(QuizTemplate, IsAnsweredAsTheSecondWayDoes) {
  ASSERT_TRUE(SECOND_WAY.contains(GetParam()));
  std::set<std::string> texts, answers;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    const QuizQuestion question = workshop::quiz_question(GetParam(), seed);
    ASSERT_EQ(question.answer, SECOND_WAY.at(GetParam())(question.text)) << question.text;
    texts.insert(question.text);
    answers.insert(question.answer);
  }
  EXPECT_GE(texts.size(), 7) << "the numbers are hardly ever fresh";
  EXPECT_GE(answers.size(), 2) << "one answer is always right";
}

TEST_P(QuizTemplate, TakesItsAnswerAndExplainsIt) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    const QuizQuestion question = workshop::quiz_question(GetParam(), seed);
    EXPECT_EQ(workshop::is_right(question, question.answer), true) << question.text;
    if (question.choices.empty()) {
      EXPECT_EQ(workshop::is_right(question, "1" + question.answer), false) << question.text;
    } else {
      EXPECT_THAT(question.choices, testing::Contains(question.answer));
    }
    EXPECT_GT(question.why.size(), 20);
    // If the explanation works the answer out, it must agree.
    const auto worked_out =
        groups_in(question.why, R"((?:= |one \w+: )(\d+)(?:, without remainders)?\.$)");
    if (!worked_out.empty()) {
      EXPECT_EQ(worked_out[0], question.answer) << question.why;
    }
    EXPECT_EQ(question.of, GetParam());
  }
}

TEST_P(QuizTemplate, NamesAnExerciseThatThereIs) {
  const QuizQuestion question = workshop::quiz_question(GetParam(), 1);
  EXPECT_NO_THROW(workshop::find_exercise(question.exercise)) << question.exercise;
}

INSTANTIATE_TEST_SUITE_P(All, QuizTemplate,
                         testing::ValuesIn(workshop::quiz_templates(workshop::quiz_exercises())),
                         [](const auto& named) { return named.param; });

// ---- A quiz.

TEST(Quiz, HasAtLeastTwelveTemplates) {
  EXPECT_GE(workshop::quiz_templates(workshop::quiz_exercises()).size(), 12);
  EXPECT_EQ(workshop::quiz_templates(workshop::quiz_exercises()).size(), SECOND_WAY.size());
}

TEST(Quiz, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto texts = [](uint64_t seed) {
    std::vector<std::string> all;
    for (const QuizQuestion& question :
         workshop::quiz_questions(30, seed, workshop::quiz_exercises())) {
      all.push_back(question.text);
    }
    return all;
  };
  EXPECT_EQ(texts(1), texts(1));
  EXPECT_NE(texts(1), texts(2));
  // A class must get the same questions on another machine, too.
  EXPECT_EQ(workshop::quiz_question("stride", 1).text.substr(0, 50),
            "float* x begins at a multiple of 256 bytes. Lane t");
}

TEST(Quiz, AsksEveryTemplateBeforeOneAgainAndNothingTwice) {
  const size_t templates = workshop::quiz_templates(workshop::quiz_exercises()).size();
  const auto questions =
      workshop::quiz_questions(workshop::MOST_QUIZ_QUESTIONS, 7, workshop::quiz_exercises());
  ASSERT_EQ(questions.size(), workshop::MOST_QUIZ_QUESTIONS);
  std::set<std::string> first_round, texts;
  for (size_t i = 0; i < templates; ++i) first_round.insert(questions[i].of);
  EXPECT_EQ(first_round.size(), templates);
  for (const QuizQuestion& question : questions) texts.insert(question.text);
  EXPECT_EQ(texts.size(), questions.size());
}

TEST(Quiz, AsksOnlyAboutTheExercisesThatItIsGiven) {
  const std::vector<const workshop::Exercise*> two = {&workshop::find_exercise("banks"),
                                                      &workshop::find_exercise("2")};
  EXPECT_THAT(workshop::quiz_templates(two), ElementsAre("bank_stride", "bank_float4", "blocks"));
  for (const QuizQuestion& question : workshop::quiz_questions(12, 3, two)) {
    EXPECT_THAT(question.exercise, testing::AnyOf("banks", "coalesced")) << question.text;
  }
}

// The test ends: a quiz asks no more questions than its numbers allow.
TEST(Quiz, AsksFewerQuestionsAboutAnExerciseWithFewNumbers) {
  size_t fewest = workshop::MOST_QUIZ_QUESTIONS;
  for (const workshop::Exercise* const one : workshop::quiz_exercises()) {
    const auto questions = workshop::quiz_questions(workshop::MOST_QUIZ_QUESTIONS, 7, {one});
    EXPECT_GE(questions.size(), 3) << one->name;
    fewest = std::min(fewest, questions.size());
  }
  EXPECT_LT(fewest, workshop::MOST_QUIZ_QUESTIONS);
}

// ---- Answers.

TEST(Answer, IsANumberHoweverItIsWritten) {
  const QuizQuestion eight{.answer = "8"};
  for (const char* right : {"8", " 8 ", "8.0", "8 sectors", "8sectors", "16/2", "8."}) {
    EXPECT_EQ(workshop::is_right(eight, right), true) << right;
  }
  for (const char* wrong : {"7", "9", "8.05", "80", "8/2", "-8"}) {
    EXPECT_EQ(workshop::is_right(eight, wrong), false) << wrong;
  }
  for (const char* none : {"", "eight", "sectors 8", "?"}) {
    EXPECT_EQ(workshop::is_right(eight, none), std::nullopt) << none;
  }
}

TEST(Answer, ThatIsNotWholeNeedBeNearOnly) {
  const QuizQuestion third{.answer = "21.33"};
  for (const char* right : {"21.33", "64/3", "21.3", "21.4"}) {
    EXPECT_EQ(workshop::is_right(third, right), true) << right;
  }
  EXPECT_EQ(workshop::is_right(third, "21"), false);
  const QuizQuestion percent{.answer = "12.5"};
  EXPECT_EQ(workshop::is_right(percent, "12.5 %"), true);
  EXPECT_EQ(workshop::is_right(percent, "12.5%"), true);
}

TEST(Answer, IsTheBeginningOfOneChoice) {
  const QuizQuestion question{.choices = {"row", "column", "neither"}, .answer = "column"};
  EXPECT_EQ(workshop::is_right(question, "column"), true);
  EXPECT_EQ(workshop::is_right(question, "C"), true);
  EXPECT_EQ(workshop::is_right(question, "row"), false);
  EXPECT_EQ(workshop::is_right(question, "both"), std::nullopt);
  EXPECT_EQ(workshop::is_right(question, ""), std::nullopt);
  const QuizQuestion alike{.choices = {"one", "once"}, .answer = "one"};
  EXPECT_EQ(workshop::is_right(alike, "on"), std::nullopt);  // of two choices
}

// ---- Asking.

struct Asked {
  QuizScore score{};
  std::string said{};
};

Asked ask(const std::string& answers, int questions = 3, bool echo = true) {
  const std::vector<QuizQuestion> all{
      {.text = "Two and two?", .answer = "4", .why = "Count.", .exercise = "banks"},
      {.text = "A row?",
       .choices = {"yes", "no"},
       .answer = "no",
       .why = "Look.",
       .exercise = "gather"},
      {.text = "Three?", .answer = "3", .why = "It says so.", .exercise = "banks"}};
  std::istringstream input(answers);
  Asked asked;
  asked.score = workshop::ask({all.begin(), all.begin() + questions}, input,
                              [&](std::string_view text) { asked.said += text; }, echo, {});
  return asked;
}

TEST(Asking, JudgesEachAtOnceAndSaysWhy) {
  const Asked asked = ask("4\nyes\n3\n");
  EXPECT_EQ(asked.score.right, 2);
  EXPECT_EQ(asked.score.wrong, 1);
  EXPECT_THAT(asked.score.exercises_of_wrong, ElementsAre("gather"));
  EXPECT_THAT(asked.said, HasSubstr("1. Two and two?\n> 4\nRight. Count.\n"));
  EXPECT_THAT(asked.said, HasSubstr("2. A row? (yes, no)\n> yes\nNo, it is no. Look.\n"));
}

TEST(Asking, SkipsAtAnEmptyLineAndTellsTheAnswer) {
  const Asked asked = ask("\n\r\n 3\r\n");
  EXPECT_EQ(asked.score.skipped, 2);
  EXPECT_EQ(asked.score.right, 1);
  EXPECT_THAT(asked.said, HasSubstr("It is 4. Count.\n"));
}

TEST(Asking, EndsAtQOrTheEndOfTheInput) {
  for (const char* ending : {"4\nq\nno\n3\n", "4\nQuit\nno\n3\n", "4\n", "4"}) {
    const Asked asked = ask(ending);
    EXPECT_EQ(asked.score.right, 1) << ending;
    EXPECT_EQ(asked.score.wrong + asked.score.skipped, 0) << ending;
    EXPECT_THAT(asked.said, Not(HasSubstr("3. Three?"))) << ending;
  }
}

TEST(Asking, AsksAgainWhatItDoesNotUnderstand) {
  const Asked asked = ask("four\n4\nperhaps\nno\n3\n");
  EXPECT_EQ(asked.score.right, 3);
  EXPECT_EQ(asked.score.wrong, 0);
  EXPECT_THAT(asked.said, HasSubstr("> four\nA number, please"));
  EXPECT_THAT(asked.said, HasSubstr("> perhaps\nOne of yes, no, please"));
}

TEST(Asking, RepeatsAnswersOnlyWhereNoTerminalShowsThem) {
  EXPECT_THAT(ask("4\n", 1, false).said, HasSubstr("> Right."));
  EXPECT_THAT(ask("4\n", 1, true).said, HasSubstr("> 4\nRight."));
}

TEST(Asking, RefusesTooFewAndTooManyQuestions) {
  for (const int none : {0, -1, workshop::MOST_QUIZ_QUESTIONS + 1}) {
    workshop::QuizRequest request;
    request.questions = none;
    EXPECT_THROW(run(request), runner::Error) << none;
  }
}

}  // namespace

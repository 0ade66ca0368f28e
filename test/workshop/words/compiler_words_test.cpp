// Learners' slips, and the two compilers' messages on them, which `record` has put into test/data/slips.
#include "workshop/words/compiler_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "test/support/files.hpp"

namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using workshop::CompilerError;

const fs::path SLIPS = fs::path(SGEMM_SOURCE_DIR) / "test/data/slips";
constexpr const char* FILE_OF_SLIPS = "/home/you/tile.cu";
constexpr text::Page PLAIN{.width = 100};

std::string source_of(const std::string& slip) { return contents(SLIPS / (slip + ".source")); }

std::vector<CompilerError> errors_of(const std::string& slip, const std::string& compiler) {
  return workshop::compiler_errors(contents(SLIPS / (slip + "." + compiler)), FILE_OF_SLIPS,
                                   source_of(slip));
}

std::string words_of(const std::string& slip, const std::string& compiler,
                     const text::Page& page = PLAIN) {
  return workshop::compiler_words(contents(SLIPS / (slip + "." + compiler)), FILE_OF_SLIPS,
                                  source_of(slip), page);
}

struct Slip {
  const char *name, *compiler;
  size_t errors;
  CompilerError first;
};

const Slip RECORDED[] = {
    {"argument", "clang", 1, {36, 78, "too few arguments to function call, expected 2, have 1"}},
    {"argument", "nvcc", 1, {36, 78, "too few arguments in function call"}},
    {"brace",
     "clang",
     3,
     {33, 62,
      "function definition is not allowed here (a '}' seems to be missing somewhere above)"}},
    {"brace", "nvcc", 2, {33, 62, "expected a \";\" (a '}' seems to be missing somewhere above)"}},
    {"call",
     "clang",
     1,
     {24, 5, "use of undeclared identifier '__syncthread'; did you mean '__syncthreads'?"}},
    {"call",
     "nvcc",
     1,
     {24, 5, "identifier \"__syncthread\" is undefined; did you mean '__syncthreads'?"}},
    {"constant",
     "clang",
     1,
     {21, 5, "cannot assign to variable 'x' with const-qualified type 'const int'"}},
    {"constant", "nvcc", 1, {21, 3, "expression must be a modifiable lvalue"}},
    {"empty_launch", "clang", 1, {36, 17, "expected expression"}},
    {"empty_launch", "nvcc", 1, {36, 17, "too few arguments in function call"}},
    {"five", "clang", 5, {21, 3, "use of undeclared identifier 'name0'; did you mean 'name'?"}},
    {"five", "nvcc", 5, {21, 3, "identifier \"name0\" is undefined; did you mean 'name'?"}},
    {"float4", "clang", 1, {22, 5, "no member named 'r' in 'float4'"}},
    {"float4", "nvcc", 1, {22, 5, "class \"float4\" has no member \"r\""}},
    {"host_function",
     "clang",
     1,
     {18, 17,
      "no matching function for call to 'remainder_of': call to __host__ function from __global__ "
      "function"}},
    {"host_function",
     "nvcc",
     2,
     {18, 0,
      "calling a __host__ function(\"remainder_of(int)\") from a __global__ "
      "function(\"tile_kernel\") is not allowed"}},
    {"include", "clang", 1, {2, 10, "'kernels/lader.hpp' file not found"}},
    {"include", "nvcc", 1, {2, 10, "kernels/lader.hpp: No such file or directory"}},
    {"index", "clang", 1, {21, 15, "array subscript is not an integer"}},
    {"index", "nvcc", 1, {21, 16, "expression must have integral or unscoped enum type"}},
    {"instantiation", "clang", 2, {22, 23, "cannot form a reference to 'void'"}},
    {"instantiation", "nvcc", 2, {22, 0, "reference to void is not allowed"}},
    {"no_launch", "clang", 1, {36, 14, "call to global function 'tile_kernel' not configured"}},
    {"no_launch", "nvcc", 1, {36, 3, "a __global__ function call must be configured"}},
    {"overload", "clang", 1, {31, 8, "no matching function for call to 'min'"}},
    {"overload",
     "nvcc",
     1,
     {31, 8, "no instance of overloaded function \"min\" matches the argument list"}},
    {"parenthesis", "clang", 4, {24, 19, "expected expression"}},
    {"parenthesis", "nvcc", 3, {24, 19, "expected an expression"}},
    {"redefined", "clang", 1, {21, 9, "redefinition of 'sum'"}},
    {"redefined", "nvcc", 1, {21, 9, "\"sum\" has already been declared in the current scope"}},
    {"return", "clang", 1, {29, 33, "void function 'tile_kernel' should not return a value"}},
    {"return", "nvcc", 1, {29, 40, "return value type does not match the function type"}},
    {"semicolon", "clang", 1, {20, 19, "expected ';' at end of declaration"}},
    {"semicolon", "nvcc", 1, {21, 3, "expected a \";\""}},
    {"shared_size",
     "nvcc",
     1,
     {0, 0, "its __shared__ arrays take 266240 bytes, and a block may have 49152"}},
    {"static_assert",
     "clang",
     1,
     {9, 15,
      "static assertion failed due to requirement 'BM == BK': each thread stages one element of As "
      "and one of Bs (it is 32 == 16)"}},
    {"static_assert",
     "nvcc",
     1,
     {9, 1, "static assertion failed with \"each thread stages one element of As and one of Bs\""}},
    {"tabs", "clang", 1, {21, 9, "use of undeclared identifier 'wher'"}},
    {"tabs", "nvcc", 1, {21, 9, "identifier \"wher\" is undefined"}},
    {"template", "clang", 1, {24, 3, "no matching function for call to 'sort'"}},
    {"template",
     "nvcc",
     1,
     {24, 3, "no instance of overloaded function \"std::sort\" matches the argument list"}},
    {"type",
     "clang",
     7,
     {15, 16,
      "cannot initialize a variable of type 'const float *' with an rvalue of type 'unsigned "
      "int'"}},
    {"type",
     "nvcc",
     7,
     {15, 20,
      "a value of type \"unsigned int\" cannot be used to initialize an entity of type \"const "
      "float *\""}},
    {"undeclared", "clang", 1, {29, 7, "use of undeclared identifier 'rwo'; did you mean 'row'?"}},
    {"undeclared", "nvcc", 1, {29, 7, "identifier \"rwo\" is undefined; did you mean 'row'?"}},
};

TEST(CompilerWords, FindTheErrorsOfEverySlip) {
  for (const Slip& slip : RECORDED) {
    SCOPED_TRACE(testing::Message() << slip.name << "." << slip.compiler);
    const std::vector<CompilerError> errors = errors_of(slip.name, slip.compiler);
    EXPECT_THAT(errors, SizeIs(slip.errors));
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors.front().line, slip.first.line);
    EXPECT_EQ(errors.front().col, slip.first.col);
    EXPECT_EQ(errors.front().message, slip.first.message);
  }
}

TEST(CompilerWords, AreTestedForEverySlipThatIsRecorded) {
  std::set<std::string> tested;
  for (const Slip& slip : RECORDED) {
    tested.insert(std::string(slip.name) + "." + slip.compiler);
  }
  for (const auto& entry : fs::directory_iterator(SLIPS)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".clang" && extension != ".nvcc") continue;
    EXPECT_TRUE(tested.contains(entry.path().filename().string())) << entry.path();
  }
}

TEST(CompilerWords, ShowTheLineAndThePlace) {
  EXPECT_EQ(words_of("undeclared", "clang"),
            "line 29: use of undeclared identifier 'rwo'; did you mean 'row'?\n"
            "    if (rwo >= p.M || col >= p.N) return;\n"
            "        ^\n");
  EXPECT_EQ(words_of("undeclared", "nvcc"),
            "line 29: identifier \"rwo\" is undefined; did you mean 'row'?\n"
            "    if (rwo >= p.M || col >= p.N) return;\n"
            "        ^\n");
  // A line that begins with a tab, and a line without a known column.
  EXPECT_EQ(words_of("tabs", "clang"),
            "line 21: use of undeclared identifier 'wher'\n"
            "    sum += wher;\n"
            "           ^\n");
  EXPECT_EQ(words_of("instantiation", "nvcc"),
            "line 22: reference to void is not allowed\n"
            "    std::array<void, 4> v;\n"
            "line 22: array of void is not allowed\n"
            "    std::array<void, 4> v;\n");
}

TEST(CompilerWords, AreThreeErrorsAtMost) {
  for (const char* compiler : {"clang", "nvcc"}) {
    const std::string words = words_of("five", compiler);
    EXPECT_THAT(words, HasSubstr("name2"));
    EXPECT_THAT(words, Not(HasSubstr("name3")));
    EXPECT_THAT(words, testing::EndsWith("and 2 more errors; often the first has brought them "
                                         "about\n"));
  }
}

TEST(CompilerWords, SpareTheLearnerWhatLibrariesLookLikeInside) {
  for (const char* slip : {"overload", "template", "instantiation"}) {
    for (const char* compiler : {"clang", "nvcc"}) {
      const std::string words = words_of(slip, compiler);
      EXPECT_THAT(words, Not(HasSubstr("/usr/")));
      EXPECT_LE(std::ranges::count(words, '\n'), 6) << words;
    }
  }
}

TEST(CompilerWords, ShowOfALongLineThePartThatMatters) {
  const std::string words = words_of("brace", "clang", {.width = 60});
  for (const std::string& line : lines_of(words)) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_THAT(words, HasSubstr(".launch = launch_tile"));
}

// Both halves of a program are compiled separately.
TEST(CompilerWords, SayOnceWhatIsTrueOfBothHalves) {
  const std::string once =
      "mine.cu:2:7: error: expected ';' after expression\n    2 | x = 3\n      |       ^\n";
  EXPECT_THAT(workshop::compiler_errors(once + "1 error generated when compiling for sm_90a.\n" +
                                            once + "1 error generated when compiling for host.\n",
                                        "mine.cu", "int x;\nx = 3\n"),
              SizeIs(1));
}

// The simulated GPU's compiler adds an error of its own, which has no column.
TEST(CompilerWords, KnowALineWithoutAColumn) {
  EXPECT_EQ(workshop::compiler_words(
                "/home/you/mine.cu:2: error: infinite recursion, or a loop that does "
                "nothing for ever\n",
                "/home/you/mine.cu", "int x;\n  while (true) {}\n", PLAIN),
            "line 2: infinite recursion, or a loop that does nothing for ever\n"
            "    while (true) {}\n");
}

TEST(CompilerWords, DoNotTakeAWarningForAnError) {
  EXPECT_THAT(workshop::compiler_errors("mine.cu:2:7: warning: unused variable 'x'\n"
                                        "mine.cu(3): warning #177-D: variable \"x\" was declared\n",
                                        "mine.cu", ""),
              IsEmpty());
}

TEST(CompilerWords, ComeThroughWhereTheyAreNotUnderstood) {
  EXPECT_EQ(workshop::compiler_words("cc1plus: out of luck\n", "mine.cu", "", PLAIN),
            "cc1plus: out of luck\n");
  EXPECT_EQ(workshop::compiler_words("", "mine.cu", "", PLAIN),
            "the compiler says nothing of why\n");
  EXPECT_THAT(
      workshop::compiler_words(
          "/usr/bin/ld: mine.o: in function `f':\nmine.cu:3: undefined reference to `g()'\n",
          "mine.cu", "", PLAIN),
      HasSubstr("undefined reference to `g()'"));
}

// Names of templates can be as long as a book.
TEST(CompilerWords, SurviveALineWithoutEnd) {
  const std::string longest(1 << 20, 'x');
  const std::string words = workshop::compiler_words(
      "mine.cu:1:1: error: no type named '" + longest + "'\n" + longest + "\n", "mine.cu",
      longest + "\n", PLAIN);
  EXPECT_THAT(words, testing::StartsWith("line 1: no type named"));
  EXPECT_LT(words.size(), 1'000U);
}

}  // namespace

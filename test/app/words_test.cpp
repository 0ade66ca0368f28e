#include "app/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "app/error.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    return error.what();
  }
  return "nothing was refused";
}

float number(std::string_view text) { return runner::parse_float("--alpha", text); }
std::string refused_number(std::string_view text) {
  return refusal([&] { number(text); });
}

TEST(Float, IsTakenAsPeopleWriteIt) {
  EXPECT_EQ(number("0.5"), 0.5f);
  EXPECT_EQ(number("-1e-3"), -1e-3f);
  EXPECT_EQ(number("+2"), 2.0f);
  EXPECT_EQ(number(".5"), 0.5f);
  EXPECT_EQ(number("0.1"), 0.1f);
  EXPECT_EQ(number("0"), 0.0f);
}

TEST(Float, ReachesToTheEndsOfFp32) {
  EXPECT_EQ(number("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(number("3.40282347e+38"), std::numeric_limits<float>::max()) << "as C writes FLT_MAX";
  EXPECT_EQ(number("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_THAT(refused_number("3.5e38"),
              AllOf(HasSubstr("--alpha 3.5e38"), HasSubstr("3.4028235e38")));
  EXPECT_THAT(refused_number("-1e39"), HasSubstr("beyond FP32"));
  EXPECT_THAT(refused_number("1e-60"), HasSubstr("beyond FP32"));
}

TEST(Float, IsAWholeWordAndANumber) {
  for (const char* text :
       {"", " ", "x", "1x", "1 ", " 1", "1,5", "nan", "inf", "-inf", "0x10", "+-1", "--1", "1e"})
    EXPECT_THAT(refused_number(text), AllOf(HasSubstr("--alpha '"), HasSubstr("as in 0.5")))
        << text;
}

TEST(Integer, LiesWithinItsBounds) {
  const auto parse = [](std::string_view text) {
    return runner::parse_integer("--lda", text, 4, 10);
  };
  EXPECT_EQ(parse("4"), 4);
  EXPECT_EQ(parse("10"), 10);
  EXPECT_EQ(parse("+7"), 7);
  for (const char* text : {"3", "11", "-5", "99999999999999999999", "-99999999999999999999"}) {
    EXPECT_THAT(refusal([&] { parse(text); }),
                AllOf(HasSubstr(std::string("--lda ") + text), HasSubstr("from 4 to 10")))
        << text;
  }
  for (const char* text : {"", "x", "7x", "7.0", "1e1", " 7"})
    EXPECT_THAT(refusal([&] { parse(text); }), HasSubstr("write a whole number")) << text;
}

TEST(Natural, ReachesToTheLargest) {
  const auto parse = [](std::string_view text) { return runner::parse_natural("--seed", text); };
  EXPECT_EQ(parse("0"), 0u);
  EXPECT_EQ(parse("18446744073709551615"), UINT64_MAX);
  EXPECT_THAT(refusal([&] { parse("18446744073709551616"); }),
              HasSubstr("it is at most 18446744073709551615"));
  for (const char* text : {"", "-1", "1.5", "x"})
    EXPECT_THAT(refusal([&] { parse(text); }), HasSubstr("write a whole number from 0")) << text;
}

TEST(Seconds, AreAboveZero) {
  const auto parse = [](std::string_view text) { return runner::parse_seconds("--time", text); };
  EXPECT_EQ(parse("0.5"), 0.5);
  for (const char* text : {"", "0", "-1", "nan", "inf", "1s", "1e400"})
    EXPECT_THAT(refusal([&] { parse(text); }), HasSubstr("seconds above 0")) << text;
}

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(runner::printable("a\x1b[2Jb\rc\td\x7f"), "a[2Jbc d");
  EXPECT_EQ(runner::printable("one\ntwo"), "one\ntwo") << "a compiler's words have several lines";
  EXPECT_EQ(runner::printable("4096³ µs"), "4096³ µs");
  EXPECT_EQ(runner::printable("a\xC2\x9B"
                              "2J"),
            "a2J")
      << "CSI as one character of Unicode";
}

TEST(Printable, CutsLongWordsAndKeepsLongTexts) {
  const std::string word(100000, 'x');
  EXPECT_EQ(runner::printable("kernel " + word + " is not there"),
            "kernel " + std::string(60, 'x') + "... is not there");
  EXPECT_EQ(runner::printable(std::string(99, 'x')), std::string(99, 'x'));
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  EXPECT_EQ(runner::printable(text), text);
}

}  // namespace

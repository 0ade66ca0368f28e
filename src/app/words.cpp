#include "app/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/error.hpp"
#include "text/foreign.hpp"

namespace runner {
namespace {

constexpr size_t LONGEST_WORD = 100;
constexpr size_t SHOWN_OF_LONG_WORD = 60;

Error not_understood(const char* option, std::string_view text, const std::string& wanted) {
  return {ExitCode::usage,
          fmt::format("{} '{}' is not understood: write {}", option, text, wanted)};
}

// Reads the whole text as a number. Returns an error if a part of it is left.
template <typename T>
std::errc parse(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return error;
  return end == text.data() + text.size() ? std::errc{} : std::errc::invalid_argument;
}

}  // namespace

float parse_float(const char* option, std::string_view text) {
  float value = 0;
  const std::errc error = parse(text, value);
  if (error == std::errc::result_out_of_range) {
    throw Error(ExitCode::usage,
                fmt::format("{} {} is beyond FP32, whose numbers go from 1.4e-45 to 3.4028235e38",
                            option, text));
  }
  if (error != std::errc{} || !std::isfinite(value)) {
    throw not_understood(option, text, "a number, as in 0.5 or 1e-3");
  }
  return value;
}

int64_t parse_integer(const char* option, std::string_view text, int64_t least, int64_t most,
                      const std::string& reason) {
  int64_t value = 0;
  const std::errc error = parse(text, value);
  const bool is_number = error == std::errc{} || error == std::errc::result_out_of_range;
  if (!is_number) throw not_understood(option, text, "a whole number");
  if (error != std::errc{} || value < least || value > most) {
    throw Error(ExitCode::usage, fmt::format("{} {} does not fit: {}it must be from {} to {}",
                                             option, text, reason, least, most));
  }
  return value;
}

uint64_t parse_natural(const char* option, std::string_view text) {
  uint64_t value = 0;
  const std::errc error = parse(text, value);
  if (error == std::errc::result_out_of_range) {
    throw Error(ExitCode::usage, fmt::format("{} {} does not fit: it is at most {}", option, text,
                                             std::numeric_limits<uint64_t>::max()));
  }
  if (error != std::errc{}) throw not_understood(option, text, "a whole number from 0");
  return value;
}

double parse_seconds(const char* option, std::string_view text) {
  double value = 0;
  if (parse(text, value) != std::errc{} || !(value > 0) || !std::isfinite(value)) {
    throw not_understood(option, text, "a number of seconds above 0, as in 0.5");
  }
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string printable(std::string_view text) {
  std::string shown;
  size_t word = 0;  // length of the current word
  for (const char c : text::plain_lines(text)) {
    word = c == ' ' || c == '\n' ? 0 : word + 1;
    if (word == LONGEST_WORD) {
      shown.resize(shown.size() - (LONGEST_WORD - 1 - SHOWN_OF_LONG_WORD));
      shown += "...";
    }
    if (word >= LONGEST_WORD) continue;
    shown += c;
  }
  return shown;
}

}  // namespace runner

#include "text/page.hpp"

#include <algorithm>
#include <array>

namespace text {

int display_width(std::string_view text) {
  const auto starts_code_point = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return static_cast<int>(std::ranges::count_if(text, starts_code_point));
}

namespace {

std::string spaces_up_to(std::string_view text, int width) {
  return std::string(static_cast<size_t>(std::max(0, width - display_width(text))), ' ');
}

}  // namespace

std::string pad_left(std::string_view text, int width) {
  return spaces_up_to(text, width) + std::string(text);
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + spaces_up_to(text, width);
}

std::string shortened(std::string_view text, int width, std::string_view ellipsis) {
  if (display_width(text) <= width) return std::string(text);
  while (display_width(text) > std::max(0, width - 1)) text.remove_suffix(1);
  return std::string(text) + std::string(ellipsis);
}

namespace {

// The units that may follow a number and a space.
constexpr std::array<std::string_view, 24> UNITS = {
    "%",   "s",   "ms", "us", "µs", "ns", "min", "bit", "bits", "byte", "bytes",   "KiB",
    "MiB", "GiB", "KB", "MB", "GB", "TB", "Hz",  "MHz", "GHz",  "GB/s", "GFLOP/s", "W"};

// Returns the word without the signs around it: "12.5" for "(12.5", "%" for "%.".
std::string_view without_signs_around(std::string_view word) {
  constexpr std::string_view BEFORE = "([{'\"`~<>=+-", AFTER = ")]}'\"`.,;:!?";
  const size_t begin = std::min(word.find_first_not_of(BEFORE), word.size());
  word.remove_prefix(begin);
  return word.substr(0, word.find_last_not_of(AFTER) + 1);
}

// True for "4", "1.5", "2/3" and "(66.7"; false for "3.", which ends a sentence.
bool ends_in_a_number(std::string_view word) {
  word = word.substr(word.rfind('\n') + 1);
  const std::string_view core = without_signs_around(word);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !core.empty() && word.ends_with(core) && is_digit(core.front()) && is_digit(core.back()) &&
         core.find_first_not_of("0123456789.,/") == core.npos;
}

bool is_a_unit(std::string_view word) {
  return std::ranges::find(UNITS, without_signs_around(word.substr(0, word.find('\n')))) !=
         UNITS.end();
}

// Returns the end of the word that begins at `start`. A number and its unit are one word.
size_t end_of_word(std::string_view text, size_t start) {
  const size_t end = std::min(text.find(' ', start), text.size());
  if (end == text.size() || !ends_in_a_number(text.substr(start, end - start))) return end;
  const size_t next = std::min(text.find(' ', end + 1), text.size());
  return is_a_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

}  // namespace

std::string wrap(std::string_view text, int width, int indent) {
  if (width <= 0) return std::string(text);
  std::string wrapped;
  int column = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = end_of_word(text, start);
    const std::string_view word = text.substr(start, end - start);
    if (column > indent && column + 1 + display_width(word.substr(0, word.find('\n'))) > width) {
      wrapped += "\n" + std::string(static_cast<size_t>(indent), ' ');
      column = indent;
    } else if (start > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    const size_t line_break = word.rfind('\n');  // a line break in the text itself
    column = line_break == word.npos ? column + display_width(word)
                                     : display_width(word.substr(line_break + 1));
    start = end + 1;
  }
  return wrapped;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

}  // namespace text

#include "text/page.hpp"

#include <algorithm>

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

std::string wrap(std::string_view text, int width, int indent) {
  if (width <= 0) return std::string(text);
  std::string wrapped;
  int column = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (column > indent && column + 1 + display_width(word.substr(0, word.find('\n'))) > width) {
      wrapped += "\n" + std::string(static_cast<size_t>(indent), ' ');
      column = indent;
    } else if (start > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    const size_t line_break = word.rfind('\n');  // of the text's own
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

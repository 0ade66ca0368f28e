#include "text/foreign.hpp"

#include <cstdint>

namespace text {
namespace {

// The next character of a text.
struct CodePoint {
  char32_t value = 0;
  size_t bytes = 0;  // 0 if the text does not begin with UTF-8
};

CodePoint first_of(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t value = first & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < LEAST[bytes] || value > 0x10FFFF || surrogate ? CodePoint()
                                                               : CodePoint{value, bytes};
}

// True for characters that change the display: controls (C0, C1), marks of direction, joiners and spaces without width,
// separators of lines and paragraphs, tags.
bool is_invisible(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range RANGES[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0xAD, 0xAD},
                              {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                              {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                              {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  for (const Range& range : RANGES) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

std::string plain(std::string_view foreign, char line_break) {
  std::string text;
  while (!foreign.empty()) {
    const CodePoint c = first_of(foreign);
    if (c.bytes == 0) {
      text += '?';
    } else if (c.value == '\n') {
      text += line_break;
    } else if (c.value == '\t') {
      text += ' ';
    } else if (!is_invisible(c.value)) {
      text += foreign.substr(0, c.bytes);
    }
    foreign.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return text;
}

}  // namespace

std::string plain_line(std::string_view foreign) { return plain(foreign, ' '); }

std::string plain_lines(std::string_view foreign) { return plain(foreign, '\n'); }

std::string in_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      if (c == '|' || c == '`' || c == '[' || c == ']' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string in_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace text

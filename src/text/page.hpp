// The page that a text is laid out for: its width, and the characters it can show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace text {

struct Page {
  bool color = false;
  bool unicode = false;
  int width = 0;  // columns; 0 for no limit
};

/// The special characters of our texts, each with its replacement for a terminal without UTF-8.
struct Signs {
  explicit Signs(bool unicode)
      : dot(unicode ? "·" : "-"),
        right(unicode ? "✓" : "ok"),
        wrong(unicode ? "✗" : "WRONG"),
        cube(unicode ? "³" : "^3"),
        times(unicode ? "×" : "x"),
        micro(unicode ? "µ" : "u"),
        none(unicode ? "–" : "-"),
        ellipsis(unicode ? "…" : "~"),
        blocks(unicode) {}

  const char *dot, *right, *wrong, *cube, *times, *micro, *none, *ellipsis;
  bool blocks;  // eighths of a block for the bars
};

/// Returns the number of columns that a UTF-8 text takes: one for each code point.
int display_width(std::string_view text);

/// Adds spaces before, or after, the text until it takes at least `width` columns.
std::string pad_left(std::string_view text, int width);
std::string pad_right(std::string_view text, int width);

/// Returns the text, cut to `width` columns; a cut text ends in the ellipsis.
std::string shortened(std::string_view text, int width, std::string_view ellipsis);

/// Breaks a text at spaces into lines of at most `width` columns. A longer word stays whole, and so does a number with
/// its unit ("66.7 %", "32 bytes"). Lines after the first start with `indent` spaces. A width of 0 is no limit. Adds no
/// newline at the end.
std::string wrap(std::string_view text, int width, int indent);

/// Returns the lines of a text, without line ends. They point into the text, which must outlive them.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace text

// What text is laid out for: how wide a line may be, and which signs it may have.
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

/// The signs that a terminal without UTF-8 lacks, each with what stands in for it.
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

/// Columns that a UTF-8 text takes, one for each code point.
int display_width(std::string_view text);

/// The text with spaces before it, or behind it, so that it takes at least `width` columns.
std::string pad_left(std::string_view text, int width);
std::string pad_right(std::string_view text, int width);

/// The text if it takes at most `width` columns, else as much of its beginning as leaves one for the ellipsis behind it.
std::string shortened(std::string_view text, int width, std::string_view ellipsis);

/// Breaks a text at spaces so that no line takes more than `width` columns, as far as its words allow; lines
/// after the first start with `indent` spaces. No limit where width is 0. Ends as the text ends.
std::string wrap(std::string_view text, int width, int indent);

/// The lines of a text, which must outlive them, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace text

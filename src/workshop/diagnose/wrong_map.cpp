#include "workshop/diagnose/wrong_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/ladder.hpp"

namespace workshop {
namespace {

using ladder::ceil_div;

// The evidence comes from a second run (evidence.hpp), in which another number of elements may be wrong.
constexpr const char* RUN = "A second run, with whole numbers in A, B and C.";
constexpr int64_t MOST_SIGNS = 16;  // in a row, and in a column

// The drawn rectangle. A position stands for one element, or for one element of each tile.
struct Area {
  int64_t rows, cols;
  int64_t row_step,
      col_step;  // from an element to the next tile's; beyond the matrix if there is no next tile
  bool is_tile;
};

struct Count {
  int64_t wrong = 0, all = 0;
};

Count count_at(const ExaminedProduct& facts, const Area& area, int64_t row, int64_t col) {
  Count count;
  for (int64_t i = row; i < facts.given().M; i += area.row_step) {
    for (int64_t j = col; j < facts.given().N; j += area.col_step) {
      ++count.all;
      if (facts.is_wrong(i, j)) ++count.wrong;
    }
  }
  return count;
}

// True if the wrong elements are the same in each tile, with at most one exception in ten elements of every tile.
bool repeats(const ExaminedProduct& facts, const Area& tile) {
  const int64_t tiles_n = ceil_div(facts.given().N, tile.cols);
  std::vector<Count> exceptions(
      static_cast<size_t>(ceil_div(facts.given().M, tile.rows) * tiles_n));
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t col = 0; col < tile.cols; ++col) {
      const Count count = count_at(facts, tile, row, col);
      const bool is_mostly_wrong = 2 * count.wrong > count.all;
      for (int64_t i = row; i < facts.given().M; i += tile.row_step) {
        for (int64_t j = col; j < facts.given().N; j += tile.col_step) {
          Count& of_tile = exceptions[static_cast<size_t>(i / tile.rows * tiles_n + j / tile.cols)];
          ++of_tile.all;
          if (facts.is_wrong(i, j) != is_mostly_wrong) ++of_tile.wrong;
        }
      }
    }
  }
  return std::ranges::all_of(exceptions,
                             [](const Count& count) { return 10 * count.wrong <= count.all; });
}

Area area_of(const ExaminedProduct& facts) {
  const int64_t M = facts.given().M, N = facts.given().N;
  const BlockTile& tile = facts.given().tile;
  const Area all{.rows = M, .cols = N, .row_step = M, .col_step = N, .is_tile = false};
  if (tile.rows <= 0 || tile.cols <= 0 || (M <= tile.rows && N <= tile.cols)) return all;
  const Area one_tile{.rows = std::min(M, tile.rows),
                      .cols = std::min(N, tile.cols),
                      .row_step = tile.rows,
                      .col_step = tile.cols,
                      .is_tile = true};
  return repeats(facts, one_tile) ? one_tile : all;
}

std::string elements_text(int64_t height, int64_t width) {
  return height * width == 1 ? "one element" : fmt::format("{} x {} elements", height, width);
}

}  // namespace

std::string wrong_map(const ExaminedProduct& facts, const text::Page& page) {
  if (facts.wrong() == 0 || facts.wrong() == facts.given().M * facts.given().N) return "";
  const Area area = area_of(facts);
  const int64_t height = ceil_div(area.rows, MOST_SIGNS), width = ceil_div(area.cols, MOST_SIGNS);
  const int64_t signs_down = ceil_div(area.rows, height), signs_across = ceil_div(area.cols, width);
  const char* const right = page.unicode ? "·" : ".";
  const char* const wrong = page.unicode ? "█" : "#";
  const char* const some = page.unicode ? "▒" : "+";

  std::vector<std::string> signs(static_cast<size_t>(signs_down));
  bool some_are_partly_wrong = false;
  for (int64_t down = 0; down < signs_down; ++down) {
    for (int64_t across = 0; across < signs_across; ++across) {
      Count sum;
      for (int64_t r = down * height; r < std::min(area.rows, (down + 1) * height); ++r) {
        for (int64_t c = across * width; c < std::min(area.cols, (across + 1) * width); ++c) {
          const Count count = count_at(facts, area, r, c);
          sum.wrong += count.wrong;
          sum.all += count.all;
        }
      }
      const bool partly = sum.wrong > 0 && 10 * sum.wrong < 9 * sum.all;
      some_are_partly_wrong |= partly;
      signs[static_cast<size_t>(down)] += sum.wrong == 0 ? right : partly ? some : wrong;
    }
  }

  const std::string legend =
      fmt::format("{} right  {} wrong{}", right, wrong,
                  some_are_partly_wrong ? fmt::format("  {} some of them wrong", some) : "");
  const std::string scale =
      fmt::format("Each character stands for {}; {}.", elements_text(height, width),
                  area.is_tile ? fmt::format("the block's tile is {} x {}, and all tiles are alike",
                                             area.rows, area.cols)
                               : fmt::format("C is {} x {}", area.rows, area.cols));

  // "row  12 ················   words"
  const std::string last_row = fmt::format("{}", (signs_down - 1) * height);
  const size_t digits = std::max(last_row.size(), std::string_view("mn").size());
  const size_t margin = std::string_view("row ").size() + digits + 1;
  const auto across = static_cast<size_t>(signs_across);
  const size_t beside = margin + across + 3;
  const int room = page.width <= 0 ? 0 : std::max(24, page.width - static_cast<int>(beside));
  std::string words;
  for (const std::string& sentence : {std::string(RUN), scale, legend}) {
    words += text::wrap(sentence, room, 0) + "\n";
  }
  const std::vector<std::string_view> lines = text::lines_of(words);

  std::string map = fmt::format("{:>{}} 0", "column", margin - 1);
  if (across > 1) map += fmt::format("{:>{}}{}", "", across - 2, (signs_across - 1) * width);
  map += '\n';
  for (size_t i = 0; i < std::max(signs.size(), lines.size()); ++i) {
    std::string line(beside, ' ');
    if (i < signs.size()) {
      line = fmt::format("{:4}{:>{}} {}   ", i == 0 ? "row" : "", i * static_cast<size_t>(height),
                         digits, signs[i]);
    }
    if (i < lines.size()) line += lines[i];
    map += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return map;
}

}  // namespace workshop

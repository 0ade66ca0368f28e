// Fragments: the lane and register of each element, and their pictures.
#include "lens/fragments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace lens {
namespace {

MatrixProduct product(const std::string& format, size_t k) {
  return {.kernel = "multiply",
          .file = "/home/me/multiply.cu",
          .line = 33,
          .instruction = "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col.f32." + format +
                         "." + format + ".f32",
          .format = format,
          .m = 16,
          .n = 8,
          .k = k,
          .warps = 4};
}

std::vector<MatrixProduct> all_formats() {
  MatrixProduct half_sums = product("f16", 16), bytes = product("s8", 32),
                doubles = product("f64", 4);
  half_sums.sum = "f16";
  bytes.sum = "s32";
  doubles.sum = "f64";
  doubles.m = 8;
  return {product("f16", 8),
          product("f16", 16),
          product("bf16", 8),
          product("bf16", 16),
          product("tf32", 4),
          product("tf32", 8),
          half_sums,
          bytes,
          doubles};
}

template <typename PlaceOf>
void expect_each_once(size_t rows, size_t columns, size_t per_register, PlaceOf&& place_of) {
  std::set<std::pair<size_t, size_t>> places;
  for (size_t reg = 0; reg < rows * columns / per_register / LANES; ++reg) {
    for (size_t lane = 0; lane < LANES; ++lane) {
      for (size_t part = 0; part < per_register; ++part) {
        const Place place = place_of(lane, reg, part);
        EXPECT_LT(place.row, rows);
        EXPECT_LT(place.column, columns);
        places.insert({place.row, place.column});
      }
    }
  }
  EXPECT_EQ(places.size(), rows * columns);
}

TEST(Fragments, EachElementHasOneRegisterOfOneLane) {
  for (const MatrixProduct& p : all_formats()) {
    SCOPED_TRACE(p.instruction);
    const size_t per = p.per_register();
    expect_each_once(p.m, p.k, per, [per](size_t lane, size_t reg, size_t part) {
      return place_in_a(lane, reg, part, per);
    });
    expect_each_once(p.k, p.n, per, [per](size_t lane, size_t reg, size_t part) {
      return place_in_b(lane, reg, part, per);
    });
    const size_t sums = p.sums_per_register();
    expect_each_once(p.m, p.n, sums, [sums](size_t lane, size_t reg, size_t part) {
      return place_in_c(lane, reg, part, sums);
    });
  }
}

// Elements of the tables in the PTX manual.
TEST(Fragments, LieWhereTheManualSays) {
  EXPECT_EQ(place_in_a(5, 0, 0, 2), (Place{1, 2}));
  EXPECT_EQ(place_in_a(5, 1, 1, 2), (Place{9, 3}));
  EXPECT_EQ(place_in_a(5, 2, 0, 2), (Place{1, 10}));
  EXPECT_EQ(place_in_a(31, 3, 1, 2), (Place{15, 15}));
  EXPECT_EQ(place_in_a(5, 2, 0, 1), (Place{1, 5}));
  EXPECT_EQ(place_in_b(5, 0, 1, 2), (Place{3, 1}));
  EXPECT_EQ(place_in_b(30, 1, 0, 2), (Place{12, 7}));
  EXPECT_EQ(place_in_b(5, 1, 0, 1), (Place{5, 1}));
  EXPECT_EQ(place_in_c(5, 0), (Place{1, 2}));
  EXPECT_EQ(place_in_c(5, 3), (Place{9, 3}));
  EXPECT_EQ(place_in_a(5, 2, 3, 4), (Place{1, 23}));  // m16n8k32, .s8
  EXPECT_EQ(place_in_b(5, 1, 2, 4), (Place{22, 1}));
  EXPECT_EQ(place_in_c(5, 1, 1, 2), (Place{9, 3}));  // C of f16
}

TEST(Fragments, SayWhatARegisterHolds) {
  EXPECT_EQ(contents_of_registers(product("tf32", 8)), "A register holds one element.");
  EXPECT_EQ(contents_of_registers(product("f16", 16)),
            "A register of A or B holds two elements that are neighbours along k; its lower half "
            "holds the first.");
  MatrixProduct p = product("s8", 32);
  p.sum = "s32";
  EXPECT_EQ(contents_of_registers(p),
            "A register of A or B holds four elements that are neighbours along k; its lowest byte "
            "holds the first.");
  p = product("f16", 16);
  p.sum = "f16";
  EXPECT_NE(contents_of_registers(p).find("C or D holds two neighbours in a row."),
            std::string::npos);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

TEST(Fragments, FitThePageInEveryFormat) {
  for (const MatrixProduct& p : all_formats()) {
    for (const int width : {60, 80, 120}) {
      const std::string text = fragments(p, {.width = width});
      SCOPED_TRACE(text);
      for (const std::string& line : lines_of(text))
        EXPECT_LE(line.size(), static_cast<size_t>(width));
      EXPECT_NE(text.find("multiply.cu:33"), std::string::npos);
      // The last register of the last lane stands in each table.
      const auto has = [&](const std::string& cell) { return text.find(" " + cell) != text.npos; };
      EXPECT_TRUE(has("31a" + std::to_string(p.m * p.k / p.per_register() / LANES - 1)));
      EXPECT_TRUE(has("31b" + std::to_string(p.k * p.n / p.per_register() / LANES - 1)));
      EXPECT_TRUE(has("31c" + std::to_string(p.m * p.n / p.sums_per_register() / LANES - 1)));
    }
  }
}

TEST(Fragments, TableOfAnA) {
  const std::vector<std::string> lines = lines_of(fragments(product("f16", 16), {.width = 60}));
  const auto title = std::find(lines.begin(), lines.end(), "A, 16 x 16, k along the row");
  ASSERT_NE(title, lines.end());
  EXPECT_EQ(title[1], "             0-1   2-3   4-5   6-7   8-9 10-11 12-13 14-15");
  EXPECT_EQ(title[2], " row     0   0a0   1a0   2a0   3a0   0a2   1a2   2a2   3a2");
  EXPECT_EQ(title[10], "         8   0a1   1a1   2a1   3a1   0a3   1a3   2a3   3a3");
}

TEST(Fragments, AsAFigureHaveARectangleForEachElement) {
  for (const MatrixProduct& p : all_formats()) {
    const std::string document = svg_fragments(p);
    size_t rectangles = 0;
    for (size_t at = document.find("<rect"); at != document.npos;
         at = document.find("<rect", at + 1)) {
      ++rectangles;
    }
    EXPECT_EQ(rectangles, p.m * p.k + p.k * p.n + p.m * p.n) << p.instruction;
    EXPECT_TRUE(document.ends_with("</svg>\n"));
  }
}

}  // namespace
}  // namespace lens

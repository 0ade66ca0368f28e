// Layouts of shared memory, as text.
#include "lens/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lens {
namespace {

// A box of 64 rows of 128 bytes with a swizzle of 128 bytes. The numbers of the bank groups stand here as on paper.
Layout box() {
  Layout l{
      .kernel = "product",
      .file = "/home/me/product.cu",
      .line = 55,
      .instruction = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
      .laid = Laid::loaded_box,
      .start = 1024,
      .start_name = "byte 1024 of tile",
      .swizzle = 128,
      .element_bytes = 2,
      .rows = 64,
      .columns = 8};
  const std::vector<std::string> groups = {"01234567", "10325476", "23016745", "32107654",
                                           "45670123", "54761032", "67452301", "76543210"};
  for (size_t row = 0; row < l.rows; ++row) {
    for (const char group : groups[row % 8])
      l.places.push_back(1024 + row * 128 + static_cast<uint64_t>(group - '0') * 16);
  }
  return l;
}

// A of a wgmma without a swizzle: core matrices of 128 bytes, the second 16 bytes of k 1024 bytes behind the first.
Layout a() {
  Layout l{.kernel = "product",
           .file = "/home/me/product.cu",
           .line = 87,
           .instruction = "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16",
           .laid = Laid::a,
           .start = 4096,
           .start_name = "byte 4096 of tile",
           .leading = 1024,
           .stride = 128,
           .element_bytes = 2,
           .rows = 64,
           .columns = 2,
           .later_starts = {6144, 8192}};
  for (size_t row = 0; row < l.rows; ++row) {
    for (size_t column = 0; column < 2; ++column)
      l.places.push_back(4096 + row * 16 + column * 1024);
  }
  return l;
}

// B of 256 columns, not contiguous in k: a k of 64 columns has 128 bytes, the next 64 columns are 2048 bytes further.
Layout b_across_k() {
  Layout l = box();
  l.laid = Laid::b;
  l.instruction = "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16";
  l.leading = 2048;
  l.stride = 1024;
  l.across_k = true;
  l.rows = 16;
  l.columns = 32;
  l.places.clear();
  const Layout first = box();
  for (size_t k = 0; k < l.rows; ++k) {
    for (size_t column = 0; column < l.columns; ++column)
      l.places.push_back(first.place(k, column % 8) + column / 8 * 2048);
  }
  return l;
}

constexpr const char* const BOX_IN_80_COLUMNS =
    R"(product in product.cu:55
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
The copy puts a box of 64 rows of 128 bytes (8 pieces of 16 bytes) to byte 1024
  of shared memory (byte 1024 of tile), with a swizzle of 128 bytes.
A bank group is 4 of the 32 banks: 16 bytes of each line of 128.

bank group of each piece
 row line at  piece 0 1 2 3 4 5 6 7
   0    1024        0 1 2 3 4 5 6 7
   1    1152        1 0 3 2 5 4 7 6
   2    1280        2 3 0 1 6 7 4 5
   3    1408        3 2 1 0 7 6 5 4
   4    1536        4 5 6 7 0 1 2 3
   5    1664        5 4 7 6 1 0 3 2
   6    1792        6 7 4 5 2 3 0 1
   7    1920        7 6 5 4 3 2 1 0

row.piece in each bank group
  line at  group 0   1   2   3   4   5   6   7
     1024      0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7
     1152      1.1 1.0 1.3 1.2 1.5 1.4 1.7 1.6
     1280      2.2 2.3 2.0 2.1 2.6 2.7 2.4 2.5
     1408      3.3 3.2 3.1 3.0 3.7 3.6 3.5 3.4
     1536      4.4 4.5 4.6 4.7 4.0 4.1 4.2 4.3
     1664      5.5 5.4 5.7 5.6 5.1 5.0 5.3 5.2
     1792      6.6 6.7 6.4 6.5 6.2 6.3 6.0 6.1
     1920      7.7 7.6 7.5 7.4 7.3 7.2 7.1 7.0

Not drawn: rows 8-63. Every 8 rows the pattern repeats, 1024 bytes further.
The same piece of rows 0-7 lies in 8 different bank groups: one ldmatrix of
  these pieces takes 1 wavefront.
)";

constexpr const char* const BOX_IN_120_COLUMNS =
    R"(product in product.cu:55
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
The copy puts a box of 64 rows of 128 bytes (8 pieces of 16 bytes) to byte 1024 of shared memory (byte 1024 of tile),
  with a swizzle of 128 bytes.
A bank group is 4 of the 32 banks: 16 bytes of each line of 128.

bank group of each piece               row.piece in each bank group
 row line at  piece 0 1 2 3 4 5 6 7      line at  group 0   1   2   3   4   5   6   7
   0    1024        0 1 2 3 4 5 6 7         1024      0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7
   1    1152        1 0 3 2 5 4 7 6         1152      1.1 1.0 1.3 1.2 1.5 1.4 1.7 1.6
   2    1280        2 3 0 1 6 7 4 5         1280      2.2 2.3 2.0 2.1 2.6 2.7 2.4 2.5
   3    1408        3 2 1 0 7 6 5 4         1408      3.3 3.2 3.1 3.0 3.7 3.6 3.5 3.4
   4    1536        4 5 6 7 0 1 2 3         1536      4.4 4.5 4.6 4.7 4.0 4.1 4.2 4.3
   5    1664        5 4 7 6 1 0 3 2         1664      5.5 5.4 5.7 5.6 5.1 5.0 5.3 5.2
   6    1792        6 7 4 5 2 3 0 1         1792      6.6 6.7 6.4 6.5 6.2 6.3 6.0 6.1
   7    1920        7 6 5 4 3 2 1 0         1920      7.7 7.6 7.5 7.4 7.3 7.2 7.1 7.0

Not drawn: rows 8-63. Every 8 rows the pattern repeats, 1024 bytes further.
The same piece of rows 0-7 lies in 8 different bank groups: one ldmatrix of these pieces takes 1 wavefront.
)";

constexpr const char* const A_IN_60_COLUMNS =
    R"(product in product.cu:87
wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16
A, 64 x 16, contiguous in k. Its descriptor: start byte 4096
  of shared memory (byte 4096 of tile), leading 1024, stride
  128, no swizzle.
A bank group is 4 of the 32 banks: 16 bytes of each line of
  128.

first byte of each piece
 row  k 0-7 8-15
   0   4096 5120
   1   4112 5136
   2   4128 5152
   3   4144 5168
   4   4160 5184
   5   4176 5200
   6   4192 5216
   7   4208 5232

row.piece in each bank group
   line at  group 0   1   2   3   4   5   6   7
      4096      0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0
 ⋮    5120      0.1 1.1 2.1 3.1 4.1 5.1 6.1 7.1

Not drawn: rows 8-63. Every 8 rows the pattern repeats,
  128 bytes further.
One instruction reads 8 x 2 core matrices of 8 rows x
  16 bytes. In the table's order, row by row, they begin at
  bytes 4096, 5120, 4224, 5248, 4352, 5376, 4480, 5504 and
  so on.
The 8 pieces of a core matrix lie in 8 different bank
  groups.
The same warp's later executions of this line start at bytes
  6144, 8192.
)";

constexpr const char* const B_IN_60_COLUMNS =
    R"(product in product.cu:55
wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
B, 16 x 256, contiguous across k. Its descriptor: start byte
  1024 of shared memory (byte 1024 of tile), leading 2048,
  stride 1024, a swizzle of 128 bytes.
A bank group is 4 of the 32 banks: 16 bytes of each line of
  128.

bank group of each piece
 k line at  column 0 8 16 24 32 40 48 56
 0    1024         0 1  2  3  4  5  6  7
 1    1152         1 0  3  2  5  4  7  6
 2    1280         2 3  0  1  6  7  4  5
 3    1408         3 2  1  0  7  6  5  4
 4    1536         4 5  6  7  0  1  2  3
 5    1664         5 4  7  6  1  0  3  2
 6    1792         6 7  4  5  2  3  0  1
 7    1920         7 6  5  4  3  2  1  0

k.piece in each bank group
  line at  group 0   1   2   3   4   5   6   7
     1024      0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7
     1152      1.1 1.0 1.3 1.2 1.5 1.4 1.7 1.6
     1280      2.2 2.3 2.0 2.1 2.6 2.7 2.4 2.5
     1408      3.3 3.2 3.1 3.0 3.7 3.6 3.5 3.4
     1536      4.4 4.5 4.6 4.7 4.0 4.1 4.2 4.3
     1664      5.5 5.4 5.7 5.6 5.1 5.0 5.3 5.2
     1792      6.6 6.7 6.4 6.5 6.2 6.3 6.0 6.1
     1920      7.7 7.6 7.5 7.4 7.3 7.2 7.1 7.0

Not drawn: k 8-15. Every 8 k the pattern repeats, 1024 bytes
  further.
Not drawn: columns 64-255. Every 64 columns the pattern
  repeats, 2048 bytes further.
One instruction reads 2 x 32 core matrices of 8 k x
  16 bytes. In the table's order, row by row, they begin at
  bytes 1024, 1040, 1056, 1072, 1088, 1104, 1120, 1136 and
  so on.
The 8 pieces of a core matrix lie in 8 different bank
  groups.
)";

TEST(Layouts, StandAsTwoTables) {
  EXPECT_EQ(layout(box(), {.unicode = true, .width = 80}), BOX_IN_80_COLUMNS);
  EXPECT_EQ(layout(a(), {.unicode = true, .width = 60}), A_IN_60_COLUMNS);
  EXPECT_EQ(layout(b_across_k(), {.unicode = true, .width = 60}), B_IN_60_COLUMNS);
}

TEST(Layouts, StandSideBySideOnAWidePage) {
  EXPECT_EQ(layout(box(), {.unicode = false, .width = 120}), BOX_IN_120_COLUMNS);
}

TEST(Layouts, FitIntoThePage) {
  Layout far = a();  // the largest numbers that a block's shared memory has
  for (uint64_t& place : far.places) place += 220'000;
  Layout wide = box();
  wide.kernel = std::string(200, 'k');
  for (const Layout& one : {box(), a(), b_across_k(), far, wide}) {
    for (const int width : {60, 80, 120}) {
      for (const bool unicode : {false, true}) {
        const std::string text = layout(one, {.unicode = unicode, .width = width});
        for (const std::string_view line : text::lines_of(text))
          EXPECT_LE(text::display_width(line), width) << line;
        EXPECT_EQ(std::ranges::any_of(text, [](char c) { return c < 0; }) && !unicode, false);
      }
    }
  }
}

TEST(Layouts, LeaveOutRowsThatRepeatTheFirst) {
  const DrawnPart part = drawn_part(box());
  EXPECT_EQ(part.rows, 8u);
  EXPECT_EQ(part.rows_further, 1024u);
  const DrawnPart across = drawn_part(b_across_k());
  EXPECT_EQ(across.rows, 8u);
  EXPECT_EQ(across.columns, 8u);
  EXPECT_EQ(across.columns_further, 2048u);
  // A stride that is no multiple of 1024 bytes shifts the pattern of the swizzle: rows 8 to 15 are another picture.
  Layout shifted = box();
  shifted.rows = 16;
  shifted.places.resize(16 * 8);
  for (size_t i = 64; i < shifted.places.size(); ++i) shifted.places[i] += 16;
  EXPECT_EQ(drawn_part(shifted).rows, 16u);
  EXPECT_FALSE(drawn_part(shifted).rows_further);
  // Rows that follow no pattern are cut.
  Layout odd = box();
  odd.places.back() += 128;
  EXPECT_EQ(drawn_part(odd).rows, 32u);
  EXPECT_NE(layout(odd, {.width = 80}).find("Not drawn: rows 32-63.\n"), std::string::npos);
}

TEST(Layouts, SayWhichPiecesOfAColumnCollide) {
  const auto last = [](const Layout& l) { return remarks_on(l, drawn_part(l)).back(); };
  Layout plain = box();
  plain.swizzle = 0;
  for (size_t i = 0; i < plain.places.size(); ++i) plain.places[i] = 1024 + i * 16;
  EXPECT_EQ(last(plain),
            "The same piece of rows 0-7 lies in only 1 bank group: one ldmatrix of these pieces "
            "takes 8 wavefronts.");
  plain.columns = 4;  // rows of 64 bytes
  EXPECT_EQ(last(plain),
            "The same piece of rows 0-7 lies in only 2 bank groups: one ldmatrix of these pieces "
            "takes 4 wavefronts.");
  Layout stretched = a();
  stretched.later_starts.clear();
  for (size_t i = 0; i < stretched.places.size(); ++i) stretched.places[i] = i * 64;
  EXPECT_EQ(last(stretched), "The 8 pieces of a core matrix lie in only 1 bank group.");
}

TEST(Layouts, ShowPiecesThatOverlap) {
  Layout l = a();
  for (size_t i = 1; i < l.places.size(); i += 2) l.places[i] = l.places[i - 1];  // leading is 0
  const std::string text = layout(l, {.unicode = false, .width = 80});
  EXPECT_NE(text.find(" 4096       x2 x2 x2 x2 x2 x2 x2 x2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Pieces overlap"), std::string::npos) << text;
  EXPECT_EQ(layout(a(), {.width = 80}).find("Pieces overlap"), std::string::npos);
}

TEST(Layouts, LinesHaveTheirPiecesInTheOrderOfTheBankGroups) {
  const std::vector<LineOfPieces> lines = lines_of_pieces(box(), drawn_part(box()));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[3].first_byte, 1024u + 3 * 128);
  for (size_t group = 0; group < BANK_GROUPS; ++group) {
    EXPECT_EQ(lines[3].seats[group].row, 3u);
    EXPECT_EQ(lines[3].seats[group].column, 3 ^ group);
  }
}

}  // namespace
}  // namespace lens

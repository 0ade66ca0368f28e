// Layouts: the places of a matrix's 16-byte pieces in shared memory, where a tensor copy puts or finds them, or wgmma reads them.
//
// Shared memory has 32 banks of 4 bytes. Four neighbouring banks are a bank group here: 16 of the 128 bytes of a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "text/page.hpp"

namespace lens {

inline constexpr uint64_t PIECE_BYTES = 16;
inline constexpr size_t BANK_GROUPS = 8;
inline constexpr size_t CORE_ROWS = 8;  // rows of a core matrix, which wgmma reads as a whole

/// The matrix of a layout.
enum class Laid : uint8_t { loaded_box, stored_box, a, b };

/// A matrix in shared memory. A row of a box is a row. A and B of wgmma have one row for each row of A or column of B if they are
/// contiguous in k; else one row for each k.
struct Layout {
  std::string kernel{};  // demangled, without its parameter list
  std::string file{};    // the user's line
  int line = 0;
  std::string instruction{};  // "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16"
  Laid laid = Laid::loaded_box;
  uint64_t start = 0;        // of the box or in the descriptor: a byte of the block's shared memory
  std::string start_name{};  // "byte 32 of tile"
  uint64_t swizzle = 0;      // the bytes among which it mixes pieces: 32, 64, 128; 0: none
  uint64_t leading = 0, stride = 0, base = 0;  // of the descriptor; the first two in bytes
  bool across_k = false;                       // True if A or B is not contiguous in k
  uint64_t element_bytes = 0;
  size_t rows = 0, columns = 0;          // a column has one piece of each row
  std::vector<uint64_t> places{};        // of each piece, row by row: a byte of shared memory
  std::vector<uint64_t> later_starts{};  // other starts at this line, in the warp's order

  uint64_t place(size_t row, size_t column) const { return places[row * columns + column]; }
  bool operator==(const Layout&) const = default;
};

/// Draws two tables. The first has the matrix's rows, and names the bank group of each piece. The second has lines of shared
/// memory, and names the piece in each bank group. Rows that repeat the first ones are left out. Fits into 60 columns. If the page
/// has room, the tables stand side by side. Ends in a newline.
std::string layout(const Layout& layout, const text::Page& page);

/// Draws the tables of each layout as an SVG document, a colour for each column of the matrix.
std::string svg_layouts(const std::vector<Layout>& layouts);

// --- Parts of both drawings.

/// The rows and columns that are drawn. The others repeat them, so many bytes further each time. Nothing: they do not repeat them,
/// or there are no others.
struct DrawnPart {
  size_t rows = 0, columns = 0;
  std::optional<uint64_t> rows_further{}, columns_further{};
};
DrawnPart drawn_part(const Layout& layout);

/// A line of shared memory: the pieces in each bank group. There is more than one if rows overlap.
struct LineOfPieces {
  struct Seat {
    size_t pieces = 0, row = 0, column = 0;  // the first piece
  };
  uint64_t first_byte = 0;
  std::array<Seat, BANK_GROUPS> seats{};
};
/// Returns the lines that the drawn part touches, in the order of their addresses.
std::vector<LineOfPieces> lines_of_pieces(const Layout& layout, const DrawnPart& part);

/// True if the drawn pieces of each row lie in one line.
bool has_a_line_for_each_row(const Layout& layout, const DrawnPart& part);

inline size_t bank_group(uint64_t place) { return place / PIECE_BYTES % BANK_GROUPS; }

/// Returns "row", "column" or "k".
std::string name_of_row(const Layout& layout);
/// Returns "piece", "k", "row" or "column".
std::string name_of_column(const Layout& layout);
/// Returns "0" for the first piece of a box, "0-7" for the first elements of A or B.
std::string label_of_column(const Layout& layout, size_t column);

/// Returns sentences before the tables: the matrix's size, place and swizzle.
std::vector<std::string> introduction_to(const Layout& layout);
/// Returns sentences behind the tables: the rows left out, the core matrices, the bank groups of a column, other starts.
std::vector<std::string> remarks_on(const Layout& layout, const DrawnPart& part);

}  // namespace lens

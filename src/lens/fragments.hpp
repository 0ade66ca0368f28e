// Fragments: the lane and the register that hold each element of a product on tensor cores, D = A B + C.
//
// A has M x K elements, B has K x N, C and D have M x N; M is 16 or 8, and N is 8. With g = lane / 4 and t = lane % 4, the registers
// of a lane lie in rows g and g + 8 of A, C and D, and in column g of B. Source: PTX manual, "Matrix Fragments for mma".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lens/request.hpp"
#include "text/page.hpp"

namespace lens {

/// A place in a matrix.
struct Place {
  size_t row = 0, column = 0;
  bool operator==(const Place&) const = default;
};

/// Returns how many elements of this PTX type one register of a fragment holds. A register has 64 bits for f64, else 32.
constexpr size_t elements_in_a_register(std::string_view type) {
  if (type == "s8" || type == "u8") return 4;
  return type == "f16" || type == "bf16" ? 2 : 1;
}

/// Returns the element that a lane holds in register `reg` of its fragment of A. A register holds `per_register` elements that are
/// neighbours along k; `part` counts them.
constexpr Place place_in_a(size_t lane, size_t reg, size_t part, size_t per_register) {
  return {lane / 4 + 8 * (reg % 2), lane % 4 * per_register + part + 4 * per_register * (reg / 2)};
}

/// Returns the same for B.
constexpr Place place_in_b(size_t lane, size_t reg, size_t part, size_t per_register) {
  return {lane % 4 * per_register + part + 4 * per_register * reg, lane / 4};
}

/// Returns the same for C and D. A register holds one element, or two of half precision that are neighbours in a row.
constexpr Place place_in_c(size_t lane, size_t reg, size_t part = 0, size_t per_register = 1) {
  const size_t element = reg * per_register + part;
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

/// A product on tensor cores that a kernel executed.
struct MatrixProduct {
  std::string kernel{};  // demangled, without its parameter list
  std::string file{};    // the user's line
  int line = 0;
  std::string instruction{};  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::string format{};       // of A's and B's elements: "f16", "bf16", "tf32", "s8", "u8", "f64"
  std::string sum = "f32";    // of C's and D's elements: "f32", "f16", "s32", "f64"
  size_t m = 0, n = 0, k = 0;
  uint64_t warps = 0;  // the warps that executed it, summed over all executions

  size_t per_register() const { return elements_in_a_register(format); }
  size_t sums_per_register() const { return elements_in_a_register(sum); }
  bool operator==(const MatrixProduct&) const = default;
};

/// Says how many elements a register of A or B holds, and of C and D: one or two sentences.
std::string contents_of_registers(const MatrixProduct& product);

/// Draws A, B and C as tables: each cell names the lane and its register, "12a3" for register a[3] of lane 12. Fits
/// into 60 columns. On a page of at least 110 columns, C stands beside A. Ends in a newline.
std::string fragments(const MatrixProduct& product, const text::Page& page);

/// Draws the tables as an SVG document for light and dark backgrounds: A left of C, B above it, a colour for each lane.
std::string svg_fragments(const MatrixProduct& product);

}  // namespace lens

// Tensor maps: what cuTensorMapEncodeTiled makes, and a tensor copy (cp.async.bulk.tensor) reads.
//
// The rules were measured on an H200: test/device/tensor_copies.cu makes 600 maps, many with a mistake, and compares what the
// driver refuses and what the copies bring. Those of interleaves and of TFLOAT32's ties were measured on an H100.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simulator {

/// A tensor map's 128 bytes. A device's layout is not public; this one is ours.
using TensorMapWords = std::array<uint64_t, 16>;
constexpr uint64_t TENSOR_MAP_ALIGNMENT = 64;

/// A tensor in global memory, and the box of it that a copy moves. Dimension 0 is contiguous. The numbers of type, interleave,
/// swizzle, promotion and fill are the driver's.
struct TensorMap {
  static constexpr uint32_t MOST_DIMENSIONS = 5;

  uint32_t type = 0, rank = 0, interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  uint64_t address = 0;
  std::array<uint64_t, MOST_DIMENSIONS> sizes{};        // elements
  std::array<uint64_t, MOST_DIMENSIONS - 1> strides{};  // bytes, from dimension 1 on
  std::array<uint64_t, MOST_DIMENSIONS> box{};          // elements
  std::array<uint64_t, MOST_DIMENSIONS> steps{};        // of elements; a copy leaves out the others

  /// Returns the words of a map that needs no refusal.
  TensorMapWords words() const;
  /// Returns nothing for words that were never encoded.
  static std::optional<TensorMap> from(const TensorMapWords& words);

  /// Returns the argument of cuTensorMapEncodeTiled that the driver refuses, with the reason: "boxDim[0] is 0, ...". Empty if
  /// the map can be used.
  std::string refusal() const;

  uint32_t element_bytes() const;
  /// Returns the bytes that a step of the first coordinate moves: an element, or with an interleave a slice of channels.
  uint64_t unit_bytes() const { return interleave == 0 ? element_bytes() : 8u << interleave; }
  uint64_t row_bytes() const { return box[0] * unit_bytes(); }
  /// Returns the bytes from one row of the box to the next in shared memory.
  uint64_t pitch() const { return swizzle == 0 || interleave != 0 ? row_bytes() : span(); }
  /// Returns the bytes of shared memory in which a swizzle moves a piece.
  uint64_t span() const { return 16u << swizzle; }
  /// Returns the coordinates of a dimension that the box has, from dimension 1 on.
  uint64_t count(uint32_t dimension) const;
  /// Returns the rows of the box.
  uint64_t rows() const;
  /// Returns the bytes of shared memory among which the box lies.
  uint64_t shared_bytes() const { return (rows() * pitch() + span() - 1) / span() * span(); }
  /// Returns the bits of a row's address, from bit 7 on, that are added without carry to a piece's number in its row.
  uint64_t swizzle_mask() const { return (1u << swizzle) - 1; }
  /// Returns the bytes of shared memory among which the swizzle mixes a row's pieces; 0 if there is no swizzle.
  uint64_t mixed_bytes() const { return swizzle == 0 ? 0 : span(); }
};

/// Returns where a swizzle puts a byte of shared memory. `base`: the row of 128 bytes at which the pattern begins.
inline uint64_t swizzled(uint64_t offset, uint64_t mask, uint64_t base = 0) {
  return offset ^ ((offset >> 7) - base & mask) << 4;
}

/// Returns the place of a byte of a row that begins at `row` in shared memory. `span`: TensorMap::mixed_bytes().
inline uint64_t place_in_row(uint64_t row, uint64_t byte, uint64_t span) {
  constexpr uint64_t PIECE = 16;
  return span == 0 ? row + byte : swizzled(row + byte, span / PIECE - 1);
}

/// One row of a box in global memory: the bytes of it that lie inside the tensor.
struct TensorRow {
  uint64_t address = 0;           // of the row's first byte inside
  uint64_t first = 0, bytes = 0;  // that byte in the row, and how many
};

/// Returns the rows of the box at these coordinates, in their order in shared memory. A row outside the tensor has no bytes.
/// `whole_pieces`: a row ends with a whole piece of 16 bytes, beyond the tensor, as a store writes it.
std::vector<TensorRow> rows_of(const TensorMap& map,
                               const std::array<int32_t, TensorMap::MOST_DIMENSIONS>& at,
                               bool whole_pieces);

/// Returns the sectors that Nsight Compute counts for neighbouring bytes of a load: those of each part that lies in one line of 128
/// bytes of shared memory. `target`: where in shared memory the bytes go.
uint64_t loaded_sectors(uint64_t address, uint64_t target, uint64_t bytes);
/// Returns the sectors that it counts for the bytes of a row of the box outside the tensor: those of shared memory.
uint64_t filled_sectors(const TensorRow& row, uint64_t target, uint64_t row_bytes);

/// Fills a row of the box in shared memory, before the bytes inside the tensor are put there.
void fill_row(const TensorMap& map, std::byte* row);
/// Converts elements as a load does: TFLOAT32 is rounded to 10 bits of fraction, to nearest even.
void convert_loaded(const TensorMap& map, std::byte* bytes, uint64_t count);

}  // namespace simulator

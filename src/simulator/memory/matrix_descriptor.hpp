// Where wgmma finds the elements of a matrix in shared memory.
//
// The rule was measured on an H200: test/device/matrix_descriptors.cu asks for the place of each element under 2,016 descriptors.
// The fields are described in the PTX manual, "Matrix Descriptor Format".
#pragma once

#include <cstdint>

#include "simulator/memory/tensor_map.hpp"

namespace simulator {

/// A matrix of lines (rows of A, columns of B) and k. All distances are bytes of shared memory.
struct MatrixDescriptor {
  static constexpr uint64_t PIECE = 16, LINES = 8;

  uint64_t start = 0, leading = 0, stride = 0;
  uint64_t base = 0;  // the row of 128 bytes at which the pattern of the swizzle begins
  uint64_t span = 0;  // of the swizzle: 128, 64, 32, or 16 if there is none

  explicit MatrixDescriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4),
        leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4),
        base(bits >> 49 & 7),
        span(bits >> 62 == 0 ? 16 : 256 >> (bits >> 62)) {}

  /// Returns the place of the 16 bytes of k of a line from byte `of_k` on, in a matrix that is contiguous in k.
  uint64_t piece_of_line(uint64_t line, uint64_t of_k) const {
    const uint64_t group = start + line / LINES * stride + line % LINES * span;
    return mixed(group + (span == PIECE ? of_k / PIECE * leading : of_k));
  }

  /// Returns the place of the elements of eight lines at one k, in a matrix of 16-bit elements that is contiguous across k.
  uint64_t piece_of_k(uint64_t first_line, uint64_t k) const {
    const uint64_t byte = first_line * 2;
    const uint64_t across = byte / span * (span == PIECE ? stride : leading) + byte % span;
    const uint64_t along = k / LINES * (span == PIECE ? leading : stride) + k % LINES * span;
    return mixed(start + across + along);
  }

 private:
  uint64_t mixed(uint64_t offset) const { return swizzled(offset, span / PIECE - 1, base); }
};

}  // namespace simulator

// A matrix in device memory with poison around it, so that a read or write beside it shows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runner/machine/device_buffer.hpp"
#include "runner/verify/inputs.hpp"

namespace runner {

/// The surroundings of the matrices in their allocations.
struct Layout {
  int64_t guard = 64;  // floats of poison before and after each matrix
};

/// How many matrices lie in an allocation, and the distance from one to the next in elements. It leaves no matrix within another.
struct Copies {
  int64_t count = 1;
  int64_t stride = 0;
};

/// A matrix in device memory with `guard` floats of poison on both sides, `offset` floats past a 256-byte boundary. Or
/// several such matrices in a row, with poison between them.
class GuardedMatrix {
 public:
  GuardedMatrix(int64_t rows, int64_t cols, int64_t ld, Layout layout, int64_t offset = 0,
                Copies copies = {});

  float* data() const { return buffer_.data() == nullptr ? nullptr : buffer_.data() + before_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t count() const { return copies_.count; }

  /// Fills the whole allocation with poison.
  void poison();
  /// Fills the i-th matrix with the operand's elements, and leaves all else as it is. `transposed`: the rows of this matrix are the
  /// operand's columns.
  void fill(int64_t i, const Inputs& inputs, Operand operand, bool transposed = false);
  /// Calls visit(first_row, rows, elements) for runs of rows of the i-th matrix in order; row r of a run starts at
  /// elements[r * ld].
  void read(
      int64_t i,
      const std::function<void(int64_t first, int64_t rows, const float* elements)>& visit) const;
  /// Describes the first float that is no longer poison, around the matrices, or in the padding of their rows and between them. Empty if
  /// all still are.
  std::optional<std::string> damage_around() const;
  std::optional<std::string> damage_between_rows() const;

 private:
  std::optional<std::string> damage_in(int64_t first, int64_t last) const;
  int64_t rows_per_piece() const;
  int64_t floats_in_rows(int64_t rows) const { return rows == 0 ? 0 : (rows - 1) * ld_ + cols_; }

  int64_t floats() const {
    return floats_in_rows(rows_) == 0 ? 0 : (count() - 1) * copies_.stride + floats_in_rows(rows_);
  }

  int64_t rows_, cols_, ld_;
  Copies copies_;
  int64_t before_, after_;
  DeviceBuffer<float> buffer_;
};

}  // namespace runner

// The layout of a warp's 32 lanes over the warp's tile of C.
#pragma once

namespace device {

/// The place of a lane among ROWS x COLS lanes of a warp. Bit 0 of the lane's number counts rows and
/// bit 1 columns; the bits above continue the rows, then the columns.
///
/// The reason: shared memory serves a 16-byte load for half a warp at once, instead of a quarter, in
/// two cases. Either all pairs of lanes whose numbers differ in bit 0 read the same address, or all
/// pairs whose numbers differ in bit 1 do. A fragment of A depends on the lane's row alone, so lanes
/// that differ in bit 1 share it. A fragment of B depends on the column alone, so lanes that differ
/// in bit 0 share it.
template <int ROWS, int COLS>
struct WarpLanes {
  static_assert(ROWS * COLS == 32 && ROWS >= 2 && COLS >= 2 && (ROWS & (ROWS - 1)) == 0,
                "32 lanes in powers of two, at least two each way");

  static __host__ __device__ constexpr int row(int lane) {
    return (lane & 1) | ((lane >> 1) & (ROWS - 2));
  }
  static __host__ __device__ constexpr int col(int lane) {
    return ((lane >> 1) & 1) | (lane / (2 * ROWS) * 2);
  }
};

}  // namespace device

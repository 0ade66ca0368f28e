// The choice of rung 16's tile, and the sizes on which the division of a product depends. It is plain arithmetic, so other code can tell
// without a GPU how rung 16 divides a product.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/grid.hpp"

namespace ladder {

/// Rung 16's sizes.
struct TensorFp32Sizes {
  static constexpr int BN = 128, BK = 64;  // the block's tile; rows_of_tile() chooses BM
  // Below, FP32's own errors are smaller than those of two parts. Beyond, the parts of one row of tiles would take 2 GB.
  static constexpr int64_t LEAST_K = 32, MOST_K = 1 << 22;
  // The fewest steps in a part of K, and the most in a K that is not divided, if it can be.
  static constexpr int64_t LEAST_STEPS = 8, MOST_STEPS = 32;
};

/// True if rung 16 computes such a product by parts. Others it computes in FP64 as a whole, which takes longer than rung 12.
constexpr bool is_for_tensor_fp32(int64_t M, int64_t N, int64_t K) {
  return K >= TensorFp32Sizes::LEAST_K && K <= TensorFp32Sizes::MOST_K && M <= INT32_MAX &&
         N <= INT32_MAX;
}

/// Returns how many of `batch` products rung 16 computes together: so many that their parts take at most a gigabyte. Such a group keeps
/// the device busy anyway. There are fewer than 32,768.
constexpr int64_t products_together(int64_t M, int64_t N, int64_t K, int64_t batch) {
  constexpr int64_t MOST_ELEMENTS = int64_t{1} << 28;
  const int64_t lines = device::ceil_div(M, 64) + device::ceil_div(N, 64);
  const int64_t elements = lines * 64 * device::ceil_div(K, 64) * 64 + M * N;
  return std::clamp<int64_t>(MOST_ELEMENTS / elements, 1, batch);
}

/// Returns how many rows a tile of 128 columns has for `batch` products of M x N: 64, 128 or 192. The multiprocessors compute one tile
/// each at a time, so the time is the number of their rounds times a tile's time. Of tiles that take equally long, the larger ones are
/// chosen: they read less.
constexpr int rows_of_tile(int64_t M, int64_t N, int64_t batch, int multiprocessors) {
  // The time of 64 k, in units of 10 ns: measured on an H100 at 1536 and 2048 cubed.
  constexpr struct {
    int rows;
    int64_t time;
  } TILES[] = {{192, 158}, {128, 110}, {64, 62}};
  int best = 0;
  int64_t least = INT64_MAX;
  for (const auto& tile : TILES) {
    const int64_t tiles = device::ceil_div(M, tile.rows) * device::ceil_div(N, 128) * batch;
    const int64_t time = device::ceil_div(tiles, multiprocessors) * tile.time;
    if (time >= least) continue;
    least = time;
    best = tile.rows;
  }
  return best;
}

}  // namespace ladder

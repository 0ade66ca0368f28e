// The sizes of one variant of the tuned kernel, and which variant suits a problem. No device code: all
// of it is plain arithmetic that tests can call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace ladder {

/// The sizes of one variant of the kernel: block tile, warp tile, thread tile.
struct Tile {
  int BM, BN, BK;
  int WM, WN;
  int TM, TN;
  int stages;       // tiles of shared memory in the ring, at least 2
  int copy_groups;  // in how many groups the copies of a tile are issued
  int blocks;       // blocks that one multiprocessor must hold at once: limits the registers

  __host__ __device__ constexpr int threads() const { return (BM / WM) * (BN / WN) * 32; }

  // A warp copies 8 rows of A at 4 values of k; each value of k begins 8 banks after the one before.
  __host__ __device__ constexpr int a_stride() const { return BM + 8; }
  __host__ __device__ constexpr int stage_floats() const { return BK * (a_stride() + BN); }
  __host__ __device__ constexpr int shared_bytes() const {
    return stages * stage_floats() * static_cast<int>(sizeof(float));
  }

  // Rows of A, and of B, that the block copies at a time.
  __host__ __device__ constexpr int a_rows() const { return threads() / 4; }
  __host__ __device__ constexpr int b_rows() const { return threads() / (BN / 4); }

  constexpr bool operator==(const Tile&) const = default;
};

/// True if the kernel can be instantiated for the tile.
__host__ __device__ constexpr bool is_valid(const Tile& t) {
  return t.BM % t.WM == 0 && t.BN % t.WN == 0 && t.TM % 4 == 0 && t.TN % 4 == 0 &&
         (t.WM / t.TM) * (t.WN / t.TN) == 32 && t.WM / t.TM >= 2 && t.WN / t.TN >= 2 &&
         t.BM % 32 == 0 && t.BK % 4 == 0 && t.threads() % (t.BN / 4) == 0 &&
         t.BM % t.a_rows() == 0 && t.BK % t.b_rows() == 0 && t.stages >= 2 && t.copy_groups >= 1 &&
         t.copy_groups < t.BK;
}

/// A variant and what it was measured to reach.
struct TunedTile {
  Tile tile;
  double tflops;  // on a problem that fills the device many times over
};

/// How many tiles of C the busiest multiprocessor computes. `multiprocessors` is at least 1.
constexpr int64_t tiles_of_busiest(const Tile& t, int64_t M, int64_t N, int multiprocessors) {
  const int64_t tiles = (M + t.BM - 1) / t.BM * ((N + t.BN - 1) / t.BN);
  return (tiles + multiprocessors - 1) / multiprocessors;
}

/// The place in `table` (not empty) of the variant that should compute an M x N result soonest when
/// each block computes one tile: the least work on the busiest multiprocessor, divided by the rate
/// that the variant was measured at. Of equals, the first.
constexpr size_t choose_tile(std::span<const TunedTile> table, int64_t M, int64_t N,
                             int multiprocessors) {
  size_t best = 0;
  double best_time = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const Tile& t = table[i].tile;
    const double work =
        static_cast<double>(tiles_of_busiest(t, M, N, multiprocessors)) * t.BM * t.BN;
    const double time = work / table[i].tflops;
    if (i == 0 || time < best_time) {
      best = i;
      best_time = time;
    }
  }
  return best;
}

/// How many tile rows a band has (see place_of): as many as make the region of C that the device
/// works on at once about square.
constexpr int band_height(const Tile& t, int multiprocessors) {
  int rows = 1;
  while ((rows + 1) * (rows + 1) * t.BM <= multiprocessors * t.blocks * t.BN) ++rows;
  return rows;
}

}  // namespace ladder

// The sizes of one variant of the tuned kernel, and its costs. It is plain arithmetic, so tests can call it without a
// GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/ladder.hpp"

namespace ladder {

/// The sizes of one variant of the kernel: block tile, warp tile, thread tile.
struct Tile {
  int BM, BN, BK;
  int WM, WN;
  int TM, TN;
  int stages;       // tiles of shared memory in the ring, at least 2
  int copy_groups;  // the number of groups in which the copies of a tile are issued
  int blocks;       // blocks that one multiprocessor must hold at once: limits the registers
  int slices;       // parts of BK; separate warps compute each
  int chain;        // the number of k added in one chain (see SumOfChains); 0: all of them

  __host__ __device__ constexpr int threads() const { return (BM / WM) * (BN / WN) * 32 * slices; }

  // A warp copies 8 k of 4 rows of A, or 4 k of 8 rows, into different banks.
  __host__ __device__ constexpr int a_lanes() const { return slices > 1 ? 8 : 4; }
  __host__ __device__ constexpr int a_stride() const { return BM + 32 / a_lanes(); }
  __host__ __device__ constexpr int stage_floats() const { return BK * (a_stride() + BN); }
  __host__ __device__ constexpr int ring_floats() const { return stages * stage_floats(); }

  // Returns the index in shared memory at which a row of a slice's sums begins. A thread's four rows lie side by side,
  // the next thread's rows in other banks. With a power of two n and row < n: sum_row(row + i * n) is sum_row(row) + sum_row(i * n).
  __host__ __device__ constexpr int sum_row(int row) const { return row * BN + row / 4 * 8; }
  __host__ __device__ constexpr int sum_floats() const { return BM * BN + BM / 4 * 8; }

  // Returns the bytes for the ring and the totals of chains. The sums of slices reuse that memory: they are written when
  // the ring and the totals are no longer needed.
  __host__ __device__ constexpr int shared_bytes() const {
    const int product = ring_floats() + (chain > 0 ? slices * BM * BN : 0);
    const int sums = slices > 1 ? slices * sum_floats() : 0;
    return (product > sums ? product : sums) * static_cast<int>(sizeof(float));
  }

  // The number of rows of A, and of B, that the block copies at a time.
  __host__ __device__ constexpr int a_rows() const { return threads() / a_lanes(); }
  __host__ __device__ constexpr int b_rows() const { return threads() / (BN / 4); }

  constexpr bool operator==(const Tile&) const = default;
};

/// True if the kernel can be instantiated for the tile.
__host__ __device__ constexpr bool is_valid(const Tile& t) {
  return t.slices >= 1 && t.BM % t.WM == 0 && t.BN % t.WN == 0 && t.TM % 4 == 0 && t.TN % 4 == 0 &&
         (t.WM / t.TM) * (t.WN / t.TN) == 32 && t.WM / t.TM >= 2 && t.WN / t.TN >= 2 &&
         t.BK % t.a_lanes() == 0 && t.BK % (2 * t.slices) == 0 && t.threads() % (t.BN / 4) == 0 &&
         t.BM % t.a_rows() == 0 && t.BK % t.b_rows() == 0 && t.stages >= 2 && t.copy_groups >= 1 &&
         t.copy_groups < t.BK / t.slices && t.chain % (t.BK / t.slices) == 0 &&
         (t.slices > 1 ? t.threads() % t.BN == 0 : t.WN % 32 == 0);
}

/// Up to so many rows, or columns, of C rung 12 computes without tiles (few_rows.cuh, few_cols.cuh).
inline constexpr int FEW_LINES = 8;

/// A variant and its measured rate.
struct TunedTile {
  Tile tile;
  double tflops;  // on a problem that fills the device many times over
};

/// Returns the share of its full rate that a multiprocessor reaches with that many warps: a few warps cannot hide each
/// other's waits. The numbers are fitted to an H200, see docs/tuning.md.
constexpr double share_of_rate(int64_t warps) {
  if (warps >= 12) return 1.0;
  if (warps >= 8) return 0.98;
  if (warps >= 4) return 0.85;
  return warps >= 2 ? 0.4 : 0.25;
}

/// Returns the device's TFLOP/s if each multiprocessor has that many blocks.
constexpr double rate_with(const TunedTile& variant, int64_t blocks) {
  const Tile& t = variant.tile;
  const int64_t together = blocks < t.blocks ? blocks : t.blocks;
  const int64_t warps = t.threads() / 32;
  return variant.tflops * share_of_rate(together * warps) / share_of_rate(t.blocks * warps);
}

/// The properties of a device that the choice of a tile depends on.
struct Device {
  int multiprocessors;  // at least 1
  int shared_bytes;     // the most that one block may have
  constexpr bool operator==(const Device&) const = default;
};

/// Returns the number of tile rows in a band (see place_of). It makes the region of C that the device computes at a
/// time about square.
constexpr int band_height(const Tile& t, int multiprocessors) {
  int rows = 1;
  while ((rows + 1) * (rows + 1) * t.BM <= multiprocessors * t.blocks * t.BN) ++rows;
  return rows;
}

}  // namespace ladder

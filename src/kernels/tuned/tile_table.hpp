// Written by bench/tune: for each size of tile the fastest variant it found. Do not edit; run it
// again. NVIDIA H200, 2026-11-20; TFLOP/s at 8192 x 8192 x 8192.
#pragma once

#include "kernels/tuned/tile.hpp"

// clang-format off: a table
namespace ladder {

inline constexpr TunedTile TUNED_TABLE[] = {
    {{.BM = 128, .BN = 256, .BK = 8, .WM = 32, .WN = 128, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 1, .slices = 1, .chain = 0}, 53.9},
    {{.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 5, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512}, 52.5},
    {{.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512}, 51.8},
    {{.BM = 64, .BN = 128, .BK = 16, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 3, .slices = 1, .chain = 512}, 52.7},
    {{.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 1, .slices = 2, .chain = 128}, 49.8},
    {{.BM = 64, .BN = 64, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 4, .slices = 1, .chain = 512}, 48.8},
    {{.BM = 64, .BN = 64, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 2, .chain = 128}, 49.6},
    {{.BM = 64, .BN = 64, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 1, .slices = 4, .chain = 128}, 49.2},
    {{.BM = 32, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128}, 47.7},
    {{.BM = 32, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 1, .slices = 8, .chain = 128}, 46.2},
    {{.BM = 32, .BN = 32, .BK = 64, .WM = 32, .WN = 32, .TM = 8, .TN = 4, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128}, 39.2},
    {{.BM = 16, .BN = 32, .BK = 64, .WM = 16, .WN = 32, .TM = 4, .TN = 4, .stages = 3, .copy_groups = 4, .blocks = 4, .slices = 4, .chain = 128}, 32.6},
};

inline constexpr TunedTile STREAM_K_TABLE[] = {
    {{.BM = 128, .BN = 256, .BK = 8, .WM = 32, .WN = 128, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 1, .slices = 1, .chain = 512}, 54.7},
    {{.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 2, .slices = 1, .chain = 512}, 52.6},
    {{.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512}, 51.6},
    {{.BM = 64, .BN = 128, .BK = 16, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512}, 52.5},
    {{.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 1, .slices = 2, .chain = 128}, 49.9},
    {{.BM = 64, .BN = 64, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 4, .slices = 1, .chain = 512}, 50.1},
    {{.BM = 64, .BN = 64, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 5, .blocks = 2, .slices = 2, .chain = 128}, 49.3},
    {{.BM = 64, .BN = 64, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 1, .slices = 4, .chain = 128}, 48.3},
    {{.BM = 32, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128}, 48.1},
    {{.BM = 32, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 1, .slices = 8, .chain = 128}, 46.2},
    {{.BM = 32, .BN = 32, .BK = 64, .WM = 32, .WN = 32, .TM = 8, .TN = 4, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128}, 38.0},
    {{.BM = 16, .BN = 32, .BK = 64, .WM = 16, .WN = 32, .TM = 4, .TN = 4, .stages = 3, .copy_groups = 4, .blocks = 4, .slices = 4, .chain = 128}, 31.3},
};

}  // namespace ladder

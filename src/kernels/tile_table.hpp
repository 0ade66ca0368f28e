// Written by bench/tune: for each size of tile the fastest variant it found. Do not edit; run it
// again. NVIDIA H200, 2026-11-20; TFLOP/s at 4096 x 4096 x 4096.
#pragma once

#include "kernels/tile.hpp"

// clang-format off: a table
namespace ladder {

// {BM, BN, BK, WM, WN, TM, TN, stages, copy_groups, blocks}, TFLOP/s
inline constexpr TunedTile tuned_table[] = {
    {{128, 256, 8, 32, 128, 16, 8, 6, 1, 1}, 53.9},
    {{128, 128, 8, 32, 128, 16, 8, 4, 2, 2}, 52.0},
    {{128, 128, 16, 64, 32, 8, 8, 3, 3, 2}, 52.1},
    {{64, 128, 16, 32, 64, 8, 8, 3, 3, 2}, 51.9},
    {{64, 64, 16, 32, 64, 8, 8, 3, 3, 6}, 49.3},
    {{64, 64, 16, 32, 32, 8, 4, 3, 2, 4}, 41.6},
};

inline constexpr TunedTile stream_k_table[] = {
    {{128, 256, 12, 64, 64, 16, 8, 3, 3, 1}, 54.2},
    {{128, 128, 8, 64, 64, 16, 8, 4, 2, 2}, 52.4},
    {{128, 128, 8, 64, 32, 8, 8, 5, 1, 2}, 50.8},
    {{64, 128, 16, 64, 32, 8, 8, 3, 3, 3}, 52.6},
    {{64, 64, 16, 32, 64, 8, 8, 3, 3, 6}, 49.5},
    {{64, 64, 16, 32, 32, 8, 4, 3, 3, 4}, 40.9},
};

}  // namespace ladder

// Written by bench/fit_times. Do not edit; run it again.
// NVIDIA H200, 2026-11-27: bench/shapes.py --seed 1; medians in microseconds
// 437 times of cuBLAS; the line is at 78 % of them on average
#pragma once

#include "preload/choose/decision.hpp"

// clang-format off: numbers
namespace preload {

inline constexpr CublasTimes CUBLAS_US{.call_us = 5.854, .us_per_gflop = 19.52};

}  // namespace preload

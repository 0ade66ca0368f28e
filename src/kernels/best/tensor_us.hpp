// Written by bench/fit_times. Do not edit; run it again.
// NVIDIA H200, 2026-11-27: bench/shapes.py --seed 1; medians in microseconds
// 286 products, 2 more left out; mean error 4.7 %, largest +27 % at 2914x3552x67
#pragma once

#include "kernels/best/tensor_time.hpp"

// clang-format off: numbers
namespace ladder {

inline constexpr TensorWorks TENSOR_FP32_US{
    {8.358, 2.12, 0.5811, 0.9909, 1.492, 0.2825, 0.02171, 0.3311, 0.978, 5.612, 0.3762}};

}  // namespace ladder

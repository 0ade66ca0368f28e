// Measures a CUDA device's highest rates, with which kernels are compared.
#pragma once

#include <cstdint>
#include <optional>

#include "results/values/run.hpp"

namespace runner {

/// Measures copies between two arrays larger than L2, and a kernel of multiply-adds only. Each is the best of some
/// runs. Takes some tens of milliseconds. A roof that cannot be measured (no memory) stays empty.
results::Roofs measure_roofs();

/// Measures cublasGemmEx of FP16 matrices with FP32 sums, on random numbers: GFLOP/s of an M x N result, the better of
/// two medians, in about so many seconds. Nothing if it cannot run (no memory, or a size beyond 32 bits).
std::optional<double> fp16_gflops(int64_t M, int64_t N, int64_t K, double seconds);

}  // namespace runner

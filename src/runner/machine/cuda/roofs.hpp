// Measures a CUDA device's highest rates, with which kernels are compared.
#pragma once

#include "results/values/run.hpp"

namespace runner {

/// Measures copies between two arrays larger than L2, and a kernel of multiply-adds only. Each is the best of some
/// runs. Takes some tens of milliseconds. A roof that cannot be measured (no memory) stays empty.
results::Roofs measure_roofs();

}  // namespace runner

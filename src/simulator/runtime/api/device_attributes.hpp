// The attributes of the simulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

namespace simulator::runtime {

/// Returns the attribute's value, or nothing if CUDA has no such attribute.
std::optional<int> attribute_value(cudaDeviceAttr attribute);

}  // namespace simulator::runtime

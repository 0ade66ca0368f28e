// The attributes and properties of the simulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

namespace simulator::runtime {

/// Returns the attribute's value, or nothing if CUDA has no such attribute.
std::optional<int> attribute_value(cudaDeviceAttr attribute);

/// Returns the properties of a device with this much memory. They agree with the attributes.
cudaDeviceProp properties_of(uint64_t memory_bytes);

}  // namespace simulator::runtime

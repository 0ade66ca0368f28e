// The attributes and properties of the simulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

namespace simulator::runtime {

/// Returns the attribute's value, or nothing if CUDA has no such attribute. `device`: its number.
std::optional<int> attribute_value(cudaDeviceAttr attribute, int device);

/// Returns the properties of a device with this much memory. They agree with the attributes.
cudaDeviceProp properties_of(int device, uint64_t memory_bytes);

}  // namespace simulator::runtime

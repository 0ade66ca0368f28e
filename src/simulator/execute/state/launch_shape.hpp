// The size of a launch, and its limits.
#pragma once

#include <compare>
#include <cstddef>

#include "simulator/fault.hpp"

namespace simulator {

/// The declared limits of the simulated device. They follow an H200 (compute capability 9.0): a launch which an
/// H200 refuses is refused here.
struct DeviceLimits {
  int threads_per_block = 1024;
  Dim3 block{1024, 1024, 64};
  Dim3 grid{2147483647, 65535, 65535};
  int warp_size = 32;
  int multiprocessors = 132;
  int threads_per_multiprocessor = 2048;
  int blocks_per_multiprocessor = 32;
  int registers_per_multiprocessor = 65536;
  int registers_per_thread = 255;
  size_t static_shared_per_block = size_t{48} * 1024;
  size_t shared_per_block_optin = size_t{227} * 1024;
  size_t shared_per_multiprocessor = size_t{228} * 1024;
  size_t reserved_shared_per_block = 1024;
  size_t constant_memory = size_t{64} * 1024;
  // Blocks of a cluster: the most without and with cudaFuncAttributeNonPortableClusterSizeAllowed.
  uint32_t portable_cluster = 8, largest_cluster = 16;
  int compute_major = 9;
  int compute_minor = 0;
};
inline const DeviceLimits& device_limits() {
  static constexpr DeviceLimits LIMITS;
  return LIMITS;
}

/// The values between <<< and >>>, without the stream.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  size_t dynamic_shared = 0;
  Dim3 cluster{0, 0, 0};        // in blocks; zeros: the kernel's own, or none
  bool is_cooperative = false;  // True if its blocks may meet at the grid's barrier

  auto operator<=>(const LaunchShape&) const = default;
};

}  // namespace simulator

// Launches of rungs 11 and 12: the device's properties, the variants of a table by number, and a launch with a chosen
// variant. The rungs choose by shape. Tests name a variant, since the shapes that a simulated GPU can compute would
// only get small tiles.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

struct SplitPlan;  // in kernels/tuned/split_plan.hpp

/// Reads the properties of the current device that choose_tile() and plan_split() need.
inline cudaError_t describe_device(Device* device) {
  int id = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&device->multiprocessors, cudaDevAttrMultiProcessorCount, id);
  if (error != cudaSuccess) return error;
  return cudaDeviceGetAttribute(&device->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);
}

/// Returns the launch functions of the variants 0 .. COUNT - 1, in this order. `launch_of` returns the function of
/// variant `choice` for a std::integral_constant<size_t, choice>: a variant is a type, so its index must be known when
/// the kernel is compiled, but the program chooses a variant when it runs.
template <size_t COUNT, typename LaunchOf>
constexpr auto launches_of(const LaunchOf& launch_of) {
  return [&]<size_t... CHOICE>(std::index_sequence<CHOICE...>) {
    return std::array{launch_of(std::integral_constant<size_t, CHOICE>{})...};
  }(std::make_index_sequence<COUNT>{});
}

/// Launches rung 11's kernel with TUNED_TABLE[choice].tile for the whole of each C. `vector`: with 16-byte
/// accesses; each product must satisfy are_b_and_c_vector_aligned(p, 16).
cudaError_t launch_tuned_choice(size_t choice, const Call& call, bool vector, int multiprocessors,
                                cudaStream_t stream);

/// Launches rung 12's kernels with STREAM_K_TABLE[plan.choice].tile, the work divided by the plan. `vector` as above.
cudaError_t launch_stream_k_choice(const SplitPlan& plan, const Sgemm& p, bool vector,
                                   int multiprocessors, cudaStream_t stream);

}  // namespace ladder

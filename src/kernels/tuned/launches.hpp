// How rungs 11 and 12 launch: what they must know of the device, a table's variants by number, and a variant of the caller's
// choice. The rungs choose by the shape; the tests name one, since a shape that a simulated GPU can compute would only ever get
// small tiles.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

struct SplitPlan;  // in kernels/split_plan.hpp

/// What choose_tile() and plan_split() must know of the current device.
inline cudaError_t describe_device(Device* device) {
  int id = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&device->multiprocessors, cudaDevAttrMultiProcessorCount, id);
  if (error != cudaSuccess) return error;
  return cudaDeviceGetAttribute(&device->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);
}

/// The launches of the variants 0 .. COUNT - 1, in this order, to be called by number. `launch_of` gives that
/// of variant `choice` for a std::integral_constant<size_t, choice>: a variant is a type, so its place in the table must be
/// known when the kernel is compiled, and which of them to launch is known only when the program runs.
template <size_t COUNT, typename LaunchOf>
constexpr auto launches_of(const LaunchOf& launch_of) {
  return [&]<size_t... CHOICE>(std::index_sequence<CHOICE...>) {
    return std::array{launch_of(std::integral_constant<size_t, CHOICE>{})...};
  }(std::make_index_sequence<COUNT>{});
}

/// Launches rung 11's kernel with TUNED_TABLE[choice].tile for the whole of C. `vector`: with 16-byte
/// accesses; the problem must satisfy are_b_and_c_vector_aligned(p, 16).
cudaError_t launch_tuned_choice(size_t choice, const Sgemm& p, bool vector, int multiprocessors,
                                cudaStream_t stream);

/// Launches rung 12's kernels with STREAM_K_TABLE[plan.choice].tile, the work divided by the plan. `vector` as above.
cudaError_t launch_stream_k_choice(const SplitPlan& plan, const Sgemm& p, bool vector,
                                   int multiprocessors, cudaStream_t stream);

}  // namespace ladder

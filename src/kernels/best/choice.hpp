// The choice of the fastest rung with FP32's accuracy, for a product and a GPU. It is plain arithmetic, so it needs no GPU. The estimates
// are fitted to an H200; of other GPUs it expects the same proportions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/best/product_shape.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// A GPU, as the choice sees it.
struct Gpu {
  int compute_capability;  // 10 * major + minor, at least 80
  Device device;
  constexpr bool operator==(const Gpu&) const = default;
};

/// The GPU whose times the estimates are fitted to.
inline constexpr Gpu H200{.compute_capability = 90,
                          .device = {.multiprocessors = 132, .shared_bytes = 227 * 1024}};

/// A rung, and the time that it should take for all products of a call.
struct Expected {
  int rung;
  double us;
};

/// The rungs that may be chosen, the fastest first; at least one.
struct Choice {
  std::array<Expected, 2> rungs{};
  size_t count = 0;

  const Expected& best() const { return rungs[0]; }
};

/// Ranks the rungs for `batch` products: 12, and on a GPU of compute capability 9.0 also 16.
Choice choose_rung(const ProductShape& s, int64_t batch, const Gpu& gpu);

}  // namespace ladder

// The choice of the fastest rung with FP32's accuracy, for a product and a GPU. It is plain arithmetic, so it needs no GPU. The estimates
// are fitted to an H200; of other GPUs it expects the same proportions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/best/product_shape.hpp"
#include "kernels/best/tensor_time.hpp"
#include "kernels/best/tensor_us.hpp"
#include "kernels/tuned/split_search.hpp"
#include "kernels/tuned/tile_table.hpp"

namespace ladder {

/// A GPU, as the choice sees it.
struct Gpu {
  int compute_capability;  // 10 * major + minor, at least 80
  Device device;
};

/// A rung, and the time that it should take for all products of a call.
struct Expected {
  int rung;
  double us;
};

/// The rungs that may be chosen, the fastest first; at least one.
struct Choice {
  std::array<Expected, 2> rungs{};
  size_t count = 0;

  constexpr const Expected& best() const { return rungs[0]; }
};

/// Returns the microseconds in which rungs without transposes of their own copy a matrix of so many elements.
constexpr double turn_us(int64_t rows, int64_t cols) {
  constexpr double LAUNCH_US = 2, ELEMENTS_PER_US = 4.1e5;
  return LAUNCH_US + static_cast<double>(rows) * static_cast<double>(cols) / ELEMENTS_PER_US;
}

/// Returns the time of `batch` products by rung 12.
constexpr double stream_k_us(const ProductShape& s, int64_t batch, const Device& device) {
  const bool vector = s.aligned_c && (s.aligned_b || s.transposed_b);  // a copy is aligned
  const double alone = estimate_product_us(STREAM_K_TABLE, s.M, s.N, s.K, vector, device);
  double us =
      batch == 1 ? alone : plan_batch(TUNED_TABLE, alone, s.M, s.N, s.K, vector, batch, device).us;
  if (s.transposed_a) us += static_cast<double>(batch) * turn_us(s.M, s.K);
  if (s.transposed_b) us += static_cast<double>(batch) * turn_us(s.K, s.N);
  return us;
}

/// Ranks the rungs for `batch` products: 12, and on a GPU of compute capability 9.0 also 16.
constexpr Choice choose_rung(const ProductShape& s, int64_t batch, const Gpu& gpu) {
  Choice choice;
  const auto add = [&choice](int rung, double us) { choice.rungs[choice.count++] = {rung, us}; };
  add(12, stream_k_us(s, batch, gpu.device));
  if (gpu.compute_capability == 90 && is_for_tensor_fp32(s)) {
    add(16, static_cast<double>(batch) * works_of_tensor_fp32(s, gpu.device).times(TENSOR_FP32_US));
  }
  if (choice.count == 2 && choice.rungs[1].us < choice.rungs[0].us)
    std::swap(choice.rungs[0], choice.rungs[1]);
  return choice;
}

}  // namespace ladder

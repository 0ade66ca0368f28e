// This file needs the headers of rung 12 that a copy for a class lacks, so such a copy has it compiled.
#include "kernels/best/choice.hpp"

#include <utility>

#include "kernels/best/tensor_time.hpp"
#include "kernels/best/tensor_us.hpp"
#include "kernels/tuned/stream_k_plan.hpp"

namespace ladder {
namespace {

// Returns the microseconds in which rungs without transposes of their own copy a matrix of so many elements.
double turn_us(int64_t rows, int64_t cols) {
  constexpr double LAUNCH_US = 2, ELEMENTS_PER_US = 4.1e5;
  return LAUNCH_US + static_cast<double>(rows) * static_cast<double>(cols) / ELEMENTS_PER_US;
}

// Returns the time of `batch` products by rung 12.
double stream_k_us(const ProductShape& s, int64_t batch, const Device& device) {
  const bool vector = s.aligned_c && (s.aligned_b || s.transposed_b);  // a copy is aligned
  double us = plan_batch(s.M, s.N, s.K, vector, batch, device).us;
  if (s.transposed_a) us += static_cast<double>(batch) * turn_us(s.M, s.K);
  if (s.transposed_b) us += static_cast<double>(batch) * turn_us(s.K, s.N);
  return us;
}

}  // namespace

Choice choose_rung(const ProductShape& s, int64_t batch, const Gpu& gpu) {
  Choice choice;
  const auto add = [&choice](int rung, double us) { choice.rungs[choice.count++] = {rung, us}; };
  add(12, stream_k_us(s, batch, gpu.device));
  if (gpu.compute_capability == 90 && is_for_tensor_fp32(s.M, s.N, s.K)) {
    add(16, works_of_tensor_fp32(s, batch, gpu.device).times(TENSOR_FP32_US));
  }
  if (choice.count == 2 && choice.rungs[1].us < choice.rungs[0].us)
    std::swap(choice.rungs[0], choice.rungs[1]);
  return choice;
}

}  // namespace ladder

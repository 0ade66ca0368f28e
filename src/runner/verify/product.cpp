#include "runner/verify/product.hpp"

#include <algorithm>

namespace runner {

machine::Launch launch_of(const ladder::Rung& rung, const ladder::Call& call) {
  return [&rung, call](cudaStream_t stream) { return ladder::launch(rung, call, stream); };
}

void name_matrices(const ladder::Sgemm& problem) {
  machine::name_buffer(problem.A, "A");
  machine::name_buffer(problem.B, "B");
  machine::name_buffer(problem.C, "C");
}

std::vector<results::ExpectedRung> expected_rungs(const ladder::ProductShape& shape, int64_t batch,
                                                  const ladder::Gpu& gpu) {
  const ladder::Choice choice = ladder::choose_rung(shape, batch, gpu);
  std::vector<results::ExpectedRung> expected;
  for (size_t i = 0; i < choice.count; ++i) {
    const auto& [number, us] = choice.rungs[i];
    expected.push_back({.number = number, .name = ladder::rung_with(number).name, .us = us});
  }
  return expected;
}

std::vector<results::ExpectedRung> expected_rungs(const ladder::Call& call) {
  ladder::Gpu gpu{};
  if (ladder::describe_gpu(&gpu) != cudaSuccess) return {};
  return expected_rungs(ladder::shape_of(call), call.batch, gpu);
}

cudaError_t run_product(const ladder::Rung& rung, const ladder::Call& call,
                        results::Observation& seen) {
  name_matrices(call.product);
  return machine::run(launch_of(rung, call), seen);
}

std::optional<results::Timing> time_product(const ladder::Rung& rung, const ladder::Call& call,
                                            const results::MeasureOptions& options) {
  const ladder::Sgemm& problem = call.product;
  if (problem.M == 0 || problem.N == 0) return std::nullopt;
  const ladder::Rung& reference = *ladder::all().front();
  const bool is_reference = &rung == &reference;
  std::optional<results::Timing> timing =
      machine::time(launch_of(rung, call),
                    is_reference ? machine::Launch() : launch_of(reference, call), options);
  if (!timing) return timing;
  timing->is_reference = is_reference;
  if (const int products = rung.arithmetic.fp16_products;
      products > 0 && !options.once && call.batch == 1) {
    constexpr double MOST_SECONDS = 0.2;
    if (const auto fp16 = machine::fp16_gflops(problem.M, problem.N, problem.K,
                                               std::min(options.seconds, MOST_SECONDS)))
      timing->fp16_roof_gflops = *fp16 / products;
  }
  return timing;
}

}  // namespace runner

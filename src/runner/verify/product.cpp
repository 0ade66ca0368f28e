#include "runner/verify/product.hpp"

#include <algorithm>

namespace runner {

machine::Launch launch_of(const ladder::Rung& rung, const ladder::Sgemm& problem) {
  return [&rung, problem](cudaStream_t stream) { return ladder::launch(rung, problem, stream); };
}

void name_matrices(const ladder::Sgemm& problem) {
  machine::name_buffer(problem.A, "A");
  machine::name_buffer(problem.B, "B");
  machine::name_buffer(problem.C, "C");
}

std::vector<results::ExpectedRung> expected_rungs(const ladder::ProductShape& shape,
                                                  const ladder::Gpu& gpu) {
  const ladder::Choice choice = ladder::choose_rung(shape, 1, gpu);
  std::vector<results::ExpectedRung> expected;
  for (size_t i = 0; i < choice.count; ++i) {
    const auto& [number, us] = choice.rungs[i];
    expected.push_back({.number = number, .name = ladder::rung_with(number).name, .us = us});
  }
  return expected;
}

std::vector<results::ExpectedRung> expected_rungs(const ladder::Sgemm& problem) {
  ladder::Gpu gpu{};
  if (ladder::describe_gpu(&gpu) != cudaSuccess) return {};
  return expected_rungs(ladder::shape_of(problem), gpu);
}

cudaError_t run_product(const ladder::Rung& rung, const ladder::Sgemm& problem,
                        results::Observation& seen) {
  name_matrices(problem);
  return machine::run(launch_of(rung, problem), seen);
}

std::optional<results::Timing> time_product(const ladder::Rung& rung, const ladder::Sgemm& problem,
                                            const results::MeasureOptions& options) {
  if (problem.M == 0 || problem.N == 0) return std::nullopt;
  const ladder::Rung& reference = *ladder::all().front();
  const bool is_reference = &rung == &reference;
  std::optional<results::Timing> timing =
      machine::time(launch_of(rung, problem),
                    is_reference ? machine::Launch() : launch_of(reference, problem), options);
  if (!timing) return timing;
  timing->is_reference = is_reference;
  if (const int products = rung.arithmetic.fp16_products; products > 0 && !options.once) {
    constexpr double MOST_SECONDS = 0.2;
    if (const auto fp16 = machine::fp16_gflops(problem.M, problem.N, problem.K,
                                               std::min(options.seconds, MOST_SECONDS)))
      timing->fp16_roof_gflops = *fp16 / products;
  }
  return timing;
}

}  // namespace runner

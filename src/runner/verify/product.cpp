#include "runner/verify/product.hpp"

namespace runner {

machine::Launch launch_of(const ladder::Rung& rung, const ladder::Sgemm& problem) {
  return [&rung, problem](cudaStream_t stream) { return ladder::launch(rung, problem, stream); };
}

void name_matrices(const ladder::Sgemm& problem) {
  machine::name_buffer(problem.A, "A");
  machine::name_buffer(problem.B, "B");
  machine::name_buffer(problem.C, "C");
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
    if (const auto fp16 = machine::fp16_gflops(problem.M, problem.N, problem.K))
      timing->fp16_roof_gflops = *fp16 / products;
  }
  return timing;
}

}  // namespace runner

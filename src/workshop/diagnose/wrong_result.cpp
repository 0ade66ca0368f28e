#include "workshop/diagnose/wrong_result.hpp"

#include <algorithm>
#include <cmath>

#include "runner/machine/device_buffer.hpp"
#include "runner/verify/inputs.hpp"

namespace workshop {
namespace {

std::vector<float> copy_of(const float* matrix, int64_t rows, int64_t cols, int64_t ld) {
  std::vector<float> copy(rows == 0 || cols == 0 ? 0 : static_cast<size_t>((rows - 1) * ld + cols));
  if (copy.empty()) return copy;
  runner::check(
      cudaMemcpy(copy.data(), matrix, copy.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return copy;
}

// Launches, waits and copies C. Returns false after an error.
bool run(const ladder::Rung& rung, const ladder::Sgemm& sgemm, Evidence& evidence) {
  if (ladder::launch(rung, sgemm, nullptr) != cudaSuccess) return false;
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  evidence.C = copy_of(sgemm.C, sgemm.M, sgemm.N, sgemm.ldc);
  return true;
}

}  // namespace

Diagnosis diagnose(const ladder::Rung& rung, const results::Problem& problem,
                   runner::Verifier& verifier, const BlockTile& tile, const text::Page& page) {
  const int64_t M = problem.M, N = problem.N, K = problem.K;
  const ladder::Sgemm sgemm = verifier.prepare(runner::Values::integers);
  Evidence evidence{.M = M,
                    .N = N,
                    .K = K,
                    .alpha = sgemm.alpha,
                    .beta = sgemm.beta,
                    .lda = sgemm.lda,
                    .ldb = sgemm.ldb,
                    .ldc = sgemm.ldc,
                    .A = copy_of(sgemm.A, M, K, sgemm.lda),
                    .B = copy_of(sgemm.B, K, N, sgemm.ldb),
                    .before = copy_of(sgemm.C, M, N, sgemm.ldc),
                    .tile = tile};
  if (!run(rung, sgemm, evidence)) return {};
  Diagnosis found = diagnose(evidence, page);
  const bool has_computed_nan = std::ranges::any_of(
      evidence.C, [](float c) { return std::isnan(c) && !runner::is_poison(c); });
  if (problem.beta != 0 || !has_computed_nan) return found;

  // Poison read from C gives NaN, and so does poison read around A and B. A run with numbers in C tells the two apart.
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      evidence.before[static_cast<size_t>(i * sgemm.ldc + j)] =
          static_cast<float>((i + 3 * j) % 7 + 1);
    }
  }
  runner::check(cudaMemcpy(sgemm.C, evidence.before.data(), evidence.before.size() * sizeof(float),
                           cudaMemcpyHostToDevice));
  if (!run(rung, sgemm, evidence)) return found;
  Diagnosis with_numbers = diagnose(evidence, page);
  if (with_numbers.wrong == 0) {
    found.causes = {
        {.name = "old C kept at beta = 0",
         .sentence =
             "Beta is 0, but your kernel reads C. With numbers in C its result is right; with NaN "
             "in C its result is NaN, since 0 * NaN is NaN. Load C only if beta is not 0, as "
             "blend() does."}};
    return found;
  }
  const bool was_read = std::ranges::any_of(with_numbers.causes, [](const Cause& cause) {
    return cause.name == "old C kept at beta = 0";
  });
  return was_read ? with_numbers : found;
}

}  // namespace workshop

#include "workshop/wrong_result.hpp"

#include "runner/device_buffer.hpp"

namespace workshop {
namespace {

std::vector<float> copy_of(const float* matrix, int64_t rows, int64_t cols, int64_t ld) {
  std::vector<float> copy(rows == 0 || cols == 0 ? 0 : static_cast<size_t>((rows - 1) * ld + cols));
  if (copy.empty()) return copy;
  runner::check(
      cudaMemcpy(copy.data(), matrix, copy.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return copy;
}

}  // namespace

Diagnosis diagnose(const ladder::Rung& rung, const results::Problem& problem,
                   runner::Verifier& verifier, const Tile& tile, const text::Page& page) {
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
  if (ladder::launch(rung, sgemm, nullptr) != cudaSuccess) return {};
  if (cudaDeviceSynchronize() != cudaSuccess) return {};
  evidence.C = copy_of(sgemm.C, M, N, sgemm.ldc);
  return diagnose(evidence, page);
}

}  // namespace workshop

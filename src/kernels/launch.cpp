// The rules of BLAS that hold for every rung.
#include <algorithm>

#include "kernels/ladder.hpp"

namespace ladder {
namespace {

bool is_well_formed(const Sgemm& p) {
  if (p.M < 0 || p.N < 0 || p.K < 0) return false;
  return p.lda >= std::max<int64_t>(1, p.cols_of_a()) &&
         p.ldb >= std::max<int64_t>(1, p.cols_of_b()) && p.ldc >= std::max<int64_t>(1, p.N);
}

bool is_empty(const Sgemm& p) { return p.M == 0 || p.N == 0; }

Sgemm without_unneeded_product(Sgemm p) {
  if (!has_product(p.alpha, p.K)) {
    p.K = 0;
    p.alpha = 0.0f;
  }
  return p;
}

// True if the products' results do not overlap.
bool results_are_apart(const Call& call) {
  const Sgemm& p = call.product;
  return call.batch <= 1 || is_empty(p) || call.stride_c >= (p.M - 1) * p.ldc + p.N;
}

// Returns the error of a call that cannot be launched, or cudaSuccess.
cudaError_t refusal_of(const Rung& rung, const Call& call) {
  const Sgemm& p = call.product;
  if (p.has_transposes() && !rung.takes_transposes) return cudaErrorNotSupported;
  if (!is_well_formed(p) || call.batch < 0) return cudaErrorInvalidValue;
  if (call.stride_a < 0 || call.stride_b < 0 || call.stride_c < 0) return cudaErrorInvalidValue;
  if (is_empty(p) || call.batch == 0) return cudaSuccess;
  if (p.C == nullptr || !results_are_apart(call)) return cudaErrorInvalidValue;
  const bool lacks_operand = p.A == nullptr || p.B == nullptr;
  return has_product(p.alpha, p.K) && lacks_operand ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace

cudaError_t launch(const Rung& rung, const Call& call, cudaStream_t stream) {
  if (const cudaError_t refusal = refusal_of(rung, call); refusal != cudaSuccess) return refusal;
  if (is_empty(call.product)) return cudaSuccess;
  Call needed = call;
  needed.product = without_unneeded_product(call.product);
  if (needed.batch > 1 && rung.launch_batch != nullptr) return rung.launch_batch(needed, stream);
  for (int64_t i = 0; i < needed.batch; ++i) {
    const cudaError_t error = rung.launch(needed.product_at(i), stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t launch(const Rung& rung, const Sgemm& problem, cudaStream_t stream) {
  return launch(rung, Call(problem), stream);
}

cudaError_t launch_and_tell(const Rung& rung, const Sgemm& problem, cudaStream_t stream,
                            LeftToFP64* left) {
  *left = {};
  if (rung.launch_and_tell == nullptr) return cudaErrorNotSupported;
  if (const cudaError_t refusal = refusal_of(rung, Call(problem)); refusal != cudaSuccess)
    return refusal;
  if (is_empty(problem)) return cudaSuccess;
  return rung.launch_and_tell(without_unneeded_product(problem), stream, left);
}

const char* path(const Rung& rung, const Sgemm& problem) {
  if (rung.path == nullptr || !is_well_formed(problem) || is_empty(problem)) return nullptr;
  return rung.path(without_unneeded_product(problem));
}

}  // namespace ladder

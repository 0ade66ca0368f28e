// A product on one GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace distributed {

/// C = alpha op(A) op(B) + beta C of column-major matrices in device memory.
struct LocalProduct {
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 0;
  const float* a = nullptr;
  int64_t lda = 1;
  const float* b = nullptr;
  int64_t ldb = 1;
  float* c = nullptr;
  int64_t ldc = 1;
};

/// A failed call of sgemm_ladder.h, with its text.
class LadderError : public std::runtime_error {
 public:
  LadderError(int status, const char* text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Computes the product with an algorithm of sgemm_ladder.h. Throws LadderError.
void multiply_with_ladder(const LocalProduct& product, int algorithm, cudaStream_t stream);

/// Returns the bytes of device memory that multiply_with_ladder() takes for its intermediate results.
int64_t workspace_bytes(const LocalProduct& product, int algorithm);

}  // namespace distributed

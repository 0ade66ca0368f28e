// The matrices of a run, and this process's parts of them.
#pragma once

#include <cstdint>
#include <optional>

#include "distributed/check/elements.hpp"
#include "distributed/gpu/cuda.hpp"
#include "distributed/product/product.hpp"

namespace distributed {

/// A product of matrices that the run makes for itself.
struct Problem {
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 0;
  uint64_t seed = 1;
  int64_t block = 0, panel = 0;
  int algorithm = 0;  // of sgemm_ladder.h
  bool is_reproducible = false;
  int64_t device_bytes =
      0;  // what a GPU may hold, with the matrices in the host's memory; 0: they lie in the GPU's
};

/// Returns the product with its layouts, without memory for the matrices.
Product product_without_data(const Problem& problem, const Grid& grid, int rank);

/// Returns the bytes of a process's parts of A, B and C.
int64_t matrix_bytes(const Product& product, const Grid& grid, int rank);

/// Memory for floats, with NaNs before and behind it.
class GuardedFloats {
 public:
  GuardedFloats(int64_t floats, bool is_on_host);
  float* data() const { return begin_ + GUARD; }
  /// True if the NaNs are as they were written.
  bool is_intact() const;

 private:
  static constexpr int64_t GUARD = 1024;
  const int64_t floats_;
  std::optional<DeviceFloats> on_device_;
  std::optional<HostFloats> on_host_;
  float* begin_ = nullptr;  // of one of the two
};

class Matrices {
 public:
  /// Of the process `rank` on a grid. Throws std::runtime_error if memory lacks.
  Matrices(const Problem& problem, const Grid& grid, int rank);

  /// Returns the product that was asked for.
  const Product& product() const { return product_; }
  /// Fills the matrices, and returns the product: as it was asked for, or of whole numbers, whose alpha and beta are whole too.
  Product filled_with(Elements elements) const;
  /// True if nothing was written round the matrices.
  bool are_intact() const;

 private:
  const uint64_t seed_;
  const Grid grid_;
  const int rank_;
  Product product_;
  const GuardedFloats a_, b_, c_;
};

}  // namespace distributed

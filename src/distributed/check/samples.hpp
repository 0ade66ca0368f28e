// Compares elements of a product with FP64.
#pragma once

#include <cstdint>
#include <optional>

#include "distributed/product/product.hpp"

namespace distributed {

/// An element of C that is wrong.
struct WrongElement {
  int64_t row = 0, col = 0;
  double got = 0, wanted = 0;
};

/// The result of a process's check.
struct Checked {
  int64_t elements = 0;
  double worst = 0;  // the largest error, over its bound
  std::optional<WrongElement> wrong;
};

/// Computes `count` elements of this process's part of C anew, from the elements of A, B and the old C that fill() made with `seed`. The bound
/// is that of a sum in FP32: (k + 2) 2^-23 times the sum of magnitudes.
Checked check_samples(const Product& product, const Grid& grid, int rank, uint64_t seed,
                      int64_t count);

}  // namespace distributed

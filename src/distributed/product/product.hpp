// The product C = alpha op(A) op(B) + beta C of matrices that lie on a grid of processes (SUMMA: van de Geijn and Watts, 1997).
#pragma once

#include <cstdint>

#include "distributed/layout/layout.hpp"
#include "distributed/product/panel.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

struct Product {
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  Factor a, b;
  Layout c;
  float* c_data = nullptr;
  int64_t ldc = 1;
  int64_t panel = 0;  // the width of a panel, in elements of k
  int algorithm = 0;  // of sgemm_ladder.h
};

/// The seconds of a product on this process.
struct Times {
  double whole = 0, product = 0, communication = 0;
};

/// Computes the product. All processes of the grid call it. While a panel is multiplied, the next one is brought. Returns when C is there.
/// Throws std::runtime_error if CUDA, the library or the transport fails.
Times multiply(const Product& product, const Grid& grid, int rank, Transport& transport);

}  // namespace distributed

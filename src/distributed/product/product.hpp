// The product C = alpha op(A) op(B) + beta C of matrices that lie on a grid of processes (SUMMA: van de Geijn and Watts, 1997).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/gpu/local_product.hpp"
#include "distributed/layout/layout.hpp"
#include "distributed/product/panel.hpp"
#include "distributed/product/workspace.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// Returns how much of k is brought and multiplied at once, unless the caller says otherwise: a quarter, so that three of four panels
/// arrive behind a product; but at least 2048, so that a product keeps the GPU busy, and at most 8192, because two lie in memory.
inline int64_t usual_panel(int64_t k) {
  constexpr int64_t PANELS = 4, STEP = 512, LEAST = 2048, MOST = 8192;
  const int64_t part = (k + PANELS - 1) / PANELS;
  return std::clamp((part + STEP - 1) / STEP * STEP, LEAST, MOST);
}

struct Product {
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  Factor a, b;
  Layout c;
  float* c_data = nullptr;
  int64_t ldc = 1;
  int64_t panel = 0;  // the width of a panel, in elements of k
  int algorithm = 0;  // of sgemm_ladder.h
  // The matrices lie in pinned host memory. multiply_tiles() takes such a product (tiles.hpp), multiply() takes only A and B there.
  bool is_on_host = false;
  // Each block of C is a product of its own, so that C has the same bits on every grid of the same GPUs. A, B and C have the same blocks.
  // The blocks and ldc are multiples of 4, and C is aligned to 16 bytes: what a kernel does depends on the alignment.
  bool is_reproducible = false;
};

/// What this process did for a while, in seconds since the product began.
struct TimedSpan {
  bool is_product = false;  // false: messages
  int64_t panel = 0;
  double begin = 0, end = 0;
};

/// What a product took on this process.
struct Times {
  double whole = 0;  // seconds
  std::vector<TimedSpan> spans;
  int64_t received_bytes = 0;  // from other processes
};

/// Computes the product. All processes of the grid call it. While a panel is multiplied, the next one is brought. Returns when C is there.
/// Throws std::runtime_error if CUDA, the library or the transport fails. The workspace must not be used again then.
Times multiply(const Product& product, const Grid& grid, int rank, Transport& transport,
               Workspace& workspace);

/// Allocates now the memory that multiply() takes from the workspace. Throws CudaError if there is too little.
void reserve(const Product& product, const Grid& grid, int rank, Workspace& workspace);

/// Returns the product as one process computes it that has all of A, B and C.
LocalProduct local(const Product& product);

/// Returns the bytes of device memory that multiply() takes on a process beside the matrices. The product needs no data.
int64_t bytes_of_product(const Product& product, const Grid& grid, int rank);

}  // namespace distributed

// The time of a product by rung 16, estimated as a sum: of each kind of work how much there is, times the microseconds for one of it.
// bench/fit_times finds the microseconds from recorded times.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/best/product_shape.hpp"
#include "kernels/tensor/division.hpp"
#include "kernels/tensor/tile_rows.hpp"
#include "kernels/tuned/tile.hpp"
#include "kernels/tuned/tile_times.hpp"

namespace ladder {

/// The kinds of work, and the unit of each.
enum class TensorWork : size_t {
  launches,          // all launches of a product without parts
  tiles,             // that the busiest multiprocessor computes
  steps_of_64_rows,  // of 64 k, in tiles of 64 rows, that the busiest multiprocessor computes
  steps_of_128_rows,
  steps_of_192_rows,
  split,         // megabytes that the split reads and writes
  scalar_split,  // of these, megabytes that it reads a float at a time
  c,             // megabytes of C
  scalar_c,      // of these, megabytes that are written a float at a time
  adding,        // the kernel that adds the parts of K
  parts,         // megabytes of the parts of K
  count
};

using TensorWorks = Works<TensorWork>;

/// Returns the work of `batch` products, launched together, that are is_for_tensor_fp32(). What data may leave to FP64 is not in it.
constexpr TensorWorks works_of_tensor_fp32(const ProductShape& s, int64_t batch,
                                           const Device& device) {
  using Sizes = TensorFp32Sizes;
  const auto megabytes = [batch](int64_t x, int64_t y, int64_t bytes) {
    return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(batch * bytes) /
           1e6;
  };
  const int rows = rows_of_tile(s.M, s.N, batch, device.multiprocessors);
  const Division d =
      division_of(s.M, s.N, s.K, rows, Sizes::BN, Sizes::BK, device.multiprocessors / batch,
                  Sizes::LEAST_STEPS, Sizes::MOST_STEPS);
  const TensorWork steps = rows == 64    ? TensorWork::steps_of_64_rows
                           : rows == 128 ? TensorWork::steps_of_128_rows
                                         : TensorWork::steps_of_192_rows;
  TensorWorks works;
  works[TensorWork::launches] = 1;
  const auto tiles =
      static_cast<double>(device::ceil_div(d.pieces() * batch, device.multiprocessors));
  works[TensorWork::tiles] = tiles;
  works[steps] = tiles * static_cast<double>(device::ceil_div(d.chunk, Sizes::BK));
  works[TensorWork::split] = megabytes(s.M + s.N, s.K, 8);
  works[TensorWork::c] = megabytes(s.M, s.N, 4);
  if (!s.aligned_a || !s.aligned_b || !s.aligned_c) {
    works[TensorWork::scalar_split] = works[TensorWork::split];
    works[TensorWork::scalar_c] = works[TensorWork::c];
  }
  if (d.parts > 1) {
    works[TensorWork::adding] = 1;
    works[TensorWork::parts] = megabytes(s.M * d.parts, s.N, 8);
  }
  return works;
}

}  // namespace ladder

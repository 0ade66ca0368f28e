#include "distributed/run/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace distributed {
namespace {

int64_t ld_of(const Layout& layout, const Grid& grid, int rank) {
  return aligned_ld(layout.rows_on(grid, rank));
}

int64_t floats_of(const Layout& layout, const Grid& grid, int rank) {
  return ld_of(layout, grid, rank) * layout.cols_on(grid, rank);
}

}  // namespace

Product product_without_data(const Problem& p, const Grid& grid, int rank) {
  const auto factor = [&](int64_t rows, int64_t cols, bool is_transposed) {
    const Layout layout = is_transposed ? square_blocks(cols, rows, p.block, grid)
                                        : square_blocks(rows, cols, p.block, grid);
    return Factor{layout, nullptr, ld_of(layout, grid, rank), is_transposed, p.device_bytes > 0};
  };
  const Layout c = square_blocks(p.m, p.n, p.block, grid);
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .alpha = p.alpha,
          .beta = p.beta,
          .a = factor(p.m, p.k, p.trans_a),
          .b = factor(p.k, p.n, p.trans_b),
          .c = c,
          .ldc = ld_of(c, grid, rank),
          .panel = std::min(p.panel, p.k),
          .algorithm = p.algorithm,
          .is_on_host = p.device_bytes > 0,
          .is_reproducible = p.is_reproducible};
}

int64_t matrix_bytes(const Product& p, const Grid& grid, int rank) {
  int64_t floats = 0;
  for (const Layout& layout : {p.a.layout, p.b.layout, p.c})
    floats += floats_of(layout, grid, rank);
  return floats * static_cast<int64_t>(sizeof(float));
}

GuardedFloats::GuardedFloats(int64_t floats, bool is_on_host) : floats_(floats) {
  if (is_on_host) {
    begin_ = on_host_.emplace(floats + 2 * GUARD).data();
  } else {
    begin_ = on_device_.emplace(floats + 2 * GUARD).data();
  }
  const std::vector<float> nans(GUARD, std::numeric_limits<float>::quiet_NaN());
  for (float* guard : {begin_, data() + floats_})
    check(cudaMemcpy(guard, nans.data(), GUARD * sizeof(float), cudaMemcpyDefault));
}

bool GuardedFloats::is_intact() const {
  constexpr size_t BYTES = GUARD * sizeof(float);
  std::vector<float> guards(2 * GUARD);
  check(cudaMemcpy(guards.data(), begin_, BYTES, cudaMemcpyDefault));
  check(cudaMemcpy(guards.data() + GUARD, data() + floats_, BYTES, cudaMemcpyDefault));
  return std::ranges::all_of(guards, [](float x) { return std::isnan(x); });
}

Matrices::Matrices(const Problem& problem, const Grid& grid, int rank)
    : seed_(problem.seed),
      grid_(grid),
      rank_(rank),
      product_(product_without_data(problem, grid, rank)),
      a_(floats_of(product_.a.layout, grid, rank), product_.is_on_host),
      b_(floats_of(product_.b.layout, grid, rank), product_.is_on_host),
      c_(floats_of(product_.c, grid, rank), product_.is_on_host) {
  product_.a.data = a_.data();
  product_.b.data = b_.data();
  product_.c_data = c_.data();
}

Product Matrices::filled_with(Elements elements) const {
  const auto fill_one = [&](const GuardedFloats& data, Name name, const Layout& layout) {
    check(fill(data.data(), ld_of(layout, grid_, rank_), elements, name, seed_, layout, grid_,
               rank_, nullptr));
  };
  fill_one(a_, Name::a, product_.a.layout);
  fill_one(b_, Name::b, product_.b.layout);
  fill_one(c_, Name::c, product_.c);
  check(cudaDeviceSynchronize());
  Product product = product_;
  for (float* scalar : {&product.alpha, &product.beta})
    if (elements == Elements::whole && *scalar != 0 && *scalar != 1) *scalar = 2;
  return product;
}

bool Matrices::are_intact() const { return a_.is_intact() && b_.is_intact() && c_.is_intact(); }

}  // namespace distributed

#include "distributed/check/elements.hpp"

namespace distributed {
namespace {

__global__ void fill_kernel(float* data, int64_t ld, Elements elements, Name name, uint64_t seed,
                            Layout layout, int row, int col, int64_t rows, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (i % ld >= rows) {
      data[i] = __int_as_float(-1);  // a NaN
      continue;
    }
    const int64_t r = layout.rows.element_at(i % ld, row);
    const int64_t c = layout.cols.element_at(i / ld, col);
    data[i] = elements == Elements::whole ? whole_element_of(name, seed, r, c)
                                          : element_of(name, seed, r, c);
  }
}

}  // namespace

cudaError_t fill(float* data, int64_t ld, Elements elements, Name name, uint64_t seed,
                 const Layout& layout, const Grid& grid, int rank, cudaStream_t stream) {
  constexpr int THREADS = 256;
  constexpr int64_t MOST_BLOCKS = 4096;
  const int64_t rows = layout.rows_on(grid, rank);
  const int64_t count = ld * layout.cols_on(grid, rank);
  if (count == 0) return cudaSuccess;
  const int64_t blocks = (count + THREADS - 1) / THREADS;
  fill_kernel<<<static_cast<unsigned>(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS, 0,
                stream>>>(data, ld, elements, name, seed, layout, grid.row_of(rank),
                          grid.col_of(rank), rows, count);
  return cudaGetLastError();
}

}  // namespace distributed

#include "distributed/check/bits.hpp"
#include "distributed/gpu/cuda.hpp"

namespace distributed {
namespace {

constexpr int THREADS = 256;

__global__ void bits_kernel(const float* c, int64_t ldc, Layout layout, int row, int col,
                            int64_t rows, int64_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  const int64_t step = int64_t{gridDim.x} * THREADS;
  for (int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x; i < count; i += step) {
    const int64_t place = layout.cols.element_at(i / rows, col) * layout.rows.size +
                          layout.rows.element_at(i % rows, row);
    const auto bits =
        static_cast<unsigned long long>(__float_as_uint(c[i % rows + i / rows * ldc]));
    mine += bits * (2 * static_cast<unsigned long long>(place) + 1);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    mine += __shfl_xor_sync(0xffffffff, mine, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

}  // namespace

uint64_t sum_of_bits(const float* c, int64_t ldc, const Layout& layout, const Grid& grid,
                     int rank) {
  constexpr int64_t MOST_BLOCKS = 4096;
  const int64_t rows = layout.rows_on(grid, rank), count = rows * layout.cols_on(grid, rank);
  if (count == 0) return 0;
  const DeviceArray<unsigned long long> sum(1);
  check(cudaMemset(sum.data(), 0, sizeof(unsigned long long)));
  const int64_t blocks = (count + THREADS - 1) / THREADS;
  bits_kernel<<<static_cast<unsigned>(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS>>>(
      c, ldc, layout, grid.row_of(rank), grid.col_of(rank), rows, count, sum.data());
  check(cudaGetLastError());
  unsigned long long on_host = 0;
  check(cudaMemcpy(&on_host, sum.data(), sizeof on_host, cudaMemcpyDeviceToHost));
  return on_host;
}

}  // namespace distributed

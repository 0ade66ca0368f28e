#include "distributed/check/sums.hpp"

#include "distributed/gpu/cuda.hpp"

namespace distributed {
namespace {

constexpr int THREADS = 256;

__device__ double element(float x, bool squares) {
  return squares ? double{x} * double{x} : double{x};
}

// A thread computes a row of X x: neighbours read neighbours.
__global__ void row_sums_kernel(const float* matrix, int64_t ld, int64_t rows, int64_t cols,
                                bool squares, const double* x, double* sums) {
  const int64_t row = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int64_t col = 0; col < cols; ++col) sum += element(matrix[row + col * ld], squares) * x[col];
  sums[row] = sum;
}

// A warp computes a column of X' x.
__global__ void col_sums_kernel(const float* matrix, int64_t ld, int64_t rows, int64_t cols,
                                bool squares, const double* x, double* sums) {
  const int64_t col = (int64_t{blockIdx.x} * THREADS + threadIdx.x) / 32;
  if (col >= cols) return;
  double sum = 0;
  for (int64_t row = threadIdx.x % 32; row < rows; row += 32)
    sum += element(matrix[row + col * ld], squares) * x[row];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) sums[col] = sum;
}

unsigned blocks_for(int64_t threads) {
  return static_cast<unsigned>((threads + THREADS - 1) / THREADS);
}

}  // namespace

std::vector<double> sums_of(const float* matrix, int64_t ld, int64_t rows, int64_t cols,
                            bool is_transposed, bool squares, const std::vector<double>& x) {
  std::vector<double> sums(static_cast<size_t>(is_transposed ? cols : rows), 0);
  if (rows == 0 || cols == 0) return sums;
  const DeviceArray<double> on_device(static_cast<int64_t>(x.size())),
      sums_on_device(static_cast<int64_t>(sums.size()));
  check(cudaMemcpy(on_device.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice));
  if (is_transposed) {
    col_sums_kernel<<<blocks_for(cols * 32), THREADS>>>(matrix, ld, rows, cols, squares,
                                                        on_device.data(), sums_on_device.data());
  } else {
    row_sums_kernel<<<blocks_for(rows), THREADS>>>(matrix, ld, rows, cols, squares,
                                                   on_device.data(), sums_on_device.data());
  }
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), sums_on_device.data(), sums.size() * sizeof(double),
                   cudaMemcpyDeviceToHost));
  return sums;
}

}  // namespace distributed

// A sparse matrix in CSR times a vector: a thread a row, then a warp a row; rows of very different lengths.
// Easily got wrong: the warp's partial sums are combined by all 32 lanes also when the row is short.
#include <cstdio>
#include <vector>

__global__ void scalar(int rows, const int* start, const int* column, const float* value, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
__global__ void vector(int rows, const int* start, const int* column, const float* value, const float* x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] = sum;
}

template <typename T>
T* to_device(const std::vector<T>& h) {
  T* d;
  cudaMalloc(&d, h.size() * sizeof(T));
  cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int n = 333;
  std::vector<int> start = {0}, column;
  std::vector<float> value, x(n), expected(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = float(i % 5 - 2);
  for (int i = 0; i < n; ++i) {
    const int length = i % 50 == 0 ? 200 : i % 7;  // some rows are empty, some long
    for (int k = 0; k < length; ++k) {
      column.push_back((i * 3 + k * 11) % n);
      value.push_back(float((i + k) % 9));
      expected[i] += value.back() * x[column.back()];
    }
    start.push_back(int(column.size()));
  }
  int *d_start = to_device(start), *d_column = to_device(column);
  float *d_value = to_device(value), *d_x = to_device(x);
  float* d_y = to_device(y);
  scalar<<<(n + 63) / 64, 64>>>(n, d_start, d_column, d_value, d_x, d_y);
  cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("scalar %g %g %s\n", y[0], y[300], y == expected ? "PASSED" : "FAILED");
  cudaMemset(d_y, 0, n * sizeof(float));
  vector<<<(n * 32 + 127) / 128, 128>>>(n, d_start, d_column, d_value, d_x, d_y);
  cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("vector %g %g %s\n", y[0], y[300], y == expected ? "PASSED" : "FAILED");
  for (int* p : {d_start, d_column}) cudaFree(p);
  for (float* p : {d_value, d_x, d_y}) cudaFree(p);
}

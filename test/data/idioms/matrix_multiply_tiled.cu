// The tiled matrix product of the programming guide, with structures of width, stride and elements, any size.
// Easily got wrong: two barriers a tile, and zeros where the tile hangs over the edge.
#include <cstdio>

constexpr int TILE = 16;
struct Matrix { int rows, columns, stride; float* data; };

__global__ void multiply(Matrix a, Matrix b, Matrix c) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int ty = threadIdx.y, tx = threadIdx.x;
  const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k = 0; k < a.columns; k += TILE) {
    as[ty][tx] = row < a.rows && k + tx < a.columns ? a.data[row * a.stride + k + tx] : 0;
    bs[ty][tx] = k + ty < b.rows && column < b.columns ? b.data[(k + ty) * b.stride + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < c.rows && column < c.columns) c.data[row * c.stride + column] = sum;
}

Matrix make(int rows, int columns, int stride) {
  Matrix m = {rows, columns, stride, nullptr};
  cudaMallocManaged(&m.data, rows * stride * sizeof(float));
  for (int i = 0; i < rows * stride; ++i) m.data[i] = float(i * 13 % 7) - 3;
  return m;
}

int main() {
  const int sizes[][3] = {{32, 32, 32}, {50, 33, 71}, {1, 5, 100}, {17, 1, 1}};
  for (const auto& s : sizes) {
    const Matrix a = make(s[0], s[2], s[2] + 3), b = make(s[2], s[1], s[1]), c = make(s[0], s[1], s[1] + 1);
    multiply<<<dim3((s[1] + TILE - 1) / TILE, (s[0] + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a, b, c);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < s[0]; ++i) {
      for (int j = 0; j < s[1]; ++j) {
        float sum = 0;
        for (int k = 0; k < s[2]; ++k) sum += a.data[i * a.stride + k] * b.data[k * b.stride + j];
        wrong += c.data[i * c.stride + j] != sum;
      }
    }
    printf("%dx%dx%d: %g %s\n", s[0], s[1], s[2], c.data[0], wrong ? "FAILED" : "PASSED");
    cudaFree(a.data);
    cudaFree(b.data);
    cudaFree(c.data);
  }
}

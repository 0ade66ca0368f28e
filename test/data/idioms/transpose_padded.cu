// The transpose through a padded shared tile, 32 x 8 threads, for sides that are no multiple of 32.
// Easily got wrong: the block's coordinates swap, the thread's do not.
#include <cstdio>

constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int sizes[][2] = {{64, 64}, {100, 37}, {1, 200}, {129, 65}};
  float *in, *out;
  cudaMallocManaged(&in, 129 * 65 * sizeof(float));
  cudaMallocManaged(&out, 129 * 65 * sizeof(float));
  for (int i = 0; i < 129 * 65; ++i) in[i] = float(i);
  for (const auto& size : sizes) {
    const int rows = size[0], columns = size[1];
    transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(TILE, ROWS)>>>(in, out, rows, columns);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) wrong += out[c * rows + r] != in[r * columns + c];
    printf("%dx%d %g %s\n", rows, columns, out[1], wrong ? "FAILED" : "PASSED");
  }
  cudaFree(in);
  cudaFree(out);
}

// cudaMallocPitch and cudaMemcpy2D: rows that start aligned, with padding that copies skip.
// Easily got wrong: the pitch counts bytes, so the row's address is computed through char*.
#include <cstdio>

__global__ void scale(float* data, size_t pitch, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(data) + y * pitch);
  row[x] = row[x] * 2 + y;
}

int main() {
  const int w = 67, h = 31;
  static float in[h][w], out[h][w + 5];
  for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) in[y][x] = float(x * 100 + y);
  for (auto& row : out) for (float& v : row) v = -1;
  float* d;
  size_t pitch;
  cudaMallocPitch(&d, &pitch, w * sizeof(float), h);
  cudaMemset2D(d, pitch, 0, w * sizeof(float), h);
  cudaMemcpy2D(d, pitch, in, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  scale<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(d, pitch, w, h);
  cudaMemcpy2D(out, (w + 5) * sizeof(float), d, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) wrong += out[y][x] != in[y][x] * 2 + y;
    for (int x = w; x < w + 5; ++x) wrong += out[y][x] != -1;
  }
  printf("a row of %zu bytes fits: %d, aligned: %d\n", w * sizeof(float), pitch >= w * sizeof(float), pitch % 256 == 0);
  printf("%g %g %s\n", out[30][66], out[1][1], wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

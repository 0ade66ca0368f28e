// A one-dimensional stencil of radius 3 whose tile in shared memory has a halo, and a 2-D one of five points.
// Easily got wrong: who loads the halo when the block is the last and not full.
#include <cstdio>

constexpr int RADIUS = 3, BLOCK = 128;

__global__ void stencil(const int* in, int* out, int n) {
  __shared__ int s[BLOCK + 2 * RADIUS];
  const int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + RADIUS;
  s[l] = g < n ? in[g] : 0;
  if (threadIdx.x < RADIUS) {
    s[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
    s[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int o = -RADIUS; o <= RADIUS; ++o) sum += s[l + o] * (o + 4);
  if (g < n) out[g] = sum;
}
__global__ void five_points(const int* in, int* out, int w, int h) {
  __shared__ int s[10][18];
  const int x0 = int(blockIdx.x) * 16 - 1, y0 = int(blockIdx.y) * 8 - 1;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 180; i += 128) {
    const int x = min(max(x0 + i % 18, 0), w - 1), y = min(max(y0 + i / 18, 0), h - 1);
    s[i / 18][i % 18] = in[y * w + x];
  }
  __syncthreads();
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
  if (x < w && y < h) out[y * w + x] = s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1] - 4 * s[ty][tx];
}

int main() {
  const int n = 1003, w = 50, h = 20;
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * i % 37;
  stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int o = -RADIUS; o <= RADIUS; ++o) sum += i + o >= 0 && i + o < n ? in[i + o] * (o + 4) : 0;
    wrong += out[i] != sum;
  }
  printf("%d %d ", out[0], out[n - 1]);
  five_points<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(in, out, w, h);
  cudaDeviceSynchronize();
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const auto at = [&](int a, int b) { return in[(b < 0 ? 0 : b >= h ? h - 1 : b) * w + (a < 0 ? 0 : a >= w ? w - 1 : a)]; };
      wrong += out[y * w + x] != at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y) - 4 * at(x, y);
    }
  }
  printf("%d %d %s\n", out[0], out[999], wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

// The game of life on a torus, two boards in turn; a glider wanders, an R-pentomino grows.
// Easily got wrong: read one board, write the other, and swap pointers only between launches.
#include <cstdio>
#include <utility>

__global__ void generation(const unsigned char* from, unsigned char* to, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) neighbours += from[(y + dy + h) % h * w + (x + dx + w) % w];
  to[y * w + x] = neighbours == 3 || (neighbours == 2 && from[y * w + x]);
}

int main() {
  const int w = 48, h = 30;
  unsigned char *a, *b, expected[w * h] = {}, next[w * h];
  const int cells[][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {25, 14}, {26, 14}, {24, 15}, {25, 15}, {25, 16}};
  for (const auto& c : cells) expected[c[1] * w + c[0]] = 1;
  cudaMalloc(&a, w * h);
  cudaMalloc(&b, w * h);
  cudaMemcpy(a, expected, w * h, cudaMemcpyHostToDevice);
  for (int g = 0; g < 40; ++g) {
    generation<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);
    std::swap(a, b);
    for (int i = 0; i < w * h; ++i) {
      int n = 0;
      for (int k = 0; k < 9; ++k) if (k != 4) n += expected[(i / w + k / 3 - 1 + h) % h * w + (i % w + k % 3 - 1 + w) % w];
      next[i] = n == 3 || (n == 2 && expected[i]);
    }
    std::swap(expected, next);
  }
  cudaMemcpy(next, a, w * h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < w * h; ++i) {
    putchar(next[i] ? 'o' : '.');
    if (i % w == w - 1) putchar('\n');
    wrong += next[i] != expected[i];
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
}

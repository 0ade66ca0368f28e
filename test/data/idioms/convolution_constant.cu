// Convolution of an image with a 5 x 5 kernel in constant memory, the border clamped, one channel of bytes.
// Easily got wrong: bytes saturate, they do not wrap.
#include <cstdio>

constexpr int R = 2;
__constant__ int weights[(2 * R + 1) * (2 * R + 1)];

__global__ void convolve(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int dy = -R; dy <= R; ++dy) {
    for (int dx = -R; dx <= R; ++dx) {
      const int sx = min(max(x + dx, 0), w - 1), sy = min(max(y + dy, 0), h - 1);
      sum += weights[(dy + R) * (2 * R + 1) + dx + R] * in[sy * w + sx];
    }
  }
  out[y * w + x] = static_cast<unsigned char>(min(max(sum / 8, 0), 255));
}

int main() {
  const int w = 61, h = 43;
  static unsigned char in[w * h], out[w * h];
  int k[25], wrong = 0;
  for (int i = 0; i < 25; ++i) k[i] = i == 12 ? 24 : i % 3 - 1;
  for (int i = 0; i < w * h; ++i) in[i] = static_cast<unsigned char>(i * 11 % 256);
  unsigned char *d_in, *d_out;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, k, sizeof k);
  convolve<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d_in, d_out, w, h);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      int sum = 0;
      for (int i = 0; i < 25; ++i) {
        int sx = x + i % 5 - 2, sy = y + i / 5 - 2;
        sx = sx < 0 ? 0 : sx >= w ? w - 1 : sx;
        sy = sy < 0 ? 0 : sy >= h ? h - 1 : sy;
        sum += k[i] * in[sy * w + sx];
      }
      sum /= 8;
      wrong += out[y * w + x] != (sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
  }
  printf("%d %d %d\n", out[0], out[30 * w + 30], out[w * h - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}

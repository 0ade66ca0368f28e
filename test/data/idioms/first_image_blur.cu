// Colour to grey and a box blur, as in the textbook of Kirk and Hwu; pixels of three bytes.
// Easily got wrong: at the border the average counts only the pixels that exist.
#include <cstdio>

#define CHANNELS 3
#define BLUR_SIZE 2

__global__ void grey(unsigned char* out, const unsigned char* in, int width, int height) {
  int col = threadIdx.x + blockIdx.x * blockDim.x, row = threadIdx.y + blockIdx.y * blockDim.y;
  if (col < width && row < height) {
    int offset = row * width + col, rgb = offset * CHANNELS;
    unsigned char r = in[rgb], g = in[rgb + 1], b = in[rgb + 2];
    out[offset] = (r * 54 + g * 183 + b * 19) / 256;
  }
}
__global__ void blur(const unsigned char* in, unsigned char* out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h) {
    int value = 0, pixels = 0;
    for (int r = -BLUR_SIZE; r < BLUR_SIZE + 1; ++r) {
      for (int c = -BLUR_SIZE; c < BLUR_SIZE + 1; ++c) {
        int y = row + r, x = col + c;
        if (y > -1 && y < h && x > -1 && x < w) {
          value += in[y * w + x];
          pixels++;
        }
      }
    }
    out[row * w + col] = (unsigned char)(value / pixels);
  }
}

int main() {
  const int w = 76, h = 62;
  static unsigned char image[w * h * 3], blurred[w * h], g[w * h];
  for (int i = 0; i < w * h * 3; ++i) image[i] = (i * 31 + i / 100) & 255;
  for (int i = 0; i < w * h; ++i) g[i] = (image[3 * i] * 54 + image[3 * i + 1] * 183 + image[3 * i + 2] * 19) / 256;
  unsigned char *d_image, *d_grey, *d_blurred;
  cudaMalloc(&d_image, sizeof image);
  cudaMalloc(&d_grey, sizeof g);
  cudaMalloc(&d_blurred, sizeof g);
  cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice);
  dim3 grid((w + 15) / 16, (h + 15) / 16, 1), block(16, 16, 1);
  grey<<<grid, block>>>(d_grey, d_image, w, h);
  blur<<<grid, block>>>(d_grey, d_blurred, w, h);
  cudaMemcpy(blurred, d_blurred, sizeof g, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < w * h; ++i) {
    int sum = 0, count = 0;
    for (int y = i / w - 2; y <= i / w + 2; ++y)
      for (int x = i % w - 2; x <= i % w + 2; ++x) if (y >= 0 && y < h && x >= 0 && x < w) sum += g[y * w + x], ++count;
    wrong += blurred[i] != sum / count;
  }
  printf("%d %d %d\n", blurred[0], blurred[w * 30 + 30], blurred[w * h - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_image);
  cudaFree(d_grey);
  cudaFree(d_blurred);
}

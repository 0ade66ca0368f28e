// A small Mandelbrot set, printed as text: every pixel its own number of rounds.
// Easily got wrong: products rounded one way on the host and fused on the device would differ at the edge;
// here every product is exact or rounded alike by intrinsics.
#include <cstdio>

__global__ void mandelbrot(char* image, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = -2.25f + x * 0.046875f, ci = -1.25f + y * 0.109375f;
  float r = 0, i = 0;
  int n = 0;
  while (n < 60 && __fadd_rn(__fmul_rn(r, r), __fmul_rn(i, i)) < 4) {
    const float t = __fadd_rn(__fsub_rn(__fmul_rn(r, r), __fmul_rn(i, i)), cr);
    i = __fadd_rn(__fmul_rn(__fmul_rn(2, r), i), ci);
    r = t;
    ++n;
  }
  image[y * (w + 1) + x] = n == 60 ? '#' : n > 9 ? '+' : n > 4 ? '.' : ' ';
  if (x == 0) image[y * (w + 1) + w] = '\n';
}

int main() {
  const int w = 70, h = 24;
  static char image[(w + 1) * h + 1];
  char* d;
  cudaMalloc(&d, sizeof image);
  mandelbrot<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(d, w, h);
  cudaMemcpy(image, d, (w + 1) * h, cudaMemcpyDeviceToHost);
  fputs(image, stdout);
  cudaFree(d);
}

// Brightening pictures of uchar3 and uchar4: arithmetic in int, clamped, and alpha left alone.
// Easily got wrong: adding in unsigned char wraps around to black.
#include <cstdio>

__device__ unsigned char clamp(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

__global__ void brighten3(uchar3* p, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 v = p[i];
  p[i] = make_uchar3(clamp(v.x + by), clamp(v.y + by), clamp(v.z + by));
}
__global__ void brighten4(uchar4* p, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 v = p[i];
  v.x = clamp(v.x * factor + 0.5f);
  v.y = clamp(v.y * factor + 0.5f);
  v.z = clamp(v.z * factor + 0.5f);
  p[i] = v;
}

int main() {
  const int n = 1000;
  uchar3 *a;
  uchar4 *b;
  cudaMallocManaged(&a, n * sizeof(uchar3));
  cudaMallocManaged(&b, n * sizeof(uchar4));
  for (int i = 0; i < n; i++) {
    a[i] = make_uchar3(i, i * 3, i * 7);
    b[i] = make_uchar4(i, i * 5, i * 9, i * 11);
  }
  brighten3<<<(n + 255) / 256, 256>>>(a, n, 40);
  brighten3<<<(n + 255) / 256, 256>>>(a, n, -90);
  brighten4<<<(n + 255) / 256, 256>>>(b, n, 1.5f);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    const auto twice = [](int v) { v = (v & 255) + 40; v = v > 255 ? 255 : v; v -= 90; return v < 0 ? 0 : v; };
    const auto half = [](int v) { v = ((v & 255) * 3 + 1) / 2; return v > 255 ? 255 : v; };
    wrong += a[i].x != twice(i) || a[i].y != twice(i * 3) || a[i].z != twice(i * 7);
    wrong += b[i].x != half(i) || b[i].y != half(i * 5) || b[i].z != half(i * 9) || b[i].w != (i * 11 & 255);
  }
  printf("%d %d %d, %d %d %d %d\n", a[70].x, a[70].y, a[70].z, b[70].x, b[70].y, b[70].z, b[70].w);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
}

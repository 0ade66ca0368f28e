// Heat on a plate until it changes no more: the largest change by an atomic maximum on the bits of a float.
// Easily got wrong: non-negative floats order as their bits do, as integers; negative ones do not.
#include <cmath>
#include <cstdio>
#include <utility>

__global__ void relax(const float* from, float* to, int n, int* largest_change) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float change = 0;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    const float v = 0.25f * (from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] + from[(y + 1) * n + x]);
    change = fabsf(v - from[y * n + x]);
    to[y * n + x] = v;
  }
  const int most = __reduce_max_sync(0xffffffff, __float_as_int(change));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicMax(largest_change, most);
}

int main() {
  const int n = 18;
  float *a, *b;
  int* change;
  cudaMallocManaged(&a, n * n * sizeof(float));
  cudaMallocManaged(&b, n * n * sizeof(float));
  cudaMallocManaged(&change, sizeof(int));
  for (int i = 0; i < n * n; ++i) a[i] = b[i] = i < n ? 100 : i % n == 0 ? 50 : 0;
  float last = 1;
  int rounds = 0;
  while (last > 0.01f && rounds < 1000) {
    *change = 0;
    relax<<<dim3(2, 3), dim3(16, 8)>>>(a, b, n, change);
    cudaDeviceSynchronize();
    union { int i; float f; } bits = {*change};
    last = bits.f;
    std::swap(a, b);
    ++rounds;
  }
  int wrong = 0;
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x)
      wrong += !(std::fabs(a[y * n + x] * 4 - a[y * n + x - 1] - a[y * n + x + 1] - a[y * n + x - n] - a[y * n + x + n]) < 0.05f);
  printf("%d rounds, %.2f %.2f\n", rounds, a[n + 1], a[9 * n + 9]);
  puts(wrong || rounds >= 1000 ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(change);
}

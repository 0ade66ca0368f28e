// Shuffles of every type and with widths of 2 to 32: int, unsigned, float, double, 64-bit integers; the lane wraps or stays.
// Easily got wrong: a source beyond the segment returns the lane's own value for up and down, wraps for __shfl_sync.
#include <cstdio>

template <typename T>
__global__ void shuffle(T* out, int width) {
  const int t = threadIdx.x;
  const T v = T(t) * T(1000) + T(1);
  out[t * 4] = __shfl_sync(0xffffffff, v, t + 3, width);
  out[t * 4 + 1] = __shfl_up_sync(0xffffffff, v, 3, width);
  out[t * 4 + 2] = __shfl_down_sync(0xffffffff, v, 5, width);
  out[t * 4 + 3] = __shfl_xor_sync(0xffffffff, v, 6, width);
}

template <typename T>
void check(const char* name) {
  T h[128], *d;
  int wrong = 0;
  cudaMalloc(&d, sizeof h);
  for (int width = 2; width <= 32; width *= 2) {
    shuffle<<<1, 32>>>(d, width);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; ++t) {
      const int base = t / width * width, r = t % width;
      const int from[4] = {base + (t + 3) % width, r >= 3 ? t - 3 : t, r + 5 < width ? t + 5 : t,
                           (t ^ 6) < base + width ? t ^ 6 : t};  // xor may reach an earlier segment
      for (int k = 0; k < 4; ++k) wrong += h[t * 4 + k] != T(from[k]) * T(1000) + T(1);
    }
  }
  printf("%s %s\n", name, wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

int main() {
  check<int>("int");
  check<unsigned>("unsigned");
  check<long long>("long long");
  check<unsigned long long>("unsigned long long");
  check<long>("long");
  check<float>("float");
  check<double>("double");
}

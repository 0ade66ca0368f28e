// The largest value and its place in one 64-bit atomic maximum: the ordered bits of the float above, the index below.
// Easily got wrong: negative floats need their bits turned over, and ties take the smallest index.
#include <cstdio>

__device__ unsigned long long best = 0;

__device__ unsigned ordered(float v) {
  const unsigned b = __float_as_uint(v);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__device__ float restored(unsigned b) { return __uint_as_float(b & 0x80000000u ? b & 0x7fffffffu : ~b); }

__global__ void search(const float* a, int n) {
  unsigned long long key = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    key = max(key, (unsigned long long)ordered(a[i]) << 32 | unsigned(~i));
  }
  for (int d = 16; d; d /= 2) key = max(key, __shfl_xor_sync(0xffffffff, key, d));
  if (threadIdx.x % 32 == 0) atomicMax(&best, key);
}
__global__ void show() {
  printf("%g at %d\n", restored(unsigned(best >> 32)), int(~unsigned(best)));
  best = 0;
}

int main() {
  const int n = 7777;
  float* a;
  cudaMallocManaged(&a, n * sizeof(float));
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < n; ++i) a[i] = (i * 7919 % 10007) * (run == 1 ? -1.0f : 0.5f) - (run == 2 ? 9000 : 0.25f);
    if (run == 2) a[4000] = a[77] = -0.0f;
    search<<<5, 128>>>(a, n);
    show<<<1, 1>>>();
    cudaDeviceSynchronize();
    int place = 0;
    for (int i = 1; i < n; ++i) if (a[i] > a[place]) place = i;
    printf("%g at %d\n", a[place], place);
  }
  cudaFree(a);
}

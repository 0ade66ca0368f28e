// Up to 32 arguments in one printf of a kernel, of mixed widths; a value wider than 4 bytes is aligned to 8.
// Easily got wrong: what printf returns is the number of arguments, not of characters.
#include <cstdio>

__global__ void print() {
  const int r = printf("%d %lld %c %f %d %d %s %lld %c %c %g %u %x %d %d %d %ld %d %d %s %d %e %d %d %lld %d %d %d %d %c %d %f\n",
                       1, 2ll, '3', 4.0, 5, 6, "7", 8ll, '9', 'A', 11.0f, 12u, 13, 14, 15, 16, 17l, 18, 19, "20", 21, 22.0, 23, 24,
                       25ll, 26, 27, 28, 29, '@', 31, 32.5);
  printf("%d\n", r);
}
__global__ void from_each_lane() {
  if (threadIdx.x % 8 == 3) printf("lane %d of block %d: %.2f\n", threadIdx.x, blockIdx.x, threadIdx.x / 7.0);
}

int main() {
  print<<<1, 1>>>();
  cudaDeviceSynchronize();
  from_each_lane<<<1, 32>>>();
  cudaDeviceSynchronize();
}

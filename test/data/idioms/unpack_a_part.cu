// Parts of a register, with the others dropped, as newer compilers write it.
#include <cstdio>

__global__ void take(const unsigned long long* from, unsigned* to) {
  const unsigned long long x = from[threadIdx.x];
  unsigned low, high;
  unsigned short first, third, upper;
  asm("mov.b64 {%0, _}, %1;" : "=r"(low) : "l"(x));
  asm("mov.b64 {_, %0}, %1;" : "=r"(high) : "l"(x));
  asm("mov.b64 {%0, _, %1, _}, %2;" : "=h"(first), "=h"(third) : "l"(x));
  asm("mov.b32 {_, %0}, %1;" : "=h"(upper) : "r"(low));
  unsigned* const mine = to + 5 * threadIdx.x;
  mine[0] = low;
  mine[1] = high;
  mine[2] = first;
  mine[3] = third;
  mine[4] = upper;
}

int main() {
  unsigned long long* from;
  unsigned* to;
  cudaMallocManaged(&from, 4 * sizeof *from);
  cudaMallocManaged(&to, 20 * sizeof *to);
  for (int i = 0; i < 4; ++i) from[i] = 0x0123456789abcdefull * (2 * i + 1);
  take<<<1, 4>>>(from, to);
  cudaDeviceSynchronize();
  for (int i = 0; i < 20; ++i) printf("%x%c", to[i], i % 5 == 4 ? '\n' : ' ');
  cudaFree(from);
  cudaFree(to);
}

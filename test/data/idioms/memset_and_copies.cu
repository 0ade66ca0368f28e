// cudaMemset sets bytes, not numbers; copies from device to device, with default direction, of parts.
// Easily got wrong: cudaMemset(p, 1, ...) makes every int 0x01010101.
#include <cstdio>

__global__ void add(const unsigned* a, const unsigned* b, unsigned* c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
  const int n = 100;
  unsigned *a, *b, *c, h[n];
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  cudaMemset(a, 1, n * 4);
  cudaMemset(a + 10, 0xff, 4 * 5 + 2);
  cudaMemsetAsync(b, 0, n * 4, 0);
  cudaMemcpy(b + 50, a, 20 * 4, cudaMemcpyDeviceToDevice);
  add<<<1, n>>>(a, b, c);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDefault);
  for (int i : {0, 9, 10, 14, 15, 16, 50, 60, 69, 70}) printf("%d:%08x ", i, h[i]);
  unsigned zeros[n] = {}, back[n];
  cudaMemcpy(c, zeros, sizeof zeros, cudaMemcpyHostToDevice);
  cudaMemcpy(c + 1, h, 7, cudaMemcpyHostToDevice);  // not a whole number of words
  cudaMemcpy(back, c, sizeof back, cudaMemcpyDeviceToHost);
  printf("\n%08x %08x %08x %08x\n", back[0], back[1], back[2], back[3]);
  cudaMemcpy(back, h, sizeof h, cudaMemcpyHostToHost);
  puts(h[0] == 0x01010101 && h[10] == 0xffffffff && h[15] == 0x0101ffff && h[50] == 0x02020202 ? "PASSED" : "FAILED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

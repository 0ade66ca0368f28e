// Function pointers to __device__ functions: a table in device memory, and one fetched from a symbol to be
// passed as an argument. Easily got wrong: the host cannot take the address of a __device__ function.
#include <cstdio>

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int rem(int a, int b) { return b ? a % b : -1; }
__device__ const Operation operations[4] = {add, sub, mul, rem};
__device__ Operation chosen = sub;

__global__ void by_lane(int* out) { out[threadIdx.x] = operations[threadIdx.x % 4](threadIdx.x, 7); }
__global__ void by_argument(Operation f, int* out) { out[threadIdx.x] = f(threadIdx.x, 100); }

int main() {
  int h[64], g[64], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  by_lane<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  Operation f;
  cudaMemcpyFromSymbol(&f, chosen, sizeof f);
  by_argument<<<1, 64>>>(f, d);
  cudaMemcpy(g, d, sizeof g, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; ++t) {
    const int expected[4] = {t + 7, t - 7, t * 7, t % 7};
    wrong += h[t] != expected[t % 4] || g[t] != t - 100;
  }
  printf("%d %d %d %d %d\n", h[60], h[61], h[62], h[63], g[5]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

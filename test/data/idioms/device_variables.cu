// __device__ variables and arrays: initial values, state that lasts from launch to launch, copies by symbol
// with an offset, and the address of a symbol.
#include <cstdio>

__device__ int launches = 40;
__device__ int table[8] = {1, 2, 3, 4, 5};
__device__ double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __device__ const char* const word = "device";

__global__ void step(int* length) {
  ++launches;
  for (int i = 0; i < 8; ++i) table[i] += launches;
  matrix[1][2] *= 2;
  int n = 0;
  while (word[n]) ++n;
  *length = n;
}

int main() {
  int* length;
  cudaMallocManaged(&length, sizeof *length);
  step<<<1, 1>>>(length);
  const int patch[2] = {100, 200};
  cudaMemcpyToSymbol(table, patch, sizeof patch, 3 * sizeof(int), cudaMemcpyHostToDevice);
  step<<<1, 1>>>(length);
  cudaDeviceSynchronize();
  int n, t[8];
  double m[6];
  cudaMemcpyFromSymbol(&n, launches, sizeof n);
  cudaMemcpyFromSymbol(t, table, sizeof t);
  cudaMemcpyFromSymbol(m, matrix, sizeof m);
  printf("%d, %d letters, %g %g:", n, *length, m[0], m[5]);
  for (int v : t) printf(" %d", v);
  void* address;
  size_t bytes;
  cudaGetSymbolAddress(&address, table);
  cudaGetSymbolSize(&bytes, matrix);
  int fifth;
  cudaMemcpy(&fifth, static_cast<int*>(address) + 4, sizeof fifth, cudaMemcpyDeviceToHost);
  printf("\n%d %zu\n", fifth, bytes);
  puts(n == 42 && t[3] == 142 && t[7] == 83 && m[5] == 24 && fifth == 242 && bytes == 48 ? "PASSED" : "FAILED");
  cudaFree(length);
}

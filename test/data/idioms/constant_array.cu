// A constant table indexed by the thread: right in any case, fast only when all lanes read one word.
// Also a copy to an offset in the middle of it, and a read back.
#include <cstdio>

__constant__ int table[64];
__constant__ float scale = 2.5f;  // with an initial value

__global__ void look_up(int* same, int* own, float* scaled) {
  const int t = threadIdx.x;
  same[t] = table[blockIdx.x + 3];
  own[t] = table[(t * 5) % 64];
  scaled[t] = table[t] * scale;
}

int main() {
  int h[64], back[4], *same, *own;
  float* scaled;
  for (int i = 0; i < 64; ++i) h[i] = i * i;
  cudaMemcpyToSymbol(table, h, sizeof h);
  const int patch[4] = {-1, -2, -3, -4};
  cudaMemcpyToSymbol(table, patch, sizeof patch, 10 * sizeof(int));
  cudaMemcpyFromSymbol(back, table, sizeof back, 12 * sizeof(int));
  cudaMallocManaged(&same, 64 * sizeof(int));
  cudaMallocManaged(&own, 64 * sizeof(int));
  cudaMallocManaged(&scaled, 64 * sizeof(float));
  look_up<<<1, 64>>>(same, own, scaled);
  cudaDeviceSynchronize();
  for (int i = 0; i < 4; ++i) h[10 + i] = patch[i];
  int wrong = 0;
  for (int t = 0; t < 64; ++t) {
    wrong += same[t] != 9 || own[t] != h[t * 5 % 64] || scaled[t] != h[t] * 2.5f;
  }
  printf("back %d %d %d %d, own %d %d, scaled %g\n", back[0], back[1], back[2], back[3], own[1], own[2], scaled[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(same);
  cudaFree(own);
  cudaFree(scaled);
}

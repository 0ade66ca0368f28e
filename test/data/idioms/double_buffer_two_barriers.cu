// Half of the warps fill one buffer while the other half adds up the other; each half has its own
// __syncthreads() line. What counts is that each thread meets as many barriers, not on which line.
#include <cstdio>

constexpr int TILES = 9, TILE = 64;

__global__ void stream(const int* in, int* out) {
  __shared__ int buffer[2][TILE];
  if (threadIdx.x < TILE) {  // the producers
    for (int tile = 0; tile < TILES; ++tile) {
      buffer[tile % 2][threadIdx.x] = in[tile * TILE + threadIdx.x];
      __syncthreads();
    }
  } else {  // the consumers, one tile behind
    const int t = threadIdx.x - TILE;
    int sum = 0;
    for (int tile = 0; tile < TILES; ++tile) {
      __syncthreads();
      sum += buffer[tile % 2][TILE - 1 - t];
    }
    out[t] = sum;
  }
}

int main() {
  int in[TILES * TILE], out[TILE];
  for (int i = 0; i < TILES * TILE; ++i) in[i] = i * i % 1001;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  stream<<<1, 2 * TILE>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < TILE; ++t) {
    int sum = 0;
    for (int tile = 0; tile < TILES; ++tile) sum += in[tile * TILE + TILE - 1 - t];
    wrong += sum != out[t];
  }
  printf("%d %d %d\n", out[0], out[31], out[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}

// Asynchronous copies into shared memory: __pipeline_memcpy_async of 4, 8 and 16 bytes, two stages in flight.
// Easily got wrong: wait_prior(n) waits for all but the last n commits of this thread; a barrier follows for the others.
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int BLOCK = 64, TILES = 10;

__global__ void stream(const float4* in, float* out) {
  __shared__ float4 buffer[2][BLOCK];
  const int t = threadIdx.x;
  const float4* mine = in + blockIdx.x * TILES * BLOCK;
  __pipeline_memcpy_async(&buffer[0][t], &mine[t], 16);
  __pipeline_commit();
  float sum = 0;
  for (int tile = 0; tile < TILES; ++tile) {
    if (tile + 1 < TILES) __pipeline_memcpy_async(&buffer[(tile + 1) % 2][t], &mine[(tile + 1) * BLOCK + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 v = buffer[tile % 2][BLOCK - 1 - t];
    sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    __syncthreads();
  }
  out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void narrow(const int* in, int* out) {
  __shared__ int s[3 * BLOCK];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(s + t, in + t, 4);
  __pipeline_memcpy_async(s + BLOCK + 2 * t, in + 2 * t, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = s[BLOCK - 1 - t] + 1000 * s[3 * BLOCK - 1 - t];
}

int main() {
  const int blocks = 3, n = blocks * TILES * BLOCK;
  float4* in;
  float* out;
  int* ints;
  cudaMallocManaged(&in, n * sizeof *in);
  cudaMallocManaged(&out, blocks * BLOCK * sizeof *out);
  cudaMallocManaged(&ints, 3 * BLOCK * sizeof *ints);
  for (int i = 0; i < n; ++i) in[i] = make_float4(i % 7, i % 5, i % 3, i % 2);
  for (int i = 0; i < 2 * BLOCK; ++i) ints[i] = i;
  stream<<<blocks, BLOCK>>>(in, out);
  narrow<<<1, BLOCK>>>(ints, ints + 2 * BLOCK);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < blocks * BLOCK; ++i) {
    float sum = 0;
    for (int tile = 0; tile < TILES; ++tile) {
      const float4 v = in[i / BLOCK * TILES * BLOCK + tile * BLOCK + BLOCK - 1 - i % BLOCK];
      sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    }
    wrong += out[i] != sum;
  }
  for (int t = 0; t < BLOCK; ++t) wrong += ints[2 * BLOCK + t] != BLOCK - 1 - t + 1000 * (2 * BLOCK - 1 - t);
  printf("%g %g %d\n", out[0], out[191], ints[2 * BLOCK]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(ints);
}

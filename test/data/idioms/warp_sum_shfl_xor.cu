// The butterfly: after five __shfl_xor_sync steps every lane holds the sum; also minimum and its lane.
// Easily got wrong: a tie between equal minima must be broken the same way in all lanes.
#include <cstdio>

__global__ void butterfly(const float* in, float* sums, int* where) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float own = in[i];
  float v = own;
  for (int mask = 1; mask < 32; mask *= 2) v += __shfl_xor_sync(0xffffffff, v, mask);
  float least = own;
  int lane = threadIdx.x;
  for (int mask = 16; mask; mask >>= 1) {
    const float other = __shfl_xor_sync(0xffffffff, least, mask);
    const int other_lane = __shfl_xor_sync(0xffffffff, lane, mask);
    if (other < least || (other == least && other_lane < lane)) {
      least = other;
      lane = other_lane;
    }
  }
  sums[i] = v;
  where[i] = lane;
}

int main() {
  const int n = 320;
  float *in, *sums;
  int* where;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&sums, n * sizeof(float));
  cudaMallocManaged(&where, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = float(i * 7 % 23) - 4;
  butterfly<<<n / 32, 32>>>(in, sums, where);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int w = 0; w < n / 32; ++w) {
    float sum = 0;
    int least = w * 32;
    for (int i = w * 32; i < w * 32 + 32; ++i) {
      sum += in[i];
      if (in[i] < in[least]) least = i;
    }
    for (int i = w * 32; i < w * 32 + 32; ++i) wrong += sums[i] != sum || where[i] != least % 32;
    printf("%g at %d\n", sums[w * 32 + 5], where[w * 32 + 9]);
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(sums);
  cudaFree(where);
}

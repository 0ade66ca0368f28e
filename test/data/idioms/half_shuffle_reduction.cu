// The sum of a warp's halves by shuffles of half and of half2. Easily got wrong: beyond 2048 half precision no longer
// counts by ones, so each step rounds.
#include <cuda_fp16.h>

#include <cstdio>

__global__ void sums(half* one, half2* two) {
  half mine = __int2half_rn(threadIdx.x * 37 % 101);
  half2 pair = __halves2half2(mine, __hneg(mine));
  for (int distance = 16; distance > 0; distance /= 2) {
    mine = __hadd(mine, __shfl_down_sync(~0u, mine, distance));
    pair = __hadd2(pair, __shfl_xor_sync(~0u, pair, distance));
  }
  if (threadIdx.x == 0) *one = mine;
  if (threadIdx.x == 31) *two = pair;
}

int main() {
  half* one;
  half2* two;
  cudaMallocManaged(&one, sizeof(half));
  cudaMallocManaged(&two, sizeof(half2));
  sums<<<1, 32>>>(one, two);
  cudaDeviceSynchronize();
  int want = 0;
  for (int i = 0; i < 32; ++i) want += i * 37 % 101;
  printf("%d: %g, %g and %g\n", want, __half2float(*one), __low2float(*two), __high2float(*two));
  printf("%s\n", __half2float(*one) == want && __low2float(*two) == want ? "PASSED" : "FAILED");
  cudaFree(one);
  cudaFree(two);
}

// A 32 x 32 transpose held in registers, by five rounds of shuffles; arrays of registers indexed by constants alone.
// Easily got wrong: each round swaps blocks off the diagonal, half of the lanes keep what the others give.
#include <cstdio>

__global__ void transpose(const int* in, int* out) {
  const int lane = threadIdx.x;
  int v[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) v[r] = in[r * 32 + lane];
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
#pragma unroll
    for (int r = 0; r < 32; ++r) {
      if (r & half) continue;
      const bool upper = lane & half;
      const int give = upper ? v[r] : v[r | half];
      const int take = __shfl_xor_sync(0xffffffff, give, half);
      if (upper) v[r] = take;
      else v[r | half] = take;
    }
  }
#pragma unroll
  for (int r = 0; r < 32; ++r) out[r * 32 + lane] = v[r];
}

int main() {
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, 1024 * sizeof(int));
  cudaMallocManaged(&out, 1024 * sizeof(int));
  for (int i = 0; i < 1024; ++i) in[i] = i * 3 + 1;
  transpose<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 1024; ++i) wrong += out[i] != in[i % 32 * 32 + i / 32];
  printf("%d %d %d %s\n", out[1], out[32], out[1023], wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

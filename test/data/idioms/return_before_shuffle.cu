// The mask of a shuffle after an early return: a ballot taken while the whole warp is still there.
// Easily got wrong: a full mask names lanes that have exited; a lane may not read from one that has.
#include <cstdio>

__global__ void warp_sums(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i >= n) return;
  int v = in[i];
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(mask, v, offset);
    if (lane + offset < 32 && (mask >> (lane + offset) & 1)) v += other;
  }
  if (lane == 0) out[i / 32] = v;
}

int main() {
  const int n = 1000;
  int in[n], out[32];
  for (int i = 0; i < n; ++i) in[i] = i;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  warp_sums<<<4, 256>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int w = 0; w < 32; ++w) {
    int sum = 0;
    for (int i = w * 32; i < w * 32 + 32 && i < n; ++i) sum += i;
    wrong += sum != out[w];
  }
  printf("%d %d %d\n", out[0], out[30], out[31]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}

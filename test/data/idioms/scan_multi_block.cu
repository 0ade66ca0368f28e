// A scan of any length in three launches: scan each block by warp shuffles, scan the sums, add them.
// Easily got wrong: the last block is not full, and its idle lanes must still take part in the shuffles.
#include <cstdio>

constexpr int THREADS = 256;

__device__ int warp_scan(int v) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += left;
  }
  return v;
}

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int warps[THREADS / 32];
  const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = warp_scan(i < n ? in[i] : 0);
  if (lane == 31) warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const int w = warp_scan(lane < THREADS / 32 ? warps[lane] : 0);
    if (lane < THREADS / 32) warps[lane] = w;
  }
  __syncthreads();
  if (warp > 0) v += warps[warp - 1];
  if (i < n) out[i] = v;
  if (threadIdx.x == THREADS - 1 && sums) sums[blockIdx.x] = v;
}
__global__ void add(int* out, const int* sums, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 40001, blocks = (n + THREADS - 1) / THREADS;
  int *in, *out, *sums;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&sums, blocks * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i % 5 - 1;
  scan_blocks<<<blocks, THREADS>>>(in, out, sums, n);
  scan_blocks<<<1, THREADS>>>(sums, sums, nullptr, blocks);
  add<<<blocks, THREADS>>>(out, sums, n);
  cudaDeviceSynchronize();
  int sum = 0, wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != (sum += in[i]);
  printf("%d %d %d\n", out[255], out[256], out[n - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(sums);
}

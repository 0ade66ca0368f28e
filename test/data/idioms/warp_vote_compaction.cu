// Stream compaction with a ballot: each lane counts the bits below its own, one atomic per warp, order kept in it.
// Easily got wrong: the mask of lower lanes for lane 0 is empty, `(1 << lane) - 1`.
#include <algorithm>
#include <cstdio>

__global__ void compact(const int* in, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const bool keep = i < n && in[i] % 3 == 0;
  const unsigned mask = __ballot_sync(0xffffffff, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}
__global__ void votes(int* out) {
  const int t = threadIdx.x;
  out[t] = __any_sync(0xffffffff, t == 40) + 2 * __all_sync(0xffffffff, t < 32) + 4 * __any_sync(0xffffffff, t > 900);
  if (t % 2) out[t] += 8 * (__ballot_sync(0xaaaaaaaa, t % 4 == 1) == 0x22222222);
}

int main() {
  const int n = 4001;
  static int in[n], out[n], expected[n];
  int kept = 0, count, *d_in, *d_out, *d_count;
  for (int i = 0; i < n; ++i) {
    in[i] = i * 17 % 1009;
    if (in[i] % 3 == 0) expected[kept++] = in[i];
  }
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMalloc(&d_count, sizeof count);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof count);
  compact<<<(n + 127) / 128, 128>>>(d_in, n, d_out, d_count);
  cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  std::sort(out, out + count);  // warps come in any order
  std::sort(expected, expected + kept);
  printf("%d of %d %s\n", count, n, count == kept && std::equal(out, out + count, expected) ? "PASSED" : "FAILED");
  votes<<<1, 64>>>(d_out);
  cudaMemcpy(out, d_out, sizeof(int) * 64, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", out[0], out[1], out[32], out[33]);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_count);
}

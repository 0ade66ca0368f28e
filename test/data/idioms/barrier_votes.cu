// __syncthreads_count, __syncthreads_and, __syncthreads_or: a barrier that also votes over the block.
// Easily got wrong: any non-zero predicate counts as one.
#include <cstdio>

__global__ void votes(int* out) {
  const int t = threadIdx.x;
  const int thirds = __syncthreads_count(t % 3 == 0 ? t + 5 : 0);
  const int all = __syncthreads_and(t < 100);
  const int all_but_one = __syncthreads_and(t != 77);
  const int none = __syncthreads_or(t > 1000);
  const int one = __syncthreads_or(t == 99 ? 256 : 0);
  if (t == 50) {
    out[0] = thirds;
    out[1] = all != 0;
    out[2] = all_but_one != 0;
    out[3] = none != 0;
    out[4] = one != 0;
  }
  if (t >= 40) return;
  const int left = __syncthreads_count(1);
  if (t == 0) out[5] = left;
}

int main() {
  int h[6], *d;
  cudaMalloc(&d, sizeof h);
  votes<<<1, 100>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int v : h) printf("%d ", v);
  puts("");
  const bool right = h[0] == 34 && h[1] && !h[2] && !h[3] && h[4] && h[5] == 40;
  puts(right ? "PASSED" : "FAILED");
  cudaFree(d);
}

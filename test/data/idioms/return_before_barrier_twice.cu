// Whole warps return early, then others after a first barrier; the rest meet at a second and a third one.
// Easily got wrong: the number of threads a barrier expects shrinks while the block runs.
#include <cstdio>

__global__ void thin_out(int* out, int* left) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  if (t >= 400) return;  // 12.5 warps remain
  s[t] = t;
  __syncthreads();
  if (t % 2) return;  // now half of each warp
  const int sum = s[t] + s[t + 1];
  __syncthreads();
  s[t] = sum;
  if (t >= 200) return;
  __syncthreads();
  out[t / 2] = s[198 - t];
  if (__syncthreads_count(1) == 100 && t == 0) *left = 100;
}

int main() {
  int *out, *left;
  cudaMalloc(&out, 100 * sizeof(int));
  cudaMalloc(&left, sizeof(int));
  cudaMemset(left, 0, sizeof(int));
  thin_out<<<1, 512>>>(out, left);
  int h[100], h_left;
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&h_left, left, sizeof h_left, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 100; ++i) wrong += h[i] != 2 * (198 - 2 * i) + 1;
  printf("%d %d %d, %d threads left\n", h[0], h[50], h[99], h_left);
  puts(wrong || h_left != 100 ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(left);
}

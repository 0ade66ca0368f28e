// Blelloch's exclusive scan: up the tree, clear the root, down again; indices padded against bank conflicts.
// Easily got wrong: the padding applies to every index, and the array needs room for it.
#include <cstdio>

#define PAD(i) ((i) + ((i) >> 5))

__global__ void scan(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[PAD(t)] = in[t];
  s[PAD(t + n / 2)] = in[t + n / 2];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[PAD(offset * (2 * t + 2) - 1)] += s[PAD(offset * (2 * t + 1) - 1)];
    offset *= 2;
  }
  if (t == 0) s[PAD(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1);
      const int v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  out[t] = s[PAD(t)];
  out[t + n / 2] = s[PAD(t + n / 2)];
}

int main() {
  int *in, *out, failed = 0;
  cudaMallocManaged(&in, 2048 * sizeof(int));
  cudaMallocManaged(&out, 2048 * sizeof(int));
  for (int i = 0; i < 2048; ++i) in[i] = i * 7 % 19 - 3;
  for (int n = 2; n <= 2048; n *= 4) {
    scan<<<1, n / 2, PAD(n) * sizeof(int)>>>(in, out, n);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < n; sum += in[i++]) failed += out[i] != sum;
    printf("%d: %d\n", n, out[n - 1]);
  }
  puts(failed ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

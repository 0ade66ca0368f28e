// The inclusive scan of Hillis and Steele, with two buffers and one barrier a step; then in place with two.
// Easily got wrong: in place, reading and writing need a barrier between them.
#include <cstdio>

__global__ void two_buffers(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  int from = 0, to = 1;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    s[to * n + t] = s[from * n + t] + (t >= d ? s[from * n + t - d] : 0);
    to = 1 - to;
    from = 1 - to;
    __syncthreads();
  }
  out[t] = s[from * n + t];
}
__global__ void in_place(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    int v = 0;
    if (t >= d) v = s[t - d];
    __syncthreads();
    s[t] += v;
  }
  out[t] = t ? s[t] - in[t] : 0;  // exclusive
}

int main() {
  int *in, *out, failed = 0;
  cudaMallocManaged(&in, 1024 * sizeof(int));
  cudaMallocManaged(&out, 2048 * sizeof(int));
  for (int i = 0; i < 1024; ++i) in[i] = i % 10 + 1;
  for (int n : {1, 7, 32, 100, 1000, 1024}) {
    two_buffers<<<1, n, 2 * n * sizeof(int)>>>(in, out, n);
    in_place<<<1, n, n * sizeof(int)>>>(in, out + 1024, n);
    cudaDeviceSynchronize();
    int sum = 0, wrong = 0;
    for (int i = 0; i < n; ++i) {
      wrong += out[1024 + i] != sum;
      sum += in[i];
      wrong += out[i] != sum;
    }
    printf("%d: %d\n", n, out[n - 1]);
    failed += wrong;
  }
  puts(failed ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

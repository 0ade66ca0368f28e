// Arrays of a thread's own, indexed by run-time values: a small histogram, an insertion sort, a stack of bytes.
// Easily got wrong: they live in local memory, and each lane has its own.
#include <cstdio>

__global__ void own_arrays(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  int bins[10] = {};
  for (int i = 0; i < n; ++i) ++bins[(in[i] * (t + 1)) % 10];
  int best = 0;
  for (int b = 1; b < 10; ++b) if (bins[b] > bins[best]) best = b;

  short sorted[20];
  for (int i = 0; i < 20; ++i) {
    const short v = short(in[(i * 3 + t) % n]);
    int j = i;
    for (; j > 0 && sorted[j - 1] > v; --j) sorted[j] = sorted[j - 1];
    sorted[j] = v;
  }

  unsigned char stack[16];
  int top = 0;
  for (int v = t * 37 + 1; v; v /= 2) stack[top++] = v & 1;
  int reversed = 0;
  for (int i = 0; i < top; ++i) reversed = reversed * 2 + stack[i];
  out[t * 4] = best;
  out[t * 4 + 1] = sorted[t % 20];
  out[t * 4 + 2] = sorted[19] - sorted[0];
  out[t * 4 + 3] = reversed;
}

int main() {
  const int n = 50, threads = 40;
  int in[n], h[4 * threads], *d_in, *d_out;
  for (int i = 0; i < n; ++i) in[i] = i * 31 % 47;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof h);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  own_arrays<<<1, threads>>>(d_in, d_out, n);
  cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < threads; ++t) printf("%d %d %d %d\n", h[4 * t], h[4 * t + 1], h[4 * t + 2], h[4 * t + 3]);
  cudaFree(d_in);
  cudaFree(d_out);
}

// Several dynamic arrays carved from the one extern array that a kernel can have, widest type first.
// Easily got wrong: alignment of each part, and the byte count given at the launch.
#include <cstdio>

__global__ void parts(int n, double* d_out, int* i_out, char* c_out) {
  extern __shared__ double raw[];
  double* d = raw;
  int* i = reinterpret_cast<int*>(d + n);
  short* h = reinterpret_cast<short*>(i + n);
  char* c = reinterpret_cast<char*>(h + n);
  const int t = threadIdx.x;
  d[t] = t * 0.5;
  i[t] = t * 10;
  h[t] = short(-t);
  c[t] = char('a' + t % 26);
  __syncthreads();
  const int r = n - 1 - t;
  d_out[t] = d[r] + h[r];
  i_out[t] = i[r] + h[t];
  c_out[t] = c[r];
}

int main() {
  const int n = 77;
  double* d;
  int* i;
  char* c;
  cudaMallocManaged(&d, n * sizeof *d);
  cudaMallocManaged(&i, n * sizeof *i);
  cudaMallocManaged(&c, n + 1);
  parts<<<1, n, n * (sizeof(double) + sizeof(int) + sizeof(short) + 1)>>>(n, d, i, c);
  cudaDeviceSynchronize();
  c[n] = 0;
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    wrong += d[t] != -0.5 * (n - 1 - t) || i[t] != (n - 1 - t) * 10 - t || c[t] != 'a' + (n - 1 - t) % 26;
  }
  printf("%g %d %.10s\n", d[0], i[0], c);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
  cudaFree(i);
  cudaFree(c);
}

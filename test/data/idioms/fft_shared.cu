// A radix-2 FFT of 256 points in shared memory with a complex type of one's own; forth and back.
// Easily got wrong: the bit-reversed order, and the sign of the angle on the way back.
#include <cmath>
#include <cstdio>

struct Complex {
  float re, im;
  __device__ Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
  __device__ Complex operator-(Complex o) const { return {re - o.re, im - o.im}; }
  __device__ Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};

__global__ void fft(const Complex* in, Complex* out, float sign) {
  __shared__ Complex s[256];
  const int t = threadIdx.x;  // 128 of them
  for (int i = t; i < 256; i += 128) s[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    const int k = t % half, a = (t / half) * half * 2 + k, b = a + half;
    Complex w;
    sincospif(sign * k / half, &w.im, &w.re);
    const Complex x = s[a], y = s[b] * w;
    s[a] = x + y;
    s[b] = x - y;
  }
  __syncthreads();
  for (int i = t; i < 256; i += 128) out[blockIdx.x * 256 + i] = s[i];
}

int main() {
  const int n = 512;
  Complex *a, *b, *c;
  cudaMallocManaged(&a, n * sizeof *a);
  cudaMallocManaged(&b, n * sizeof *b);
  cudaMallocManaged(&c, n * sizeof *c);
  for (int i = 0; i < n; ++i) a[i] = {i < 256 ? cosf(i * 6.2831853f * 5 / 256) : float(i * 7 % 13), i < 256 ? 0 : float(i % 3)};
  fft<<<2, 128>>>(a, b, -1);
  fft<<<2, 128>>>(b, c, 1);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += !(std::fabs(c[i].re / 256 - a[i].re) < 1e-4 && std::fabs(c[i].im / 256 - a[i].im) < 1e-4);
    if (i < 256) wrong += !(std::fabs(std::hypot(b[i].re, b[i].im) - (i == 5 || i == 251 ? 128 : 0)) < 1e-3);
  }
  printf("%.2f %.2f\n", b[5].re, b[256].re);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

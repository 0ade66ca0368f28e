// Pointer arithmetic: a base moved past the halo so that negative indices are legal, differences, steps back.
// Easily got wrong: an unsigned index minus one is four billion, not minus one.
#include <cstdio>

__global__ void centred(const int* in, int* out, int n) {
  __shared__ int raw[64 + 4];
  int* s = raw + 2;  // s[-2] to s[65]
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  if (t < 2) {
    s[-1 - t] = i - 1 - 2 * t >= 0 ? in[i - 1 - 2 * t] : 0;
    const int right = int(blockIdx.x) * 64 + 64 + t;
    s[64 + t] = right < n ? in[right] : 0;
  }
  __syncthreads();
  const int* p = s + t;
  if (i < n) out[i] = p[-2] + 10 * p[-1] + 100 * *p + 1000 * p[1] + 10000 * *(p + 2) + int(p - raw) - t;
}

__global__ void backwards(const short* end, int* out) {
  const short* p = end - threadIdx.x;
  --p;
  out[threadIdx.x] = p[0] + p[-1];
}

int main() {
  const int n = 150;
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i % 10;
  centred<<<(n + 63) / 64, 64>>>(in, out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int j) { return j >= 0 && j < n ? in[j] : 0; };
    wrong += out[i] != at(i - 2) + 10 * at(i - 1) + 100 * at(i) + 1000 * at(i + 1) + 10000 * at(i + 2) + 2;
  }
  printf("%d %d %d ", out[0], out[64], out[149]);
  short* words;
  cudaMallocManaged(&words, 41 * sizeof(short));
  for (int i = 0; i < 41; ++i) words[i] = short(i * -7);
  backwards<<<1, 40>>>(words + 41, out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 40; ++t) wrong += out[t] != -7 * (40 - t + 39 - t);
  printf("%d %d\n", out[0], out[39]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(words);
}

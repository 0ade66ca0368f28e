// A switch on the lane, with fall-through, a default in the middle, a nested switch and returns from cases.
// Easily got wrong: lanes that fell through join those that entered at the later case.
#include <cstdio>

__host__ __device__ int classify(int lane) {
  int v = 0;
  switch (lane % 9) {
    case 0: v += 1;
    case 1: v += 10;
    case 2: v += 100; break;
    default: v += 5; break;
    case 4:
      switch (lane / 9) {
        case 0: return -1;
        case 1: v = 7;
        default: v += 70;
      }
    case 5: v += 1000;
    case 7:
      if (lane % 2) break;
      v += 10000;
  }
  return v * 2;
}

__global__ void run(int* out) {
  const int t = threadIdx.x;
  int v = classify(t);
  switch (v) {  // far apart: a tree of comparisons rather than a table
    case -1: v = 111; break;
    case 22020: v = 222; break;
    case 2000: v = 333; break;
  }
  out[t] = v;
}

int main() {
  const int n = 64;
  int h[n], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  run<<<1, n>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < n; ++t) {
    const int v = classify(t);
    wrong += h[t] != (v == -1 ? 111 : v == 22020 ? 222 : v == 2000 ? 333 : v);
    printf("%d%c", h[t], t % 16 == 15 ? '\n' : ' ');
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}

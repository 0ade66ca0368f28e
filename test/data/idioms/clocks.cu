// clock64() only grows within a thread, clock() too unless it wraps, and __nanosleep lets time pass.
// Easily got wrong: differences of clock() must be taken as unsigned.
#include <cstdio>

__global__ void take_time(int* ok, int* work) {
  const long long begin = clock64();
  const unsigned early = unsigned(clock());
  int v = threadIdx.x;
  for (int i = 0; i < 50; ++i) v = v * 5 % 1021 + 1;
  __nanosleep(100);
  const long long end = clock64();
  const unsigned late = unsigned(clock());
  work[threadIdx.x] = v;
  ok[threadIdx.x] = end > begin && late - early > 0 && late - early < 0x80000000u;
}

int main() {
  int *ok, *work, all = 0, wrong = 0;
  cudaMallocManaged(&ok, 64 * sizeof(int));
  cudaMallocManaged(&work, 64 * sizeof(int));
  take_time<<<1, 64>>>(ok, work);
  cudaDeviceSynchronize();
  for (int t = 0; t < 64; ++t) {
    int v = t;
    for (int i = 0; i < 50; ++i) v = v * 5 % 1021 + 1;
    wrong += work[t] != v;
    all += ok[t];
  }
  printf("%d of 64 clocks grew, %d %s\n", all, work[63], wrong || all != 64 ? "FAILED" : "PASSED");
  cudaFree(ok);
  cudaFree(work);
}

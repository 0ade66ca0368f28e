// A producer and a consumer with named barriers alone. The side that gives arrives with bar.arrive and goes on. The side that takes waits with
// bar.sync. Each buffer has two barriers: one says that it is full, the other that it is empty. Both count the threads of both sides.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int SIDE = 64, TILES = 12;

template <int ID>
__device__ void sync_at() {
  asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(2 * SIDE) : "memory");
}
__device__ void sync_at(int id) {
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(2 * SIDE) : "memory");
}
__device__ void arrive_at(int id) {
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(2 * SIDE) : "memory");
}

__global__ void produce_and_consume(int* out) {
  enum { FULL = 1, EMPTY = 3, END = 5 };  // FULL, FULL + 1; EMPTY, EMPTY + 1
  __shared__ int buffer[2][SIDE];
  __shared__ int total;
  const int thread = threadIdx.x % SIDE;
  if (threadIdx.x < SIDE) {
    for (int t = 0; t < TILES; ++t) {
      const int b = t % 2;
      if (t >= 2) sync_at(EMPTY + b);
      buffer[b][thread] = (thread + 1) * (t + 3);
      arrive_at(FULL + b);
    }
  } else {
    int sum = 0;
    for (int t = 0; t < TILES; ++t) {
      const int b = t % 2;
      sync_at(FULL + b);
      sum += buffer[b][SIDE - 1 - thread];
      if (t + 2 < TILES) arrive_at(EMPTY + b);
    }
    out[thread] = sum;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (thread % 32 == 0 && thread != 0) total = sum;
    asm volatile("bar.sync 6, 64;" ::: "memory");  // the consumers alone
    if (thread == 0) total += sum;
  }
  sync_at<END>();
  if (threadIdx.x == 0) out[SIDE] = total;
}

int main() {
  int* d_out;
  cudaMalloc(&d_out, (SIDE + 1) * sizeof(int));
  produce_and_consume<<<1, 2 * SIDE>>>(d_out);
  std::vector<int> out(SIDE + 1);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0, sum = 0;
  for (int i = 0; i < SIDE; ++i) {
    int want = 0;
    for (int t = 0; t < TILES; ++t) want += (SIDE - i) * (t + 3);
    wrong += out[i] != want;
    sum += want;
  }
  wrong += out[SIDE] != sum;
  printf("first: %d, last: %d, total: %d\n", out[0], out[SIDE - 1], out[SIDE]);
  printf("wrong sums: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(d_out);
}

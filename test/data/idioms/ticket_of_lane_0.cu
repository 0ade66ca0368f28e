// One lane does the work for its warp and hands the result on: the others' variables are not set before the shuffle.
// Easily got wrong: only the value of the source lane counts, so nothing may be concluded from the others'.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct Range {
  int first, count;
};

__global__ void by_lane(int* next, int* sum) {
  const int lane = threadIdx.x % 32;
  int ticket;
  if (lane == 0) ticket = atomicAdd(next, 1);
  ticket = __shfl_sync(0xffffffff, ticket, 0);
  if (lane == 0) atomicAdd(sum, ticket);
}

__global__ void by_group(int* next, int* sum) {
  if (threadIdx.x % 4 == 1) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  int first;
  if (group.thread_rank() == 0) first = atomicAdd(next, group.size());
  first = group.shfl(first, 0) + group.thread_rank();
  atomicAdd(sum, first);
}

__device__ __noinline__ int draw(int* next, int lane, int source) {
  int ticket;
  if (lane == source) ticket = atomicAdd(next, 1);
  return ticket;
}

__global__ void by_function(int* next, int* sum) {
  const int lane = threadIdx.x % 32, source = threadIdx.x / 32;
  const int ticket = __shfl_sync(0xffffffff, draw(next, lane, source), source);
  if (lane == 31) atomicAdd(sum, ticket + 100);
}

__global__ void by_struct(int* next, int* sum) {
  const int lane = threadIdx.x % 32;
  Range range;
  bool is_odd;
  float half;
  if (lane == 0) {
    range.first = atomicAdd(next, 8);
    range.count = 8;
    is_odd = range.first / 8 % 2 == 1;
    half = range.first / 2.0f;
  }
  range.first = __shfl_sync(0xffffffff, range.first, 0);
  range.count = __shfl_sync(0xffffffff, range.count, 0);
  is_odd = __shfl_sync(0xffffffff, is_odd, 0);
  half = __shfl_sync(0xffffffff, half, 0);
  if (lane < range.count && is_odd && half == range.first / 2) atomicAdd(sum, range.first + lane);
}

int main() {
  int* v;
  cudaMallocManaged(&v, 8 * sizeof(int));
  for (int i = 0; i < 8; ++i) v[i] = 0;
  by_lane<<<1, 128>>>(v, v + 1);
  by_group<<<1, 64>>>(v + 2, v + 3);
  by_function<<<1, 128>>>(v + 4, v + 5);
  by_struct<<<1, 128>>>(v + 6, v + 7);
  cudaDeviceSynchronize();
  printf("a ticket for each warp: %d tickets, sum %d\n", v[0], v[1]);        // 0 + 1 + 2 + 3
  printf("ranks beyond a group's base: %d numbers, sum %d\n", v[2], v[3]);   // 0 + 1 + ... + 47
  printf("drawn by a function: %d tickets, sum %d\n", v[4], v[5]);           // 100 + 101 + 102 + 103
  printf("ranges: %d numbers, sum of the odd ones %d\n", v[6], v[7]);        // 8 + ... + 15, 24 + ... + 31
  cudaFree(v);
}

// The function that takes any thread_group, from the first article on cooperative groups: a block, or a part of it
// whose size is known at run time only. Easily got wrong: each group needs its own piece of the scratch memory.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ int reduce_sum(cg::thread_group g, int* temp, int val) {
  const int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    temp[lane] = val;
    g.sync();
    if (lane < i) val += temp[lane + i];
    g.sync();
  }
  return val;
}

__global__ void sums(const int* in, int* out, int size) {
  extern __shared__ int temp[];
  const cg::thread_block block = cg::this_thread_block();
  const int whole = reduce_sum(block, temp, in[block.thread_rank()]);
  if (block.thread_rank() == 0) out[0] = whole;
  const cg::thread_group part = cg::tiled_partition(block, size);
  const int number = block.thread_rank() / size;
  const int some = reduce_sum(part, temp + number * size, in[block.thread_rank()]);
  if (part.thread_rank() == 0) out[1 + number] = some;
}

int main() {
  const int n = 128;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, (n + 1) * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * i % 19;
  for (int size : {32, 8, 2}) {
    sums<<<1, n, n * sizeof(int)>>>(in, out, size);
    cudaDeviceSynchronize();
    int total = 0, wrong = 0;
    for (int g = 0; g < n / size; ++g) {
      int sum = 0;
      for (int i = g * size; i < (g + 1) * size; ++i) sum += in[i];
      total += sum;
      wrong += sum != out[1 + g];
    }
    printf("%d: %d %d %s\n", size, out[0], out[1], wrong || total != out[0] ? "FAILED" : "PASSED");
  }
  cudaFree(in);
  cudaFree(out);
}

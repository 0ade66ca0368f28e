// Persistent warps that draw work from a queue by an atomic counter until it is empty; the items cost very different times.
// Easily got wrong: lane 0 draws, a shuffle tells the others, and all leave the loop together.
#include <cstdio>

__device__ int next_item = 0;

__global__ void work(const int* items, int n, int* results, int* done) {
  const int lane = threadIdx.x % 32;
  while (true) {
    int item = 0;
    if (lane == 0) item = atomicAdd(&next_item, 1);
    item = __shfl_sync(0xffffffff, item, 0);
    if (item >= n) break;
    int sum = 0;
    for (int i = lane; i < items[item]; i += 32) sum += i * i % 7;
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0) {
      results[item] = sum;
      atomicAdd(done, 1);
    }
  }
}

int main() {
  const int n = 123;
  int *items, *results, *done, wrong = 0;
  cudaMallocManaged(&items, n * sizeof(int));
  cudaMallocManaged(&results, n * sizeof(int));
  cudaMallocManaged(&done, sizeof(int));
  *done = 0;
  for (int i = 0; i < n; ++i) items[i] = i % 17 == 0 ? 2000 : i;
  work<<<3, 96>>>(items, n, results, done);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = 0; k < items[i]; ++k) sum += k * k % 7;
    wrong += results[i] != sum;
  }
  printf("%d items, %d %d %s\n", *done, results[17], results[122], wrong || *done != n ? "FAILED" : "PASSED");
  cudaFree(items);
  cudaFree(results);
  cudaFree(done);
}

// An open-addressing hash table: atomicCAS claims a slot, the next one is tried when it belongs to another key.
// Easily got wrong: a slot that already holds one's own key is a success too.
#include <cstdio>

constexpr unsigned SLOTS = 1024, EMPTY = 0xffffffff;

__device__ unsigned hash(unsigned k) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  return (k ^ k >> 16) % SLOTS;
}

__global__ void insert(const unsigned* keys, int n, unsigned* table, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  unsigned slot = hash(key);
  while (true) {
    const unsigned before = atomicCAS(&table[slot], EMPTY, key);
    if (before == EMPTY || before == key) {
      atomicAdd(&counts[slot], 1);
      return;
    }
    slot = (slot + 1) % SLOTS;
  }
}

__global__ void find(const unsigned* table, const int* counts, int* found, int n) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x;
  if (key >= n) return;
  unsigned slot = hash(key);
  while (table[slot] != EMPTY && table[slot] != unsigned(key)) slot = (slot + 1) % SLOTS;
  found[key] = table[slot] == EMPTY ? 0 : counts[slot];
}

int main() {
  const int n = 3000, most = 1000;
  unsigned *keys, *table;
  int *counts, *found, expected[most] = {}, wrong = 0, distinct = 0;
  cudaMallocManaged(&keys, n * sizeof(unsigned));
  cudaMallocManaged(&found, most * sizeof(int));
  cudaMalloc(&table, SLOTS * sizeof(unsigned));
  cudaMalloc(&counts, SLOTS * sizeof(int));
  cudaMemset(table, 0xff, SLOTS * sizeof(unsigned));
  cudaMemset(counts, 0, SLOTS * sizeof(int));
  for (int i = 0; i < n; ++i) ++expected[keys[i] = unsigned(i) * i % 997];
  insert<<<(n + 127) / 128, 128>>>(keys, n, table, counts);
  find<<<(most + 127) / 128, 128>>>(table, counts, found, most);
  cudaDeviceSynchronize();
  for (int k = 0; k < most; ++k) wrong += found[k] != expected[k], distinct += found[k] > 0;
  printf("%d distinct keys, key 1 came %d times\n", distinct, found[1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(keys);
  cudaFree(found);
  cudaFree(table);
  cudaFree(counts);
}

// Radix sort, a bit at a time, in one block: the split by a scan of the zeros; keys carry a value along.
// Easily got wrong: it must be stable, or the passes before are undone; the sign bit sorts the other way.
#include <cstdio>

constexpr int N = 256;

__device__ int exclusive_count(bool flag, int* total) {
  __shared__ int warps[N / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned bits = __ballot_sync(0xffffffff, flag);
  if (lane == 0) warps[warp] = __popc(bits);
  __syncthreads();
  int before = __popc(bits & ((1u << lane) - 1)), all = 0;
  for (int w = 0; w < N / 32; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  __syncthreads();
  *total = all;
  return before;
}

__global__ void sort(int* keys, int* values) {
  __shared__ unsigned k[N];
  __shared__ int v[N];
  const int t = threadIdx.x;
  unsigned key = unsigned(keys[t]) ^ 0x80000000u;
  int value = values[t];
  for (int bit = 0; bit < 32; ++bit) {
    const bool zero = (key >> bit & 1) == 0;
    int zeros;
    const int before = exclusive_count(zero, &zeros);
    const int to = zero ? before : zeros + t - before;
    k[to] = key;
    v[to] = value;
    __syncthreads();
    key = k[t];
    value = v[t];
    __syncthreads();
  }
  keys[t] = int(key ^ 0x80000000u);
  values[t] = value;
}

int main() {
  int *keys, *values, wrong = 0;
  int before[N];
  cudaMallocManaged(&keys, N * sizeof(int));
  cudaMallocManaged(&values, N * sizeof(int));
  for (int i = 0; i < N; ++i) before[i] = keys[i] = (i * 7919 % 1000 - 500) * (i % 3 ? 1 : 1000003) / 4 * 4 % 100000, values[i] = i;
  sort<<<1, N>>>(keys, values);
  cudaDeviceSynchronize();
  for (int i = 0; i < N; ++i) {
    wrong += before[values[i]] != keys[i];
    if (i) wrong += keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values[i - 1] > values[i]);
  }
  printf("%d %d %d\n", keys[0], keys[128], keys[255]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(keys);
  cudaFree(values);
}

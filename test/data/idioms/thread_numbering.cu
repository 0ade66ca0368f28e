// A block of 7 x 5 x 3 in a grid of 3 x 2 x 2: x runs fastest, and 32 consecutive numbers are a warp.
// Easily got wrong: a warp of such a block spans rows and planes; the last warp has 9 lanes.
#include <cstdio>

__global__ void number(int* thread, int* block, int* warp, int* lane, int* first) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int size = blockDim.x * blockDim.y * blockDim.z;
  const int i = b * size + t;
  unsigned l;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  const unsigned here = __ballot_sync(t < 96 ? 0xffffffff : 0x1ff, true);
  thread[i] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
  block[i] = blockIdx.z * 100 + blockIdx.y * 10 + blockIdx.x;
  warp[i] = __popc(here);
  lane[i] = l;
  first[i] = __shfl_sync(here, t, 0);
}

int main() {
  const dim3 threads(7, 5, 3), blocks(3, 2, 2);
  const int n = 105 * 12;
  int* a[5];
  for (auto& p : a) cudaMallocManaged(&p, n * sizeof(int));
  number<<<blocks, threads>>>(a[0], a[1], a[2], a[3], a[4]);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int t = i % 105, b = i / 105;
    wrong += a[0][i] != t / 35 * 100 + t / 7 % 5 * 10 + t % 7;
    wrong += a[1][i] != b / 6 * 100 + b / 3 % 2 * 10 + b % 3;
    wrong += a[2][i] != (t < 96 ? 32 : 9) || a[3][i] != t % 32 || a[4][i] != t / 32 * 32;
  }
  printf("%03d %03d %d\n", a[0][104], a[1][n - 1], a[2][100]);
  puts(wrong ? "FAILED" : "PASSED");
  for (int* p : a) cudaFree(p);
}

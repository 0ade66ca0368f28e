// Bitonic sort: in shared memory for one block, then with a launch for each step over global memory.
// Easily got wrong: the direction comes from the element's index and the stage, not from the step.
#include <algorithm>
#include <cstdio>

__global__ void sort_block(int* data) {
  __shared__ int s[512];
  const unsigned t = threadIdx.x;
  s[t] = data[t];
  s[t + 256] = data[t + 256];
  for (unsigned k = 2; k <= 512; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const unsigned a = 2 * t - (t & (j - 1)), b = a + j;
      const bool up = (a & k) == 0;
      if ((s[a] > s[b]) == up) {
        const int v = s[a];
        s[a] = s[b];
        s[b] = v;
      }
    }
  }
  __syncthreads();
  data[t] = s[t];
  data[t + 256] = s[t + 256];
}
__global__ void step(float* data, unsigned j, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i && ((data[i] > data[other]) == ((i & k) == 0))) {
    const float v = data[i];
    data[i] = data[other];
    data[other] = v;
  }
}

int main() {
  int* data;
  float* reals;
  const unsigned n = 2048;
  cudaMallocManaged(&data, 512 * sizeof(int));
  cudaMallocManaged(&reals, n * sizeof(float));
  unsigned x = 1;
  for (int i = 0; i < 512; ++i) data[i] = int((x = x * 1664525 + 1013904223) >> 8) % 1000 - 500;
  for (unsigned i = 0; i < n; ++i) reals[i] = float((x = x * 1664525 + 1013904223) >> 8) / 1024;
  sort_block<<<1, 256>>>(data);
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) step<<<n / 256, 256>>>(reals, j, k);
  cudaDeviceSynchronize();
  printf("%d %d %d, %.1f %.1f\n", data[0], data[255], data[511], reals[0], reals[n - 1]);
  puts(std::is_sorted(data, data + 512) && std::is_sorted(reals, reals + n) ? "PASSED" : "FAILED");
  cudaFree(data);
  cudaFree(reals);
}

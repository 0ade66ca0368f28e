// An address in shared memory is a number of 32 bits. A compiler may put a part of it into the instruction: the sum of both wraps.
// Easily got wrong: the register alone is an address far outside, as after `table[i - 64 + 63]` with a small i.
#include <cstdint>
#include <cstdio>

__global__ void read_behind(const int* shift, int* out) {
  __shared__ int table[64];
  table[threadIdx.x] = 3 * static_cast<int>(threadIdx.x);
  __syncthreads();
  const auto first = static_cast<uint32_t>(__cvta_generic_to_shared(table));
  const uint32_t before = first + 4 * (threadIdx.x - static_cast<unsigned>(shift[0]));
  int value;
  asm volatile("ld.shared.u32 %0, [%1+252];" : "=r"(value) : "r"(before) : "memory");
  out[threadIdx.x] = value;
}

int main() {
  int *shift, *out;
  cudaMallocManaged(&shift, sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  *shift = 63;
  read_behind<<<1, 64>>>(shift, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int right = 0;
  for (int i = 0; i < 64; ++i) right += out[i] == 3 * i;
  printf("%d of 64 right, the last is %d\n", right, out[63]);
  cudaFree(shift);
  cudaFree(out);
}

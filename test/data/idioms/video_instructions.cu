// The video instructions of PTX on words of four bytes or two halves: each operation with each sign, plain, saturated and summed.
#include <cstdio>

constexpr int WORDS = 12;

__device__ unsigned word(int i) {
  const unsigned words[WORDS] = {0x00000000, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x80007fff, 0x0180ff7f,
                                 0x12345678, 0xfedcba98, 0x01fe02fd, 0x7f80ff00, 0x00ff8001, 0xdeadbeef};
  return words[i];
}

// Each thread has one pair of words. The result of a kind is the sum over all pairs, each with another weight.
#define KIND(name)                                                                              \
  {                                                                                             \
    unsigned result;                                                                            \
    asm(name " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(1000u));                   \
    atomicAdd(&sums[kind++], result * (2 * threadIdx.x + 1));                                   \
  }
#define ENDS(name) KIND(name) KIND(name ".sat") KIND(name ".add")
#define SIGNS(name)                                                                             \
  ENDS(name ".u32.u32.u32") ENDS(name ".u32.u32.s32") ENDS(name ".u32.s32.u32")                 \
  ENDS(name ".u32.s32.s32") ENDS(name ".s32.u32.u32") ENDS(name ".s32.u32.s32")                 \
  ENDS(name ".s32.s32.u32") ENDS(name ".s32.s32.s32")
#define SIZES(name) SIGNS(name "2") SIGNS(name "4")

constexpr int KINDS = 6 * 2 * 8 * 3;

__global__ void compute(unsigned* sums) {
  const unsigned a = word(threadIdx.x / WORDS), b = word(threadIdx.x % WORDS);
  int kind = 0;
  SIZES("vadd")
  SIZES("vsub")
  SIZES("vavrg")
  SIZES("vabsdiff")
  SIZES("vmin")
  SIZES("vmax")
}

__global__ void sum_of_distances(const unsigned* a, const unsigned* b, unsigned* sum) {
  unsigned distance;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(distance) : "r"(a[threadIdx.x]), "r"(b[threadIdx.x]), "r"(0));
  atomicAdd(sum, distance);
}

int main() {
  unsigned* sums;
  cudaMallocManaged(&sums, KINDS * sizeof *sums);
  for (int i = 0; i < KINDS; ++i) sums[i] = 0;
  compute<<<1, WORDS * WORDS>>>(sums);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  const char* const operations[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
  for (int i = 0; i < KINDS; i += 3) {
    printf("%s%d.%c.%c.%c %08x sat %08x add %08x\n", operations[i / 48], i / 24 % 2 == 0 ? 2 : 4, i / 12 % 2 ? 's' : 'u',
           i / 6 % 2 ? 's' : 'u', i / 3 % 2 ? 's' : 'u', sums[i], sums[i + 1], sums[i + 2]);
  }
  unsigned *a, *b;
  cudaMallocManaged(&a, 32 * sizeof *a);
  cudaMallocManaged(&b, 32 * sizeof *b);
  for (unsigned i = 0; i < 32; ++i) {
    a[i] = 0x01020304 * i;
    b[i] = 0x04030201 * i;
  }
  sums[0] = 0;
  sum_of_distances<<<1, 32>>>(a, b, sums);
  cudaDeviceSynchronize();
  printf("sum of distances %u\n", sums[0]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(sums);
}

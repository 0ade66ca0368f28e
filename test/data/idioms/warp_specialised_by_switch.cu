// Each warp of a block has a role, chosen by a switch; they hand tiles on through shared memory at common barriers.
// Easily got wrong: every role must meet the same number of barriers in each round.
#include <cstdio>

__global__ void assembly_line(const int* in, int* out, int rounds) {
  __shared__ int loaded[2][32], squared[2][32], summed[2];
  const int lane = threadIdx.x % 32;
  for (int r = 0; r < rounds + 3; ++r) {
    switch (threadIdx.x / 32) {
      case 0:  // loads tile r
        if (r < rounds) loaded[r % 2][lane] = in[r * 32 + lane];
        __syncthreads();
        break;
      case 1:  // squares tile r - 1
        if (r >= 1 && r <= rounds) squared[(r - 1) % 2][lane] = loaded[(r - 1) % 2][lane] * loaded[(r - 1) % 2][lane];
        __syncthreads();
        break;
      case 2: {  // adds up tile r - 2
        int v = r >= 2 && r <= rounds + 1 ? squared[r % 2][lane] : 0;
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (lane == 0) summed[r % 2] = v;
        __syncthreads();
        break;
      }
      default:  // writes tile r - 3
        if (r >= 3 && lane == 0) out[r - 3] = summed[(r - 1) % 2];
        __syncthreads();
    }
  }
}

int main() {
  const int rounds = 12;
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, rounds * 32 * sizeof(int));
  cudaMallocManaged(&out, rounds * sizeof(int));
  for (int i = 0; i < rounds * 32; ++i) in[i] = i % 23;
  assembly_line<<<1, 128>>>(in, out, rounds);
  cudaDeviceSynchronize();
  for (int r = 0; r < rounds; ++r) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += in[r * 32 + i] * in[r * 32 + i];
    wrong += out[r] != sum;
    printf("%d ", out[r]);
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}

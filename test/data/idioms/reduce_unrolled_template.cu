// The completely unrolled reduction: the block size is a template parameter, a switch picks the kernel.
// Easily got wrong: each `if` on the size vanishes, but the barrier inside it must be met by the whole block.
#include <cstdio>

template <unsigned SIZE>
__global__ void sum(const int* in, int* out, unsigned n) {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  int v = 0;
  for (unsigned i = blockIdx.x * SIZE * 2 + t; i < n; i += SIZE * 2 * gridDim.x) {
    v += in[i];
    if (i + SIZE < n) v += in[i + SIZE];
  }
  s[t] = v;
  __syncthreads();
  if (SIZE >= 512) { if (t < 256) s[t] = v = v + s[t + 256]; __syncthreads(); }
  if (SIZE >= 256) { if (t < 128) s[t] = v = v + s[t + 128]; __syncthreads(); }
  if (SIZE >= 128) { if (t < 64) s[t] = v = v + s[t + 64]; __syncthreads(); }
  if (t < 32) {
    if (SIZE >= 64) v += s[t + 32];
#pragma unroll
    for (int offset = (SIZE < 32 ? SIZE : 32) / 2; offset > 0; offset /= 2) {
      v += __shfl_down_sync(SIZE < 32 ? (1u << SIZE % 32) - 1 : 0xffffffffu, v, offset);
    }
  }
  if (t == 0) out[blockIdx.x] = v;
}

void launch(int threads, int blocks, const int* in, int* out, unsigned n) {
  const size_t bytes = (threads < 64 ? 64 : threads) * sizeof(int);
  switch (threads) {
    case 512: sum<512><<<blocks, threads, bytes>>>(in, out, n); break;
    case 256: sum<256><<<blocks, threads, bytes>>>(in, out, n); break;
    case 128: sum<128><<<blocks, threads, bytes>>>(in, out, n); break;
    case 64: sum<64><<<blocks, threads, bytes>>>(in, out, n); break;
    case 32: sum<32><<<blocks, threads, bytes>>>(in, out, n); break;
    case 8: sum<8><<<blocks, threads, bytes>>>(in, out, n); break;
  }
}

int main() {
  const int n = 30011, blocks = 6;
  int *in, *out, expected = 0;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, blocks * sizeof(int));
  for (int i = 0; i < n; ++i) expected += in[i] = i % 1000 - 300;
  for (int threads : {512, 256, 128, 64, 32, 8}) {
    launch(threads, blocks, in, out, n);
    cudaDeviceSynchronize();
    int total = 0;
    for (int b = 0; b < blocks; ++b) total += out[b];
    printf("%3d: %d %s\n", threads, total, total == expected ? "PASSED" : "FAILED");
  }
  cudaFree(in);
  cudaFree(out);
}

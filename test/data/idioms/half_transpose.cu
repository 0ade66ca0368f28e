// A float matrix transposed into half precision through shared memory. Easily got wrong: the padding counts elements
// of 2 bytes, so 2 of them move a row by one bank.
#include <cuda_fp16.h>

#include <cstdio>

constexpr int N = 64, TILE = 32;

__global__ void transpose(const float* in, half* out) {
  __shared__ half tile[TILE][TILE + 2];
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  for (int row = threadIdx.y; row < TILE; row += blockDim.y)
    tile[row][threadIdx.x] = __float2half_rn(in[(y + row) * N + x + threadIdx.x]);
  __syncthreads();
  for (int row = threadIdx.y; row < TILE; row += blockDim.y)
    out[(x + row) * N + y + threadIdx.x] = tile[threadIdx.x][row];
}

int main() {
  float* in;
  half* out;
  cudaMallocManaged(&in, N * N * sizeof(float));
  cudaMallocManaged(&out, N * N * sizeof(half));
  for (int i = 0; i < N * N; ++i) in[i] = i * 16.3f;  // the last ones are beyond half precision's range
  transpose<<<dim3(N / TILE, N / TILE), dim3(TILE, 8)>>>(in, out);
  cudaDeviceSynchronize();
  int wrong = 0, infinite = 0;
  for (int i = 0; i < N * N; ++i) {
    const half want = __float2half_rn(in[i % N * N + i / N]);
    wrong += __half_as_ushort(out[i]) != __half_as_ushort(want);
    infinite += __half_as_ushort(out[i]) == 0x7c00;
  }
  printf("%d wrong, %d infinite, corner %04x\n%s\n", wrong, infinite, __half_as_ushort(out[N * N - 1]),
         wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(in);
  cudaFree(out);
}

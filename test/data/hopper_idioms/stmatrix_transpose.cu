// stmatrix stores the fragments of a warp to shared memory, as ldmatrix loads them. With .trans each matrix of 8 x 8 halves is stored transposed. A warp computes
// fragments of a 16 x 16 matrix in the layout of a product's result, and stores the matrix once as it is and once transposed.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int SIZE = 16, PITCH = SIZE + 8;

__device__ uint32_t pack(int low, int high) {
  const __half2 pair = __halves2half2(__int2half_rn(low), __int2half_rn(high));
  return *reinterpret_cast<const uint32_t*>(&pair);
}

__global__ void store(__half* straight, __half* transposed) {
  __shared__ __align__(16) __half tile[2][SIZE][PITCH];
  const int lane = threadIdx.x;
  uint32_t x[4];
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i % 2 * 8, col = lane % 4 * 2 + i / 2 * 8;
    x[i] = pack(row * SIZE + col, row * SIZE + col + 1);
  }
  // Lane l gives the address of row l % 8 of matrix l / 8.
  const int down = lane / 8 % 2 * 8, right = lane / 16 * 8;
  const uint32_t a = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[0][down + lane % 8][right]));
  const uint32_t b = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[1][right + lane % 8][down]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(b), "r"(x[0]), "r"(x[1]), "r"(x[2]),
               "r"(x[3])
               : "memory");
  __syncwarp();
  for (int i = lane; i < SIZE * SIZE; i += 32) {
    straight[i] = tile[0][i / SIZE][i % SIZE];
    transposed[i] = tile[1][i / SIZE][i % SIZE];
  }
}

int main() {
  std::vector<__half> straight(SIZE * SIZE), transposed(SIZE * SIZE);
  __half *d_straight, *d_transposed;
  cudaMalloc(&d_straight, straight.size() * sizeof(__half));
  cudaMalloc(&d_transposed, transposed.size() * sizeof(__half));
  store<<<1, 32>>>(d_straight, d_transposed);
  cudaMemcpy(straight.data(), d_straight, straight.size() * sizeof(__half), cudaMemcpyDeviceToHost);
  cudaMemcpy(transposed.data(), d_transposed, transposed.size() * sizeof(__half), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < SIZE * SIZE; ++i) {
    wrong += __half2float(straight[i]) != static_cast<float>(i);
    wrong += __half2float(transposed[i]) != static_cast<float>(i % SIZE * SIZE + i / SIZE);
  }
  printf("row 1: %g %g %g, transposed: %g %g %g\n", __half2float(straight[16]), __half2float(straight[17]), __half2float(straight[18]),
         __half2float(transposed[16]), __half2float(transposed[17]), __half2float(transposed[18]));
  printf("wrong elements: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(d_straight);
  cudaFree(d_transposed);
}

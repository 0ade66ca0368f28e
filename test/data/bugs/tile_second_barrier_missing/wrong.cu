// A tiled product has no __syncthreads() after the sum, so fast threads store the next tile too early.
#include <cstdio>

constexpr int N = 32, T = 16;

__global__ void product(const float* A, const float* B, float* C) {
  __shared__ float As[T][T], Bs[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += T) {
    As[y][x] = A[row * N + k0 + x];
    Bs[y][x] = B[(k0 + y) * N + col];
    __syncthreads();
    for (int k = 0; k < T; k++) sum += As[y][k] * Bs[k][x];
  }
  C[row * N + col] = sum;
}

int main() {
  float *A, *B, *C;
  cudaMallocManaged(&A, N * N * sizeof(float));
  cudaMallocManaged(&B, N * N * sizeof(float));
  cudaMallocManaged(&C, N * N * sizeof(float));
  for (int i = 0; i < N * N; i++) A[i] = i % 7, B[i] = i % 5;
  product<<<dim3(N / T, N / T), dim3(T, T)>>>(A, B, C);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}

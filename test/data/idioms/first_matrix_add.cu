// Matrix addition with a 2-D grid, the matrix as a 2-D array type: float (*)[N].
// Easily got wrong: x is the column.
#include <cstdio>

#define N 50

__global__ void matrix_add(const float a[N][N], const float b[N][N], float c[N][N]) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < N) c[i][j] = a[i][j] + b[j][i];
}

int main() {
  static float a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = i, b[i][j] = j * 100 + i;
  float(*d_a)[N], (*d_b)[N], (*d_c)[N];
  cudaMalloc((void**)&d_a, sizeof a);
  cudaMalloc((void**)&d_b, sizeof b);
  cudaMalloc((void**)&d_c, sizeof c);
  cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((N + threads.x - 1) / threads.x, (N + threads.y - 1) / threads.y);
  matrix_add<<<blocks, threads>>>(d_a, d_b, d_c);
  cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) wrong += c[i][j] != a[i][j] + b[j][i];
  printf("%.0f %.0f %.0f\n", c[0][1], c[1][0], c[49][49]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}

// A project's own kernel beside a rung of the ladder: fills A and B, lets rung 2 multiply them, and checks C.
#include <cstdio>
#include <cstdlib>

#include "kernels/ladder.hpp"

namespace {

constexpr int SIZE = 64;

__global__ void fill(float* matrix, float value) {
  matrix[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

void stop_at(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

float* filled(float value) {
  float* matrix = nullptr;
  stop_at(cudaMalloc(&matrix, SIZE * SIZE * sizeof(float)));
  fill<<<SIZE, SIZE>>>(matrix, value);
  stop_at(cudaGetLastError());
  return matrix;
}

}  // namespace

int main() {
  float* const A = filled(2);
  float* const B = filled(3);
  float* const C = filled(0);
  const ladder::Sgemm product{.M = SIZE,
                              .N = SIZE,
                              .K = SIZE,
                              .alpha = 1,
                              .A = A,
                              .lda = SIZE,
                              .B = B,
                              .ldb = SIZE,
                              .beta = 0,
                              .C = C,
                              .ldc = SIZE};
  stop_at(ladder::launch(*ladder::all()[2], product, nullptr));
  static float c[SIZE * SIZE];
  stop_at(cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost));
  for (const float element : c) {
    if (element == 2 * 3 * SIZE) continue;
    std::fprintf(stderr, "an element of C is %g\n", element);
    return 1;
  }
  for (float* matrix : {A, B, C}) stop_at(cudaFree(matrix));
  return 0;
}

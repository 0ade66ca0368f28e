// A kernel of its own before the product, and one after it, on one stream.
#include <sgemm_ladder.h>

#include <cstdio>

namespace {

constexpr int SIZE = 64;

__global__ void fill(float* matrix, float value) {
  matrix[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void count_wrong(const float* matrix, float want, int* wrong) {
  if (matrix[blockIdx.x * blockDim.x + threadIdx.x] != want) atomicAdd(wrong, 1);
}

bool fails(cudaError_t error) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

}  // namespace

int main() {
  float *A = nullptr, *B = nullptr, *C = nullptr;
  int* wrong = nullptr;
  for (float** matrix : {&A, &B, &C}) {
    if (fails(cudaMalloc(matrix, SIZE * SIZE * sizeof(float)))) return 1;
  }
  if (fails(cudaMalloc(&wrong, sizeof *wrong)) || fails(cudaMemset(wrong, 0, sizeof *wrong)))
    return 1;
  fill<<<SIZE, SIZE>>>(A, 2);
  fill<<<SIZE, SIZE>>>(B, 3);
  if (sgemm_ladder_sgemm(SGEMM_LADDER_ROW_MAJOR, SGEMM_LADDER_TRANS, SGEMM_LADDER_NO_TRANS, SIZE,
                         SIZE, SIZE, 1, A, SIZE, B, SIZE, 0, C, SIZE, nullptr) != SGEMM_LADDER_OK) {
    std::fprintf(stderr, "%s\n", sgemm_ladder_last_error());
    return 1;
  }
  count_wrong<<<SIZE, SIZE>>>(C, 2 * 3 * SIZE, wrong);
  int count = -1;
  if (fails(cudaGetLastError()) ||
      fails(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost)))
    return 1;
  for (void* memory : {static_cast<void*>(A), static_cast<void*>(B), static_cast<void*>(C),
                       static_cast<void*>(wrong)}) {
    if (fails(cudaFree(memory))) return 1;
  }
  if (count != 0) {
    std::fprintf(stderr, "%d elements of C are wrong\n", count);
    return 1;
  }
  std::printf("CUDA: right\n");
  return 0;
}

// Multiplies a batch of matrices in a workspace of its own.
#include <cuda_runtime.h>

#include <cstdio>
#include <sgemm_ladder.hpp>
#include <stdexcept>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

float* on_device(const std::vector<float>& values) {
  float* data = nullptr;
  const std::size_t bytes = values.size() * sizeof(float);
  check(cudaMalloc(&data, bytes));
  check(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice));
  return data;
}

void multiply() {
  using namespace sgemm_ladder;
  constexpr int SIZE = 48, K = 1000, COUNT = 2;
  float* const A = on_device(std::vector<float>(COUNT * SIZE * K, 2));
  float* const B = on_device(std::vector<float>(SIZE * K, 3));
  float* const C = on_device(std::vector<float>(COUNT * SIZE * SIZE, 1));

  const Batch batch{COUNT, SIZE * K, 0, SIZE * SIZE};
  Options options;
  options.workspace_bytes = workspace_bytes(Order::row_major, Op::transpose, Op::none, SIZE, SIZE,
                                            K, 0.5f, A, SIZE, B, SIZE, 1, C, SIZE, batch);
  check(cudaMalloc(&options.workspace, options.workspace_bytes));
  sgemm_batch(Order::row_major, Op::transpose, Op::none, SIZE, SIZE, K, 0.5f, A, SIZE, B, SIZE, 1,
              C, SIZE, batch, nullptr, options);

  std::vector<float> c(COUNT * SIZE * SIZE);
  check(cudaMemcpy(c.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float element : c) {
    if (element != 0.5f * 6 * K + 1) throw std::runtime_error("an element of C is wrong");
  }
  for (void* memory :
       {static_cast<void*>(A), static_cast<void*>(B), static_cast<void*>(C), options.workspace}) {
    check(cudaFree(memory));
  }
}

}  // namespace

int main() {
  try {
    multiply();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("C++: right\n");
  return 0;
}

// The host dereferences a pointer from cudaMalloc(): that memory is the GPU's alone.
#include <cstdio>

__global__ void answer(int* data) { *data = 42; }

int main() {
  int *data, result;
  cudaMalloc(&data, sizeof(int));
  answer<<<1, 1>>>(data);
  result = *data;
  printf("%d\n", result);
  cudaFree(data);
}

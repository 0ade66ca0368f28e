// cudaMemcpy() brings the value to the host.
#include <cstdio>

__global__ void answer(int* data) { *data = 42; }

int main() {
  int *data, result;
  cudaMalloc(&data, sizeof(int));
  answer<<<1, 1>>>(data);
  cudaMemcpy(&result, data, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(data);
}

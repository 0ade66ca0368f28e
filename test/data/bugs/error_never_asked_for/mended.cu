// The copy has the size of the buffer, and the program checks its return code.
#include <cstdio>

int main() {
  int host[100], *device;
  for (int i = 0; i < 100; i++) host[i] = i;
  cudaMalloc(&device, 50 * sizeof(int));
  if (cudaMemcpy(device, host, 50 * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  cudaFree(device);
  printf("done\n");
}

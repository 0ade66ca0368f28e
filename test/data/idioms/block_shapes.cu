// One kernel under many shapes: a single thread, 1024, odd ones, flat and tall, grids in y and z.
// Easily got wrong: gridDim and blockDim may be anything, and limits differ by axis (z at most 64 threads).
#include <cstdio>

__global__ void count(int* out, int* largest) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int size = blockDim.x * blockDim.y * blockDim.z;
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  __shared__ int s;
  if (t == size - 1) s = t;
  __syncthreads();
  atomicAdd(out, s - t + 1);
  atomicMax(largest, b * size + t);
}

int main() {
  const dim3 shapes[][2] = {{{1, 1, 1}, {1, 1, 1}},   {{1, 1, 1}, {1024, 1, 1}}, {{5, 1, 1}, {33, 1, 1}},
                            {{3, 4, 5}, {7, 5, 3}},   {{1, 9, 1}, {1, 31, 1}},   {{1, 1, 7}, {1, 1, 64}},
                            {{2, 3, 4}, {16, 16, 4}}, {{1, 300, 1}, {2, 1, 2}},  {{13, 1, 2}, {32, 32, 1}}};
  int* out;
  cudaMallocManaged(&out, 2 * sizeof(int));
  for (const auto& shape : shapes) {
    const int size = shape[1].x * shape[1].y * shape[1].z, blocks = shape[0].x * shape[0].y * shape[0].z;
    out[0] = out[1] = 0;
    count<<<shape[0], shape[1]>>>(out, out + 1);
    cudaDeviceSynchronize();
    const bool right = out[0] == blocks * size * (size + 1) / 2 && out[1] == blocks * size - 1;
    printf("%d blocks of %d: %d %s\n", blocks, size, out[0], right ? "PASSED" : "FAILED");
  }
  cudaFree(out);
}

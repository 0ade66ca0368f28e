// The device query: what every CUDA device answers alike, and the relations that hold on all of them.
// Easily got wrong: count first; a machine may have no device.
#include <cstdio>

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
    puts("no device");
    return 1;
  }
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  printf("named: %d, warp %d, %d threads a block, block %d x %d x %d, grid %d x %d x %d\n", p.name[0] != 0, p.warpSize,
         p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1],
         p.maxGridSize[2]);
  printf("shared memory a block %zu, constant memory %zu, capability %d.x\n", p.sharedMemPerBlock, p.totalConstMem, p.major);
  size_t left, total;
  cudaMemGetInfo(&left, &total);
  int device = -1, driver = 0, runtime = 0;
  cudaGetDevice(&device);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  printf("device %d, memory: %d, versions: %d\n", device, left > 0 && left <= total && total <= p.totalGlobalMem, driver >= runtime);
  puts(p.multiProcessorCount > 0 && cudaSetDevice(0) == cudaSuccess ? "PASSED" : "FAILED");
}

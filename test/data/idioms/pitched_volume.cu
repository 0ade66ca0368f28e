// A volume in pitched memory: cudaMalloc3D, cudaMemset3D, a kernel that walks rows and planes, a copy of a part of it.
// Easily got wrong: the pitch is in bytes, and a plane has pitch times ysize of them.
#include <cstdio>

__global__ void number(cudaPitchedPtr volume, int width, int height, int depth) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x >= width || y >= height || z >= depth) return;
  char* row = static_cast<char*>(volume.ptr) + (z * volume.ysize + y) * volume.pitch;
  reinterpret_cast<int*>(row)[x] += 100 * z + 10 * y + x;
}

int main() {
  const int width = 7, height = 5, depth = 4;
  const cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  cudaPitchedPtr volume;
  cudaMalloc3D(&volume, extent);
  printf("pitch %d, %d x %d\n", (int)volume.pitch, (int)volume.xsize, (int)volume.ysize);
  cudaMemset3D(volume, 0, extent);
  number<<<depth, dim3(8, 8)>>>(volume, width, height, depth);

  int whole[depth][height][width];
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(whole, width * sizeof(int), width, height);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  int wrong = 0;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) wrong += whole[z][y][x] != 100 * z + 10 * y + x;

  int part[2][2][3] = {};
  copy = {};
  copy.srcPtr = volume;
  copy.srcPos = make_cudaPos(4 * sizeof(int), 3, 2);
  copy.dstPtr = make_cudaPitchedPtr(part, 3 * sizeof(int), 3, 2);
  copy.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  printf("%d %d %d ... %d\n", part[0][0][0], part[0][0][1], part[0][1][2], part[1][1][2]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(volume.ptr);
}

// A program may ask to share memory with OpenGL, and go on without: there is no OpenGL context here. What each call returns then.
#include <cuda_gl_interop.h>

#include <cstdio>

static void show(const char* what, cudaError_t error) {
  std::printf("%s: %s", what, cudaGetErrorName(error));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void add_one(int* number) { *number += 1; }

int main() {
  unsigned int count = 7;
  int devices[4];
  show("cudaGLGetDevices", cudaGLGetDevices(&count, devices, 4, cudaGLDeviceListAll));
  cudaGraphicsResource_t resource = nullptr;
  show("cudaGraphicsGLRegisterBuffer", cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsWriteDiscard));
  show("cudaGraphicsGLRegisterImage", cudaGraphicsGLRegisterImage(&resource, 1, 0x0DE1, cudaGraphicsRegisterFlagsNone));
  std::printf("a resource: %s\n", resource == nullptr ? "none" : "some");

  show("cudaGraphicsMapResources of none", cudaGraphicsMapResources(0, nullptr, nullptr));
  show("cudaGraphicsMapResources", cudaGraphicsMapResources(1, &resource, nullptr));
  show("cudaGraphicsUnmapResources", cudaGraphicsUnmapResources(1, &resource));
  void* pointer = nullptr;
  size_t bytes = 0;
  show("cudaGraphicsResourceGetMappedPointer", cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource));
  cudaArray_t array = nullptr;
  show("cudaGraphicsSubResourceGetMappedArray", cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
  show("cudaGraphicsResourceSetMapFlags", cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly));
  show("cudaGraphicsUnregisterResource", cudaGraphicsUnregisterResource(resource));

  // The device still works.
  int* number = nullptr;
  cudaMallocManaged(&number, sizeof(int));
  *number = 41;
  add_one<<<1, 1>>>(number);
  show("cudaDeviceSynchronize", cudaDeviceSynchronize());
  std::printf("%d\n", *number);
  cudaFree(number);
}

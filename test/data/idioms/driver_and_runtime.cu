// flags: -lcuda
// The driver API and the runtime API in one program: contexts, and memory of one API in calls of the other.
// Easily got wrong: nothing works before cuInit, and after it nothing that needs a context works without one; a thread's contexts are a
// stack; the runtime's last error knows nothing of the driver's errors.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

static int wrong = 0;

static void expect(bool holds, const char* condition) {
  if (holds) return;
  printf("not so: %s\n", condition);
  ++wrong;
}
#define EXPECT(condition) expect(condition, #condition)

static const char* name_of(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name;
}

static CUresult create(CUcontext* context, CUdevice device) {
#if CUDA_VERSION >= 13000
  return cuCtxCreate(context, nullptr, 0, device);
#else
  return cuCtxCreate(context, 0, device);
#endif
}

int main() {
  int count = 0;
  CUdeviceptr memory = 0;
  printf("before cuInit: %s\n", name_of(cuDeviceGetCount(&count)));
  printf("cuInit(1): %s\n", name_of(cuInit(1)));
  printf("cuInit(0): %s\n", name_of(cuInit(0)));
  printf("without a context: %s\n", name_of(cuMemAlloc(&memory, 100)));
  CUcontext none;
  printf("cuCtxPopCurrent: %s\n", name_of(cuCtxPopCurrent(&none)));

  CUdevice device, of_context = -1;
  CUcontext first, second, current, popped;
  EXPECT(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  EXPECT(create(&first, device) == CUDA_SUCCESS);
  EXPECT(create(&second, device) == CUDA_SUCCESS);
  EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == second);
  EXPECT(cuCtxPopCurrent(&popped) == CUDA_SUCCESS && popped == second);
  EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == first);
  EXPECT(cuCtxPushCurrent(second) == CUDA_SUCCESS);
  EXPECT(cuCtxDestroy(second) == CUDA_SUCCESS);
  EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == first);
  EXPECT(cuCtxGetDevice(&of_context) == CUDA_SUCCESS && of_context == device);
  printf("contexts: %s\n", wrong ? "FAILED" : "a stack");

  // The driver's memory for the runtime's kernel, in the driver's context.
  const int n = 1000;
  std::vector<int> host(n, 5);
  EXPECT(cuMemAlloc(&memory, n * sizeof(int)) == CUDA_SUCCESS);
  EXPECT(cuMemcpyHtoD(memory, host.data(), n * sizeof(int)) == CUDA_SUCCESS);
  add<<<4, 256>>>(reinterpret_cast<int*>(memory), n, 3);
  EXPECT(cudaMemcpy(host.data(), reinterpret_cast<void*>(memory), n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  printf("driver's memory: %d %d\n", host[0], host[n - 1]);

  // The runtime's memory for the driver's copies and fills.
  int* pitched = nullptr;
  size_t pitch = 0;
  EXPECT(cudaMallocPitch(reinterpret_cast<void**>(&pitched), &pitch, 10 * sizeof(int), 4) == cudaSuccess);
  const CUdeviceptr rows = reinterpret_cast<CUdeviceptr>(pitched);
  EXPECT(cuMemsetD2D32(rows, pitch, 9, 10, 4) == CUDA_SUCCESS);
  CUDA_MEMCPY2D copy;
  memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = rows;
  copy.srcPitch = pitch;
  copy.srcXInBytes = 2 * sizeof(int);
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host.data();
  copy.dstPitch = 20 * sizeof(int);
  copy.dstXInBytes = sizeof(int);
  copy.dstY = 0;
  copy.WidthInBytes = 3 * sizeof(int);
  copy.Height = 2;
  EXPECT(cuMemcpy2D(&copy) == CUDA_SUCCESS);
  printf("rows: %d %d %d %d %d, %d %d %d\n", host[0], host[1], host[2], host[3], host[4], host[20], host[21], host[24]);

  unsigned int type = 0;
  CUdeviceptr base = 0;
  size_t bytes = 0;
  EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 8) == CUDA_SUCCESS);
  EXPECT(cuMemGetAddressRange(&base, &bytes, memory + 8) == CUDA_SUCCESS);
  printf("memory: type %u, %zu bytes, %d before\n", type, bytes, static_cast<int>(memory + 8 - base));
  printf("host memory: %s\n", name_of(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                            reinterpret_cast<CUdeviceptr>(host.data()))));

  printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("cuMemAlloc(0): %s, last error: %s\n", name_of(cuMemAlloc(&base, 0)), cudaGetErrorName(cudaGetLastError()));

  EXPECT(cuMemFree(memory) == CUDA_SUCCESS);
  EXPECT(cudaFree(pitched) == cudaSuccess);
  EXPECT(cuCtxDestroy(first) == CUDA_SUCCESS);
  EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == nullptr);

  // The runtime's calls make the device's primary context current.
  CUcontext primary;
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  EXPECT(cuDevicePrimaryCtxRetain(&primary, device) == CUDA_SUCCESS);
  EXPECT(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == primary);
  EXPECT(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
}

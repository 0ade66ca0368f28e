// The header that a CUDA C++ program includes: the runtime API with its C++ conveniences and, in a .cu file, the
// language of device code.
//
// These headers are the simulator's own. They declare a subset of CUDA under CUDA's names. Each header lists at
// its top the parts that it covers. simcc includes this one before the first line of a .cu file, as nvcc does.
#pragma once
#pragma GCC system_header

#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#if defined(__CUDA__)
// Must come before any header of the standard library: see math_functions.h.
#include "math_functions.h"
#include "device_functions.h"
#include "device_atomic_functions.h"
#include "device_launch_parameters.h"
#include "dpx_functions.h"

#include <math.h>  // for isnan and similar in the global namespace

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#endif

#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "vector_functions.h"
#include "texture/fetch.h"

#if defined(__CUDA__)

// For `__shared__ alignas(16) float s[n]`. clang takes alignas only at the beginning of a declaration, and CUDA's
// keywords already are an attribute there. As an attribute of the same kind it may stand in every place that nvcc
// accepts, and in others.
template <typename T>
__host__ __device__ constexpr size_t __simulator_alignment() {
  return alignof(T);
}
template <size_t bytes>
__host__ __device__ constexpr size_t __simulator_alignment() {
  return bytes;
}
#define alignas(...) __attribute__((aligned(__simulator_alignment<__VA_ARGS__>())))

// clang's code for kernel<<<grid, block, shared, stream>>>(...) stores the four values by this call.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                    cudaStream_t stream = 0);

// On the device printf and assert become two calls that the simulated device knows by name.
extern "C" {
__device__ int printf(const char* format, ...);  // clang turns it into vprintf
__device__ int vprintf(const char* format, const char* arguments);
[[noreturn]] __device__ void __assertfail(const char* message, const char* file, unsigned int line,
                                          const char* function, size_t char_size);
__simulator_device void __assert_fail(const char* message, const char* file, unsigned int line,
                                      const char* function) {
  __assertfail(message, file, line, function, 1);
}
}

#endif

// The C++ overloads for typed pointers and kernels. They only cast.

// A pointer to constant data is set as any other.
template <typename T>
inline void** __simulator_pointer_at(T** place) {
  return static_cast<void**>(static_cast<void*>(place));
}
template <typename T>
inline cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return cudaMalloc(__simulator_pointer_at(pointer), bytes);
}
template <typename T>
inline cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0) {
  return cudaHostAlloc(__simulator_pointer_at(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(__simulator_pointer_at(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return cudaHostGetDevicePointer(__simulator_pointer_at(device), host, flags);
}
template <typename T>
inline cudaError_t cudaMallocManaged(T** pointer, size_t bytes,
                                     unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(__simulator_pointer_at(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(__simulator_pointer_at(pointer), pitch, width, height);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(__simulator_pointer_at(pointer), bytes, stream);
}
template <typename T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(__simulator_pointer_at(pointer), bytes, pool, stream);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
template <typename T>
inline const void* __simulator_address_of(const volatile T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(&symbol));
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(__simulator_address_of(symbol), from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, __simulator_address_of(symbol), bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(__simulator_address_of(symbol), from, bytes, offset, kind, stream);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, __simulator_address_of(symbol), bytes, offset, kind, stream);
}
template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cudaGetSymbolAddress(pointer, __simulator_address_of(symbol));
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return cudaGetSymbolSize(bytes, __simulator_address_of(symbol));
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
// The forms before CUDA 12.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                        char* log, size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = 0;
  return cudaGraphInstantiate(exec, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
template <typename T>
inline cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments,
                          dynamic_shared, stream);
}
template <typename T>
inline cudaError_t cudaLaunchCooperativeKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                               size_t dynamic_shared = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(function), grid, block, arguments,
                                     dynamic_shared, stream);
}
/// Launches a kernel. Converts the arguments to the kernel's parameters, as in kernel<<<...>>>(arguments).
template <typename... Parameters, typename... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                      void (*kernel)(Parameters...), Arguments&&... arguments) {
  const auto launch = [&](Parameters... converted) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&converted))..., nullptr};
    return cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
  };
  return launch(static_cast<Arguments&&>(arguments)...);
}
template <typename T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <typename T>
inline cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <typename T>
inline cudaError_t cudaFuncSetCacheConfig(T* function, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(function), config);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function,
                                                                 int block_size,
                                                                 size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(function), block_size, dynamic_shared);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, T function, int block_size, size_t dynamic_shared, unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<const void*>(function), block_size, dynamic_shared, flags);
}

template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster_size, T* function,
                                                        const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxPotentialClusterSize(cluster_size, reinterpret_cast<const void*>(function),
                                              config);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* function,
                                                  const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(function), config);
}

/// Finds the block size, in whole warps, that keeps most threads resident, the largest of equals. Also finds the
/// least number of blocks that fills the device. A block of n threads has dynamic_shared_of(n) bytes of dynamic shared memory. A
/// `block_size_limit` of 0 means the kernel's own limit.
template <typename SharedOf, typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                                  T function, SharedOf dynamic_shared_of,
                                                                  int block_size_limit = 0) {
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, function);
  if (error != cudaSuccess) return error;
  int multiprocessors = 0;
  error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error != cudaSuccess) return error;

  int limit = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int best_threads = 0;
  for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
    const int threads = size < limit ? size : limit;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                          dynamic_shared_of(threads));
    if (error != cudaSuccess) return error;
    if (blocks * threads > best_threads) {
      best_threads = blocks * threads;
      *block_size = threads;
      *min_grid_size = blocks * multiprocessors;
    }
  }
  return best_threads > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size,
                                                      T function, size_t dynamic_shared = 0,
                                                      int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, function, [=](int) { return dynamic_shared; }, block_size_limit);
}

#endif  // __cplusplus

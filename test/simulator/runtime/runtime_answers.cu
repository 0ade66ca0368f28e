// Asks the CUDA runtime questions whose answers its documentation leaves open, and prints the answers one a
// line. A real device's answers are kept in test/data/runtime_answers_h200.txt; the simulated GPU must
// give the same.
//
// Every section runs in its own process, because some sections leave the device unusable. Without an argument all
// sections run, with one only that section.
#undef NDEBUG  // one question is what a failed assert does
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

__constant__ float table[4];
__device__ int total;

__global__ void nothing() {}
__global__ void __launch_bounds__(128) at_most_128() {}
__global__ void store_at(int* pointer, long index) { pointer[index] = 1; }
__global__ void store_vector(char* pointer) {
  *reinterpret_cast<int4*>(pointer) = make_int4(1, 2, 3, 4);
}
__global__ void trap() { __trap(); }
__global__ void failing_assert([[maybe_unused]] int value) { assert(value == 0); }
__global__ void static_shared(int* out) {
  __shared__ int tile[10240];  // 40 KiB
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

void say(const char* question, cudaError_t answer) {
  std::printf("  %s: %s\n", question, cudaGetErrorName(answer));
}
void say(const char* question, long long answer) { std::printf("  %s: %lld\n", question, answer); }

#define ASK(...) say(#__VA_ARGS__, __VA_ARGS__)

// Prints the error that a launch leaves in cudaGetLastError().
#define ASK_LAUNCH(...)                    \
  do {                                     \
    __VA_ARGS__;                           \
    say(#__VA_ARGS__, cudaGetLastError()); \
  } while (false)

void device() {
  int value = 0;
  cudaDeviceProp properties;
  ASK(cudaGetDeviceCount(nullptr));
  ASK(cudaSetDevice(0));
  ASK(cudaSetDevice(99));
  ASK(cudaSetDevice(-1));
  ASK(cudaGetDeviceProperties(&properties, 99));
  ASK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
  ASK(cudaGetDeviceProperties(&properties, 0));
  ASK(static_cast<long long>(properties.sharedMemPerBlock));
  ASK(static_cast<long long>(properties.sharedMemPerBlockOptin));
  ASK(static_cast<long long>(properties.sharedMemPerMultiprocessor));
  ASK(static_cast<long long>(properties.reservedSharedMemPerBlock));
  ASK(static_cast<long long>(properties.totalConstMem));
  ASK(static_cast<long long>(properties.memPitch));
  ASK(properties.regsPerBlock);
  ASK(properties.regsPerMultiprocessor);
  ASK(properties.warpSize);
  ASK(properties.maxThreadsPerBlock);
  ASK(properties.maxThreadsDim[0]);
  ASK(properties.maxThreadsDim[1]);
  ASK(properties.maxThreadsDim[2]);
  ASK(properties.maxGridSize[0]);
  ASK(properties.maxGridSize[1]);
  ASK(properties.maxGridSize[2]);
  ASK(properties.major);
  ASK(properties.minor);
  ASK(properties.multiProcessorCount);
  ASK(properties.maxThreadsPerMultiProcessor);
  ASK(properties.maxBlocksPerMultiProcessor);
  ASK(properties.canMapHostMemory);
  ASK(properties.unifiedAddressing);
  ASK(properties.managedMemory);
}

void allocation() {
  void* pointer = reinterpret_cast<void*>(1);
  size_t pitch = 0;
  ASK(cudaMalloc(&pointer, 0));
  ASK(pointer == nullptr);
  ASK(cudaMalloc(&pointer, size_t{1} << 60));
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
  ASK(cudaMalloc(static_cast<void**>(nullptr), 16));
  ASK(cudaMalloc(&pointer, 1024));
  ASK(reinterpret_cast<size_t>(pointer) % 256);
  ASK(cudaFree(static_cast<char*>(pointer) + 256));
  ASK(cudaFree(nullptr));
  ASK(cudaFree(pointer));
  ASK(cudaFree(pointer));
  int on_the_stack = 0;
  ASK(cudaFree(&on_the_stack));
  ASK(cudaFreeHost(nullptr));
  ASK(cudaFreeHost(&on_the_stack));
  ASK(cudaMallocHost(&pointer, 100));
  ASK(cudaFree(pointer));
  ASK(cudaFreeHost(pointer));
  ASK(cudaMallocHost(&pointer, 0));
  ASK(pointer == nullptr);
  ASK(cudaMallocManaged(&pointer, 0));
  ASK(cudaMallocManaged(&pointer, 64));
  ASK(cudaFree(pointer));
  ASK(cudaMalloc(&pointer, 64));
  ASK(cudaFreeHost(pointer));
  ASK(cudaMallocPitch(&pointer, &pitch, 100, 3));
  ASK(static_cast<long long>(pitch));
  ASK(cudaMallocPitch(&pointer, &pitch, 513, 3));
  ASK(static_cast<long long>(pitch));
  ASK(cudaMallocPitch(&pointer, &pitch, 0, 3));
  ASK(static_cast<long long>(pitch));
  ASK(cudaMallocAsync(&pointer, 64, nullptr));
  ASK(cudaFreeAsync(pointer, nullptr));
  ASK(cudaFreeAsync(nullptr, nullptr));
}

void copies() {
  char host[256] = {};
  char other[256] = {};
  char* a = nullptr;
  char* b = nullptr;
  char* pinned = nullptr;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 256);
  cudaMallocHost(&pinned, 256);
  ASK(cudaMemcpy(a, host, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(host, a, 256, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(other, host, 256, cudaMemcpyHostToHost));
  ASK(cudaMemcpy(a, host, 256, cudaMemcpyDefault));
  ASK(cudaMemcpy(host, a, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(a, host, 256, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(a, host, 256, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(host, other, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(host, other, 256, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(a, b, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(a, b, 256, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(pinned, a, 256, cudaMemcpyDeviceToDevice));
  ASK(cudaMemcpy(a, pinned, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(pinned, a, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(a, host, 256, static_cast<cudaMemcpyKind>(7)));
  ASK(cudaMemcpy(nullptr, host, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(a, nullptr, 256, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy(host, other, 0, cudaMemcpyDeviceToHost));
  ASK(cudaMemcpy(a, host, 0, static_cast<cudaMemcpyKind>(7)));
  ASK(cudaMemcpy2D(a, 16, host, 16, 16, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(a, 16, host, 16, 17, 15, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(a, 32, host, 16, 17, 8, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(a, 16, host, 16, 0, 16, cudaMemcpyHostToDevice));
  ASK(cudaMemcpy2D(a, 16, host, 16, 16, 0, cudaMemcpyHostToDevice));
  ASK(cudaMemset(a, 1, 256));
  ASK(cudaMemset(host, 1, 256));
  ASK(cudaMemset(nullptr, 1, 0));
  ASK(cudaMemset(nullptr, 1, 1));
  ASK(cudaMemset(pinned, 1, 256));
  ASK(cudaMemset2D(a, 16, 1, 16, 16));
  ASK(cudaMemset2D(a, 16, 1, 17, 8));
  cudaFree(b);
  ASK(cudaMemcpy(host, b, 256, cudaMemcpyDeviceToHost));
  ASK(cudaMemset(b, 1, 256));
  ASK(cudaDeviceSynchronize());
}

void symbols() {
  float values[8] = {};
  void* pointer = nullptr;
  size_t bytes = 0;
  ASK(cudaMemcpyToSymbol(table, values, 16));
  ASK(cudaMemcpyToSymbol(table, values, 8, 8));
  ASK(cudaMemcpyToSymbol(table, values, 20));
  ASK(cudaMemcpyToSymbol(table, values, 16, 4));
  ASK(cudaMemcpyFromSymbol(values, table, 16));
  ASK(cudaMemcpyFromSymbol(values, total, 8));
  ASK(cudaMemcpyFromSymbol(values, total, 4, 0, cudaMemcpyHostToDevice));
  ASK(cudaMemcpyToSymbol(values[0], values, 4));
  ASK(cudaGetSymbolAddress(&pointer, total));
  ASK(cudaGetSymbolAddress(&pointer, values[0]));
  ASK(cudaGetSymbolSize(&bytes, table));
  ASK(static_cast<long long>(bytes));
  ASK(cudaMemset(pointer, 0, 4));
}

void pointers() {
  cudaPointerAttributes attributes;
  int on_the_stack = 0;
  int* pointer = nullptr;
  ASK(cudaPointerGetAttributes(&attributes, &on_the_stack));
  ASK(attributes.type);
  ASK(attributes.device);
  ASK(attributes.devicePointer == nullptr);
  ASK(attributes.hostPointer == &on_the_stack);
  cudaMalloc(&pointer, 64);
  ASK(cudaPointerGetAttributes(&attributes, pointer + 1));
  ASK(attributes.type);
  ASK(attributes.device);
  ASK(attributes.devicePointer == pointer + 1);
  ASK(attributes.hostPointer == nullptr);
  cudaFree(pointer);
  cudaMallocHost(&pointer, 64);
  ASK(cudaPointerGetAttributes(&attributes, pointer));
  ASK(attributes.type);
  ASK(attributes.devicePointer == pointer);
  ASK(attributes.hostPointer == pointer);
  cudaMallocManaged(&pointer, 64);
  ASK(cudaPointerGetAttributes(&attributes, pointer));
  ASK(attributes.type);
  ASK(attributes.devicePointer == pointer);
  ASK(attributes.hostPointer == pointer);
  ASK(cudaPointerGetAttributes(&attributes, nullptr));
  ASK(attributes.type);
}

void streams_and_events() {
  cudaStream_t stream = nullptr;
  cudaEvent_t first = nullptr;
  cudaEvent_t second = nullptr;
  cudaEvent_t untimed = nullptr;
  float milliseconds = 0;
  int least = 1;
  int greatest = 1;
  ASK(cudaStreamCreate(&stream));
  ASK(cudaStreamQuery(stream));
  ASK(cudaStreamQuery(nullptr));
  ASK(cudaStreamSynchronize(stream));
  ASK(cudaStreamSynchronize(cudaStreamPerThread));
  ASK(cudaStreamDestroy(stream));
  ASK(cudaStreamDestroy(nullptr));
  ASK(cudaStreamCreateWithFlags(&stream, 77));
  ASK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  ASK(least);
  ASK(greatest);
  ASK(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, 77));
  ASK(cudaEventCreate(&first));
  ASK(cudaEventCreate(&second));
  ASK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  ASK(cudaEventCreateWithFlags(&untimed, 1024));
  ASK(cudaEventQuery(first));
  ASK(cudaEventSynchronize(first));
  ASK(cudaEventElapsedTime(&milliseconds, first, second));
  ASK(cudaEventRecord(first, stream));
  ASK(cudaEventSynchronize(first));
  ASK(cudaEventElapsedTime(&milliseconds, first, second));
  ASK(cudaEventRecord(second, stream));
  ASK(cudaEventRecord(untimed, stream));
  ASK(cudaStreamWaitEvent(stream, second, 0));
  ASK(cudaStreamWaitEvent(nullptr, second, 0));
  ASK(cudaDeviceSynchronize());
  ASK(cudaEventElapsedTime(&milliseconds, first, second));
  ASK(milliseconds >= 0);
  ASK(cudaEventElapsedTime(&milliseconds, first, untimed));
  ASK(cudaEventElapsedTime(nullptr, first, second));
  ASK(cudaEventRecord(nullptr));
  ASK(cudaEventDestroy(nullptr));
  ASK(cudaEventDestroy(first));
}

// The limits that have no effect on the simulated GPU.
void limits() {
  for (const cudaLimit limit : {cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
                                cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize}) {
    size_t now = 0;
    const cudaError_t first = cudaDeviceGetLimit(&now, limit);
    std::printf("  limit %d: %s, %zu\n", static_cast<int>(limit), cudaGetErrorName(first), now);
    for (const size_t value :
         std::initializer_list<size_t>{0, 1, 33, 128, 129, size_t{1} << 20, 39321600, 39321601}) {
      const cudaError_t error = cudaDeviceSetLimit(limit, value);
      cudaDeviceGetLimit(&now, limit);
      std::printf("  limit %d to %zu: %s, %zu\n", static_cast<int>(limit), value,
                  cudaGetErrorName(error), now);
    }
  }
  cudaGetLastError();
}

void launch_limits() {
  int* out = nullptr;
  cudaMalloc(&out, 4096);
  ASK_LAUNCH(nothing<<<0, 1>>>());
  ASK_LAUNCH(nothing<<<1, 0>>>());
  ASK_LAUNCH(nothing<<<1, 1025>>>());
  ASK_LAUNCH(nothing<<<1, dim3(32, 33)>>>());
  ASK_LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
  ASK_LAUNCH(nothing<<<1, dim3(1, 1, 64)>>>());
  ASK_LAUNCH(nothing<<<dim3(1, 65536), 1>>>());
  ASK_LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>());
  ASK_LAUNCH(at_most_128<<<1, 128>>>());
  ASK_LAUNCH(at_most_128<<<1, 129>>>());
  ASK_LAUNCH(nothing<<<1, 1, 48 * 1024>>>());
  ASK_LAUNCH(nothing<<<1, 1, 48 * 1024 + 1>>>());
  ASK_LAUNCH(nothing<<<1, 1, 300 * 1024>>>());
  ASK_LAUNCH(static_shared<<<1, 32, 8 * 1024>>>(out));
  ASK_LAUNCH(static_shared<<<1, 32, 8 * 1024 + 1>>>(out));
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  ASK(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 187 * 1024));
  ASK(cudaFuncSetAttribute(static_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 188 * 1024));
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  cudaFuncAttributes of_nothing;
  ASK(cudaSetDevice(99));
  ASK(cudaFuncGetAttributes(&of_nothing, nothing));
  ASK(cudaPeekAtLastError());
  ASK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  ASK(cudaPeekAtLastError());
  ASK(cudaFuncSetAttribute(static_cast<void (*)()>(nullptr),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  ASK(cudaGetLastError());
  ASK_LAUNCH(nothing<<<1, 1, 227 * 1024>>>());
  ASK_LAUNCH(nothing<<<1, 1, 227 * 1024 + 1>>>());
  cudaFuncAttributes attributes;
  ASK(cudaFuncGetAttributes(&attributes, nothing));
  ASK(attributes.maxThreadsPerBlock);
  ASK(attributes.maxDynamicSharedSizeBytes);
  ASK(cudaFuncGetAttributes(&attributes, at_most_128));
  ASK(attributes.maxThreadsPerBlock);
  ASK(attributes.maxDynamicSharedSizeBytes);
  ASK(cudaFuncGetAttributes(&attributes, static_shared));
  ASK(static_cast<long long>(attributes.sharedSizeBytes));
  ASK(attributes.maxDynamicSharedSizeBytes);
  ASK(cudaDeviceSynchronize());
}

// `static_shared` and `nothing` use few registers, so that these answers depend on threads and shared memory.
void occupancy() {
  int blocks = -1;
  const int sizes[] = {1, 32, 33, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024};
  for (const int size : sizes) {
    say("nothing, by threads",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, size, 0));
    say("  blocks", blocks);
  }
  cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  const int shared[] = {1,          1024,       6143,       6144,          6145,      16384,
                        32768,      49152,      65536,      75 * 1024,     76 * 1024, 100 * 1024,
                        113 * 1024, 114 * 1024, 227 * 1024, 227 * 1024 + 1};
  for (const int bytes : shared) {
    blocks = -1;
    say("nothing, 128 threads, by shared memory",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128,
                                                      static_cast<size_t>(bytes)));
    say("  blocks", blocks);
  }
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_shared, 128, 0));
  ASK(blocks);
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_shared, 128, 9 * 1024));
  ASK(blocks);
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, at_most_128, 129, 0));
  ASK(blocks);
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
  ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1025, 0));
  ASK(blocks);
  int grid = 0;
  int block = 0;
  ASK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
  ASK(grid);
  ASK(block);
  ASK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 100));
  ASK(grid);
  ASK(block);
}

// Prints the answers of calls after a failed kernel. `launch` launches it.
template <typename Launch>
void after(Launch launch) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 64);
  int value = 0;
  cudaEvent_t event = nullptr;
  cudaEvent_t created = nullptr;
  cudaStream_t stream = nullptr;
  cudaEventCreate(&event);
  launch();
  ASK(cudaGetLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaPeekAtLastError());
  ASK(cudaGetLastError());
  ASK(cudaGetLastError());
  ASK(cudaPeekAtLastError());
  ASK(cudaDeviceSynchronize());
  ASK(cudaMalloc(&pointer, 64));
  ASK(cudaFree(pointer));
  ASK(cudaMemcpy(&value, pointer, 4, cudaMemcpyDeviceToHost));
  ASK(cudaStreamCreate(&stream));
  ASK(cudaEventCreate(&created));
  ASK(cudaEventRecord(event));
  ASK(cudaEventSynchronize(event));
  ASK(cudaGetLastError());
  ASK_LAUNCH(nothing<<<1, 1>>>());
  ASK(cudaGetDevice(&value));
  ASK(cudaGetDeviceCount(&value));
  cudaDeviceProp properties;
  ASK(cudaGetDeviceProperties(&properties, 0));
  ASK(cudaSetDevice(0));
  ASK(cudaDeviceReset());
  ASK(cudaGetLastError());
  ASK(cudaMalloc(&pointer, 64));
  ASK_LAUNCH(nothing<<<1, 1>>>());
  ASK(cudaDeviceSynchronize());
}

void out_of_bounds() {
  int* out = nullptr;
  cudaMalloc(&out, 64);
  after([&] { store_at<<<1, 1>>>(out, long{1} << 42); });
}
void null_pointer() {
  after([&] { store_at<<<1, 1>>>(nullptr, 0); });
}
void misaligned() {
  char* out = nullptr;
  cudaMalloc(&out, 64);
  after([&] { store_vector<<<1, 1>>>(out + 4); });
}
void trapped() {
  after([&] { trap<<<1, 1>>>(); });
}
void asserted() {
  after([&] { failing_assert<<<1, 1>>>(1); });
}

const struct Section {
  const char* name;
  void (*run)();
} SECTIONS[] = {{"device", device},
                {"allocation", allocation},
                {"copies", copies},
                {"symbols", symbols},
                {"pointers", pointers},
                {"streams and events", streams_and_events},
                {"limits", limits},
                {"launch limits", launch_limits},
                {"occupancy", occupancy},
                {"out of bounds", out_of_bounds},
                {"null pointer", null_pointer},
                {"misaligned", misaligned},
                {"trap", trapped},
                {"assert", asserted}};

}  // namespace

int main(int argc, char** argv) {
  bool found = false;
  for (const Section& section : SECTIONS) {
    if (argc > 1 && std::strcmp(argv[1], section.name) != 0) continue;
    found = true;
    std::printf("%s\n", section.name);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      section.run();
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
      std::printf("  ended with status %d\n", status);
    }
  }
  if (!found) std::fprintf(stderr, "no section '%s'\n", argv[1]);
  return found ? 0 : 2;
}

// Graphs that allocate memory. The address is fixed when the node is made; the memory is there from the node that allocates it to
// the one that frees it, or until the program frees it.
#include <cstdio>

static void show(const char* what, cudaError_t error) {
  std::printf("%s: %s", what, cudaGetErrorName(error));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void fill(int* numbers, int value) { numbers[threadIdx.x] = value + threadIdx.x; }
__global__ void add(const int* numbers, int* sums) { sums[threadIdx.x] += numbers[threadIdx.x]; }

int main() {
  constexpr int COUNT = 32;
  int* sums;
  cudaMalloc(&sums, COUNT * sizeof(int));
  cudaMemset(sums, 0, COUNT * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const auto sum = [&] {
    int host[COUNT];
    show("copy", cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
  };

  // Of nodes: allocate, fill, add, free.
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.poolProps.location.id = 0;
  wanted.bytesize = COUNT * sizeof(int);
  cudaGraphNode_t allocated, filled, added, freed;
  show("cudaGraphAddMemAllocNode", cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &wanted));
  int* numbers = static_cast<int*>(wanted.dptr);
  std::printf("an address: %d\n", numbers != nullptr);
  int value = 5;
  void* of_fill[] = {&numbers, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(fill);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(COUNT);
  kernel.kernelParams = of_fill;
  show("cudaGraphAddKernelNode", cudaGraphAddKernelNode(&filled, graph, &allocated, 1, &kernel));
  void* of_add[] = {&numbers, &sums};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.kernelParams = of_add;
  show("cudaGraphAddKernelNode", cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  show("cudaGraphAddMemFreeNode", cudaGraphAddMemFreeNode(&freed, graph, &added, 1, numbers));
  cudaGraphNodeType type;
  cudaGraphNodeGetType(allocated, &type);
  std::printf("types %d", type);
  cudaGraphNodeGetType(freed, &type);
  std::printf(" %d\n", type);
  cudaMemAllocNodeParams got{};
  show("cudaGraphMemAllocNodeGetParams", cudaGraphMemAllocNodeGetParams(allocated, &got));
  std::printf("%d bytes, the same address: %d\n", static_cast<int>(got.bytesize), got.dptr == wanted.dptr);
  void* of_free = nullptr;
  show("cudaGraphMemFreeNodeGetParams", cudaGraphMemFreeNodeGetParams(freed, &of_free));
  std::printf("the same address: %d\n", of_free == wanted.dptr);
  cudaGraph_t copy;
  show("cudaGraphClone", cudaGraphClone(&copy, graph));
  show("cudaGraphDestroyNode", cudaGraphDestroyNode(freed));

  cudaGraphExec_t executable, second;
  show("cudaGraphInstantiate", cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  show("cudaGraphInstantiate again", cudaGraphInstantiate(&second, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 3; ++i) show("cudaGraphLaunch", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  sum();
  show("cudaFree of what the graph freed", cudaFree(numbers));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);

  // Captured, and not freed: the program frees the memory, in the stream or with cudaFree.
  show("cudaStreamBeginCapture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int *kept = nullptr, *brief = nullptr;
  show("cudaMallocAsync", cudaMallocAsync(&kept, COUNT * sizeof(int), stream));
  show("cudaMallocAsync", cudaMallocAsync(&brief, COUNT * sizeof(int), stream));
  fill<<<1, COUNT, 0, stream>>>(kept, 100);
  fill<<<1, COUNT, 0, stream>>>(brief, 1000);
  add<<<1, COUNT, 0, stream>>>(kept, sums);
  add<<<1, COUNT, 0, stream>>>(brief, sums);
  show("cudaFreeAsync", cudaFreeAsync(brief, stream));
  show("cudaStreamEndCapture", cudaStreamEndCapture(stream, &graph));
  show("cudaGraphInstantiate", cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  show("cudaGraphLaunch", cudaGraphLaunch(executable, stream));
  show("cudaGraphLaunch before the memory is free", cudaGraphLaunch(executable, stream));
  add<<<1, COUNT, 0, stream>>>(kept, sums);
  show("cudaFreeAsync", cudaFreeAsync(kept, stream));
  cudaStreamSynchronize(stream);
  sum();
  show("cudaGraphLaunch after it", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  sum();
  show("cudaFree", cudaFree(kept));
  show("cudaGraphLaunch after it", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);

  // With the flag, a launch frees what the launch before left.
  show("cudaFreeAsync", cudaFreeAsync(kept, stream));
  show("cudaGraphInstantiate", cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; ++i) show("cudaGraphLaunch", cudaGraphLaunch(executable, stream));
  cudaStreamSynchronize(stream);
  sum();
  show("cudaFree", cudaFree(kept));
  show("cudaDeviceGraphMemTrim", cudaDeviceGraphMemTrim(0));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(sums);
  cudaStreamDestroy(stream);
}

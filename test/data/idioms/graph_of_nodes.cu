// A graph put together node by node: fill, two kernels, copy, host function; then other arguments for a kernel in the executable graph.
// Easily got wrong: arguments are copied when the node is added, so the variable may change afterwards.
#include <cstdio>

__global__ void add(int* data, int by) { data[threadIdx.x] += by; }

struct Check {
  int* data;
  int sum;
};
void CUDART_CB add_up(void* data) {
  Check* check = static_cast<Check*>(data);
  check->sum = 0;
  for (int i = 0; i < 32; ++i) check->sum += check->data[i];
}

int main() {
  int *device, *host;
  cudaMalloc(&device, 32 * sizeof(int));
  cudaMallocHost(&host, 32 * sizeof(int));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);

  cudaGraphNode_t fill, first, second, copy, check;
  cudaMemsetParams zero = {};
  zero.dst = device;
  zero.value = 7;
  zero.elementSize = sizeof(int);
  zero.width = 32;
  zero.height = 1;
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero);

  int by = 1;
  void* arguments[] = {&device, &by};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&first, graph, &fill, 1, &kernel);
  by = 100;
  cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel);
  by = 0;

  cudaMemcpy3DParms back = {};
  back.srcPtr = make_cudaPitchedPtr(device, 32 * sizeof(int), 32, 1);
  back.dstPtr = make_cudaPitchedPtr(host, 32 * sizeof(int), 32, 1);
  back.extent = make_cudaExtent(32 * sizeof(int), 1, 1);
  back.kind = cudaMemcpyDeviceToHost;
  cudaGraphAddMemcpyNode(&copy, graph, &second, 1, &back);

  Check result = {host, 0};
  cudaHostNodeParams call = {};
  call.fn = add_up;
  call.userData = &result;
  cudaGraphAddHostNode(&check, graph, &copy, 1, &call);

  size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphNodeType type;
  cudaGraphNodeGetType(copy, &type);
  printf("%d nodes, the fourth copies: %d\n", (int)count, type == cudaGraphNodeTypeMemcpy);

  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  printf("sum %d\n", result.sum);
  int passed = result.sum == 32 * 108;

  by = 1000;
  cudaGraphExecKernelNodeSetParams(executable, second, &kernel);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  printf("with other arguments %d\n", result.sum);
  passed = passed && result.sum == 32 * 1008;

  cudaGraph_t clone;
  cudaGraphNode_t cloned;
  cudaGraphClone(&clone, graph);
  const cudaError_t found = cudaGraphNodeFindInClone(&cloned, second, clone);
  cudaKernelNodeParams read = {};
  cudaGraphKernelNodeGetParams(cloned, &read);
  printf("%s, the clone adds %d\n", cudaGetErrorName(found), *(int*)read.kernelParams[1]);
  cudaGraphDestroyNode(check);
  cudaGraphGetNodes(graph, nullptr, &count);
  printf("%d nodes are left\n", (int)count);
  puts(passed ? "PASSED" : "FAILED");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(clone);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
}

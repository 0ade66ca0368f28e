// A fork and join of two streams captured into a graph, which then runs many times.
// Easily got wrong: while a stream is captured nothing runs, and every other stream must be joined before the capture ends.
#include <cstdio>

__global__ void add(int* data, int by) { data[threadIdx.x] += by; }
__global__ void scale(const int* from, int* to, int by) { to[threadIdx.x] = from[threadIdx.x] * by; }
__global__ void sum(const int* a, const int* b, int* out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
  int *a, *b, *c, *host;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  cudaMallocHost(&host, 32 * sizeof(int));
  cudaMemset(a, 0, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) host[i] = -1;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);

  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  add<<<1, 32, 0, first>>>(a, 1);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork, 0);
  scale<<<1, 32, 0, second>>>(a, b, 10);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(second, &status);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join, 0);
  sum<<<1, 32, 0, first>>>(a, b, c);
  cudaMemcpyAsync(host, c, 32 * sizeof(int), cudaMemcpyDeviceToHost, first);
  cudaGraph_t graph;
  const cudaError_t ended = cudaStreamEndCapture(first, &graph);
  printf("%s, second stream captured: %d, host[3] is still %d\n", cudaGetErrorName(ended),
         status == cudaStreamCaptureStatusActive, host[3]);

  size_t nodes = 0, roots = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetRootNodes(graph, nullptr, &roots);
  printf("%d nodes, %d root\n", (int)nodes, (int)roots);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  for (int i = 0; i < 10; ++i) cudaGraphLaunch(executable, first);
  cudaStreamSynchronize(first);
  printf("after ten launches %d\n", host[3]);
  add<<<1, 32, 0, first>>>(a, 5);
  cudaGraphLaunch(executable, first);
  cudaStreamSynchronize(first);
  printf("after one more %d\n", host[31]);
  puts(host[0] == 176 && host[31] == 176 ? "PASSED" : "FAILED");
  cudaGraphExecDestroy(executable);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFreeHost(host);
}

// The calls that a capture does not allow, and what becomes of it.
// Easily got wrong: the first forbidden call spoils the whole capture, and the end returns no graph.
#include <cstdio>

__global__ void nothing() {}

int main() {
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaGraph_t graph;
  void* memory;
  const auto name = [](cudaError_t error) { return cudaGetErrorName(error); };

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  printf("wait in a capture: %s\n", name(cudaStreamSynchronize(stream)));
  printf("its end: %s\n", name(cudaStreamEndCapture(stream, &graph)));

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  printf("allocation: %s\n", name(cudaMalloc(&memory, 4)));
  printf("its end: %s\n", name(cudaStreamEndCapture(stream, &graph)));

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  printf("relaxed allocation: %s\n", name(cudaMalloc(&memory, 4)));
  printf("its end: %s\n", name(cudaStreamEndCapture(stream, &graph)));
  cudaFree(memory);
  cudaGraphDestroy(graph);

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event, 0);
  nothing<<<1, 1, 0, other>>>();
  printf("a stream that is not joined: %s\n", name(cudaStreamEndCapture(stream, &graph)));

  printf("end without beginning: %s\n", name(cudaStreamEndCapture(stream, &graph)));
  printf("the default stream: %s\n", name(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)));
  cudaGetLastError();
  nothing<<<1, 1, 0, stream>>>();
  printf("afterwards: %s\n", name(cudaDeviceSynchronize()));
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
}

// flags: --default-stream per-thread
// Stream 0 is a stream of each host thread. Copies that wait come after its kernels, and the legacy stream waits for it.
#include <cstdio>
#include <thread>
__global__ void add(int* p) { ++*p; }
bool is_of_thread() {
  unsigned long long zero = 0, of_thread = 0, legacy = 0;
  cudaStreamGetId(0, &zero);
  cudaStreamGetId(cudaStreamPerThread, &of_thread);
  cudaStreamGetId(cudaStreamLegacy, &legacy);
  if (zero != of_thread && zero != legacy) printf("neither ");
  return zero == of_thread;
}
int add_and_read() {
  int* p;
  int host = 40;
  cudaMalloc(&p, sizeof *p);
  cudaMemcpy(p, &host, sizeof host, cudaMemcpyHostToDevice);
  add<<<1, 1>>>(p);
  add<<<1, 1, 0, cudaStreamLegacy>>>(p);
  cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return host;
}
int main() {
  int other = 0;
  unsigned long long mine = 0, others = 0;
  cudaStreamGetId(0, &mine);
  std::thread([&] {
    other = add_and_read();
    cudaStreamGetId(0, &others);
  }).join();
  printf("stream 0 is of the thread: %d\n", is_of_thread());
  printf("%d %d\n", add_and_read(), other);
  printf("%s\n", mine == others ? "one stream" : "two streams");

  // An event of stream 0 is one of this thread's stream.
  int* p;
  cudaMalloc(&p, sizeof *p);
  cudaMemsetAsync(p, 0, sizeof *p);
  cudaEvent_t event;
  cudaEventCreate(&event);
  add<<<1, 1>>>(p);
  cudaEventRecord(event);
  cudaStream_t free_stream;
  cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking);
  cudaStreamWaitEvent(free_stream, event, 0);
  add<<<1, 1, 0, free_stream>>>(p);
  cudaStreamSynchronize(free_stream);
  printf("%s\n", cudaGetErrorName(cudaStreamQuery(0)));
  int host = 0;
  cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %s\n", host, cudaGetErrorName(cudaGetLastError()));
  cudaEventDestroy(event);
  cudaStreamDestroy(free_stream);
  cudaFree(p);
}

// A host function in a stream runs after the work before it; results pass from device to host and back.
// Easily got wrong: no CUDA call is allowed inside it.
#include <cstdio>

__global__ void twice(int* a) { a[threadIdx.x] *= 2; }

struct Job { int* data; int sum; };

void CUDART_CB add_up(void* p) {
  Job* job = static_cast<Job*>(p);
  for (int i = 0; i < 32; ++i) job->sum += job->data[i];
  job->data[0] = 1000;
}

int main() {
  int *h, *d;
  cudaMallocHost(&h, 32 * sizeof(int));
  cudaMalloc(&d, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) h[i] = i;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Job job = {h, 0};
  cudaMemcpyAsync(d, h, 32 * sizeof(int), cudaMemcpyHostToDevice, stream);
  twice<<<1, 32, 0, stream>>>(d);
  cudaMemcpyAsync(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, add_up, &job);
  cudaMemcpyAsync(d, h, 32 * sizeof(int), cudaMemcpyHostToDevice, stream);
  twice<<<1, 32, 0, stream>>>(d);
  cudaMemcpyAsync(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d %d %d\n", job.sum, h[0], h[31]);
  puts(job.sum == 992 && h[0] == 2000 && h[31] == 124 ? "PASSED" : "FAILED");
  cudaFreeHost(h);
  cudaFree(d);
}

// Copies to and from variables of the device in a stream's order. Easily got wrong: a copy of pageable host memory may wait.
#include <cstdio>

__constant__ float factors[4];
__device__ float results[4];

__global__ void scale(float by) { results[threadIdx.x] = factors[threadIdx.x] * by; }

static void show(const char* what, cudaError_t error) {
  std::printf("%s: %s", what, cudaGetErrorName(error));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

int main() {
  show("cudaInitDevice", cudaInitDevice(0, 0, 0));
  show("cudaInitDevice of none", cudaInitDevice(99, 0, 0));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  int device = -1;
  show("cudaStreamGetDevice", cudaStreamGetDevice(first, &device));
  unsigned long long id = 0, again = 0, other = 0, usual = 0;
  show("cudaStreamGetId", cudaStreamGetId(first, &id));
  cudaStreamGetId(first, &again);
  cudaStreamGetId(second, &other);
  cudaStreamGetId(nullptr, &usual);
  std::printf("device %d; the same number: %d, another: %d, and another: %d\n", device, id == again, id != other, id != usual);

  float *in, *out;
  cudaMallocHost(&in, sizeof factors);
  cudaMallocHost(&out, sizeof results);
  for (int i = 0; i < 4; ++i) in[i] = static_cast<float>(i + 1);
  show("to the symbol", cudaMemcpyToSymbolAsync(factors, in, sizeof factors, 0, cudaMemcpyHostToDevice, first));
  scale<<<1, 4, 0, first>>>(10);
  show("a part of it", cudaMemcpyToSymbolAsync(factors, in, sizeof(float), 2 * sizeof(float), cudaMemcpyHostToDevice, first));
  show("from the symbol", cudaMemcpyFromSymbolAsync(out, results, 2 * sizeof(float), 0, cudaMemcpyDeviceToHost, first));
  show("the rest", cudaMemcpyFromSymbolAsync(out + 2, results, 2 * sizeof(float), 2 * sizeof(float), cudaMemcpyDeviceToHost, first));
  show("cudaStreamSynchronize", cudaStreamSynchronize(first));
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  scale<<<1, 4, 0, first>>>(1);
  cudaMemcpyFromSymbolAsync(out, results, sizeof results, 0, cudaMemcpyDeviceToHost, first);
  cudaStreamSynchronize(first);
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  show("the wrong way", cudaMemcpyToSymbolAsync(factors, in, sizeof factors, 0, cudaMemcpyDeviceToHost, first));
  show("too many bytes", cudaMemcpyToSymbolAsync(factors, in, sizeof factors, 4, cudaMemcpyHostToDevice, first));

  // The text of an error that only old headers name.
  std::printf("%s: %s\n", cudaGetErrorName(cudaErrorPriorLaunchFailure), cudaGetErrorString(cudaErrorPriorLaunchFailure));
  cudaFreeHost(in);
  cudaFreeHost(out);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

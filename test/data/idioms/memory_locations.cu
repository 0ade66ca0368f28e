// Managed memory is moved and advised as CUDA 13 spells it: a location is a device or the host. Also: memory for constants.
#include <cstdio>

static void show(const char* what, cudaError_t error) {
  std::printf("%s: %s", what, cudaGetErrorName(error));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void add(const float* numbers, float* sums) { sums[threadIdx.x] += numbers[threadIdx.x]; }

int main() {
  constexpr int COUNT = 32;
  constexpr size_t BYTES = COUNT * sizeof(float);
  float* sums = nullptr;
  show("cudaMallocManaged", cudaMallocManaged(&sums, BYTES));
  for (int i = 0; i < COUNT; ++i) sums[i] = 1;

  // The pointer leads to constants, and is itself none.
  const float* numbers = nullptr;
  show("cudaMalloc", cudaMalloc(&numbers, BYTES));
  float host[COUNT];
  for (int i = 0; i < COUNT; ++i) host[i] = static_cast<float>(i);
  cudaMemcpy(const_cast<float*>(numbers), host, BYTES, cudaMemcpyHostToDevice);

  cudaMemLocation device{}, cpu{}, other{}, nowhere{}, node{};
  device.type = cudaMemLocationTypeDevice;
  device.id = 0;
  cpu.type = cudaMemLocationTypeHost;
  other.type = cudaMemLocationTypeDevice;
  other.id = 99;
  nowhere.type = cudaMemLocationTypeInvalid;
  node.type = cudaMemLocationTypeHostNumaCurrent;
  show("advice for the device", cudaMemAdvise(sums, BYTES, cudaMemAdviseSetPreferredLocation, device));
  show("advice for the host", cudaMemAdvise(sums, BYTES, cudaMemAdviseSetAccessedBy, cpu));
  show("to the device", cudaMemPrefetchAsync(sums, BYTES, device, 0, nullptr));
  add<<<1, COUNT>>>(numbers, sums);
  show("to the host", cudaMemPrefetchAsync(sums, BYTES, cpu, 0));
  show("to a device that is none", cudaMemPrefetchAsync(sums, BYTES, other, 0));
  show("to nowhere", cudaMemPrefetchAsync(sums, BYTES, nowhere, 0));
  show("advice for nowhere", cudaMemAdvise(sums, BYTES, cudaMemAdviseSetAccessedBy, nowhere));
  show("to the host's nearest part", cudaMemPrefetchAsync(sums, BYTES, node, 0));
  show("with flags", cudaMemPrefetchAsync(sums, BYTES, device, 1));
  show("too many bytes", cudaMemPrefetchAsync(sums, 1 << 28, device, 0));
  show("cudaDeviceSynchronize", cudaDeviceSynchronize());
  std::printf("%g %g %g\n", sums[0], sums[1], sums[31]);
  cudaFree(const_cast<float*>(numbers));
  cudaFree(sums);
  return 0;
}

#include "runner/machine/cuda/gate.hpp"

#include "runner/machine/device_buffer.hpp"

namespace runner {
namespace {

__device__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Reads the host's memory, in one thread, until the host has opened the gate as often as it was closed.
__global__ void wait_kernel(const volatile unsigned* opened, unsigned closed,
                            long long most_nanoseconds) {
  const long long start = nanoseconds();
  while (*opened < closed && nanoseconds() - start < most_nanoseconds) {
  }
}

}  // namespace

Gate::Gate(double most_seconds) : most_nanoseconds_(static_cast<long long>(most_seconds * 1e9)) {
  check(cudaHostAlloc(memory_.out(), sizeof(unsigned), cudaHostAllocMapped));
  *static_cast<unsigned*>(memory_.get()) = 0;
  void* on_device = nullptr;
  check(cudaHostGetDevicePointer(&on_device, memory_.get(), 0));
  on_device_ = static_cast<const unsigned*>(on_device);
}

void Gate::close(cudaStream_t stream) {
  ++closed_;
  wait_kernel<<<1, 1, 0, stream>>>(on_device_, closed_, most_nanoseconds_);
  check(cudaGetLastError());
}

void Gate::open() { *static_cast<volatile unsigned*>(memory_.get()) = closed_; }

}  // namespace runner

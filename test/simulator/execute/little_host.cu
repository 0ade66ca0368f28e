// little_host memory KIB | barrier KIB | threads COUNT: launches a kernel on eight host threads of a process with a
// limit on its further memory, or on its threads. With `barrier`, the kernel's blocks wait for each other. Prints the
// outcome. Exit code: 0 the right result, 3 the launch failed for want of memory, 1 anything else.
#include <cuda_runtime.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"

namespace {

constexpr int BLOCKS = 64;
constexpr int THREADS = 256;
constexpr size_t SHARED = size_t{40} << 10;
constexpr rlim_t NOBODY_ELSE = 64321;  // a user without processes

__global__ void add_one(int* values) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  values[blockIdx.x * blockDim.x + threadIdx.x] = copy[threadIdx.x] + 1;
}

__global__ void meet_and_add_one(int* values, int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < BLOCKS) {
    }
  }
  __syncthreads();
  values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  if (setrlimit(resource, &limit) == 0) return;
  std::perror("little_host: setrlimit");
  std::exit(1);
}

void limit_memory(rlim_t more_bytes) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  set_limit(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more_bytes);
}

// Limits the threads. Root may have any number, so the process becomes another user.
void limit_threads(rlim_t count) {
  if (geteuid() == 0 && setuid(NOBODY_ELSE) != 0) std::exit(1);
  set_limit(RLIMIT_NPROC, count);
}

bool all_are_one(const int* device) {
  static int values[BLOCKS * THREADS];
  if (cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  for (const int value : values) {
    if (value != 1) return false;
  }
  return true;
}

}  // namespace

int main(int, char** words) {
  const char* const what = words[1];
  const rlim_t amount = std::strtoul(words[2], nullptr, 10);
  int* values = nullptr;
  int* arrived = nullptr;
  cudaMalloc(&values, BLOCKS * THREADS * sizeof(int));
  cudaMalloc(&arrived, sizeof(int));
  cudaMemset(values, 0, BLOCKS * THREADS * sizeof(int));
  cudaMemset(arrived, 0, sizeof(int));
  simulator::set_worker_threads(8);

  if (std::strcmp(what, "threads") == 0) {
    limit_threads(amount);
  } else {
    limit_memory(amount << 10);
  }
  if (std::strcmp(what, "barrier") == 0) {
    meet_and_add_one<<<BLOCKS, THREADS, SHARED>>>(values, arrived);
  } else {
    add_one<<<BLOCKS, THREADS, SHARED>>>(values);
  }
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t finished = cudaDeviceSynchronize();
  const bool known = simulator::last_fault().has_value();
  std::printf("launch %s, kernel %s\n", cudaGetErrorName(launched), cudaGetErrorName(finished));
  const bool right = all_are_one(values);
  cudaFree(values);
  cudaFree(arrived);
  if (launched == cudaErrorMemoryAllocation && finished == launched && known) return 3;
  return launched == cudaSuccess && finished == cudaSuccess && right ? 0 : 1;
}

// sparse_memory COUNT: allocates COUNT GiB each of device, managed and pinned memory, a GiB at a time, and touches a
// few bytes in each. Prints the device's memory and the most memory that was resident, both in MiB. Fails if a byte is
// not read back.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr size_t GIB = size_t{1} << 30;
constexpr size_t TOUCHED[] = {0, GIB / 3, GIB - 1};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "sparse_memory: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Returns the line VmHWM of this process, in MiB.
unsigned long peak_resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    unsigned long kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  std::fputs("sparse_memory: /proc/self/status has no VmHWM\n", stderr);
  std::exit(1);
}

}  // namespace

int main(int, char** arguments) {
  const int count = std::atoi(arguments[1]);
  size_t free = 0;
  size_t total = 0;
  check(cudaMemGetInfo(&free, &total));

  std::vector<char*> allocations;
  for (int i = 0; i < count; ++i) {
    char* device = nullptr;
    char* managed = nullptr;
    char* pinned = nullptr;
    check(cudaMalloc(&device, GIB));
    check(cudaMallocManaged(&managed, GIB));
    check(cudaMallocHost(&pinned, GIB));
    allocations.insert(allocations.end(), {device, managed, pinned});
  }
  for (size_t i = 0; i < allocations.size(); ++i) {
    for (const size_t offset : TOUCHED) {
      const char value = static_cast<char>(i + offset);
      check(cudaMemcpy(allocations[i] + offset, &value, 1, cudaMemcpyDefault));
    }
  }
  for (size_t i = 0; i < allocations.size(); ++i) {
    for (const size_t offset : TOUCHED) {
      char value = 0;
      check(cudaMemcpy(&value, allocations[i] + offset, 1, cudaMemcpyDefault));
      if (value == static_cast<char>(i + offset)) continue;
      std::fprintf(stderr, "sparse_memory: byte %zu of allocation %zu did not come back\n", offset,
                   i);
      return 1;
    }
  }
  std::printf("total %zu\npeak %lu\n", total >> 20, peak_resident_mib());
}

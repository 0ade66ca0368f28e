// The facts that CUDA's runtime knows of the current GPU, simulated or not.
#pragma once

#include <string>

#include "distributed/gpu/cuda.hpp"
#include "distributed/machine/machine.hpp"

namespace distributed {

inline MachineFacts facts_of_gpu() {
  int id = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&id));
  check(cudaGetDeviceProperties(&properties, id));
  MachineFacts facts;
  facts.device = properties.name;
  facts.device_detail = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
  return facts;
}

}  // namespace distributed

// What clang's start-up code registers: for each translation unit its PTX, its kernels and its variables,
// each known to the host by the address of a stub or shadow of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/module.hpp"

namespace simulator::runtime {

/// The kernel behind a host function, its module loaded when it is first asked for; nullptr if there is
/// none. A module whose PTX cannot be read is reported on stderr, once, and its kernels are not found.
const Kernel* find_kernel(const void* host_function);

/// A __device__ or __constant__ variable.
struct Variable {
  uint64_t address = 0;  // 0: there is none
  size_t bytes = 0;
};
Variable find_variable(const void* host_shadow);

}  // namespace simulator::runtime

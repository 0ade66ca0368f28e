// The GPU that the compiler generates code for. nvcc compiles a source once for each architecture and once for the
// host. Only this file tests __CUDA_ARCH__ and its kin; code that depends on the architecture uses these constants and functions.
#pragma once

namespace device {

/// The compute capability of that GPU, 10 * major + minor; 0 in code for the host.
#if defined(__CUDA_ARCH__)
constexpr int COMPILED_FOR = __CUDA_ARCH__ / 10;
#else
constexpr int COMPILED_FOR = 0;
#endif

/// True in code for Hopper with its own instructions, sm_90a. Devices of later architectures lack these.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool COMPILED_WITH_WGMMA = true;
#else
constexpr bool COMPILED_WITH_WGMMA = false;
#endif

/// False if the build compiles this source for other devices only, so that no code of it can run on Hopper (kernels/CMakeLists.txt).
#if defined(SGEMM_WITHOUT_WGMMA)
constexpr bool BUILT_WITH_WGMMA = false;
#else
constexpr bool BUILT_WITH_WGMMA = true;
#endif

/// Returns how many threads a multiprocessor of that compute capability holds at once. For an unknown capability it
/// returns the largest number.
constexpr int threads_of_multiprocessor(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return 1024;
    case 86:
    case 87:
    case 88:
    case 89:
    case 110:
    case 120:
    case 121:
      return 1536;
    default:
      return 2048;
  }
}

/// Returns the number of blocks for __launch_bounds__: `wanted`, but no more than a multiprocessor's threads allow, and at
/// least one. The assembler refuses a larger number.
constexpr int blocks_at_most(int wanted, int threads_of_block) {
  const int most = threads_of_multiprocessor(COMPILED_FOR) / threads_of_block;
  return wanted < most ? wanted : most > 0 ? most : 1;
}

}  // namespace device

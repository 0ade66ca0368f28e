// The GPU that is being compiled for. nvcc compiles a source once for each architecture and once for the host; what differs
// between them is asked here, and the language's own test, __CUDA_ARCH__, is asked nowhere else.
#pragma once

namespace device {

/// Its compute capability, 10 * major + minor; 0 in what is compiled for the host.
#if defined(__CUDA_ARCH__)
constexpr int COMPILED_FOR = __CUDA_ARCH__ / 10;
#else
constexpr int COMPILED_FOR = 0;
#endif

/// How many threads a multiprocessor of that compute capability holds at once. One that is not known is taken for a large one.
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

/// For __launch_bounds__: `wanted` blocks on a multiprocessor, or as many as its threads allow, at least one. To ask for more is
/// refused by the assembler.
constexpr int blocks_at_most(int wanted, int threads_of_block) {
  const int most = threads_of_multiprocessor(COMPILED_FOR) / threads_of_block;
  return wanted < most ? wanted : most > 0 ? most : 1;
}

}  // namespace device

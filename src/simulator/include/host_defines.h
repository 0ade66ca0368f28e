// The attributes of CUDA C++ as clang spells them. In plain C++ they are empty, so that a .cpp file can include a
// header with a __host__ __device__ function.
#pragma once
#pragma GCC system_header

#define __HOST_DEFINES_H__

#if defined(__CUDA__)

#ifndef __CUDACC__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __CUDACC_VER_BUILD__ 0
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang has no __managed__ for CUDA. This is a __device__ variable whose host shadow lies in its own section. The
// runtime recognises it by the section, and puts the device's variable at the shadow's place.
#define __managed__ __attribute__((device, section("simulator_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// A parameter that is not copied, so that all threads may use its address. clang 19 does not know the word; simcc carries the
// annotation to LLVM (grid_constants.py).
#define __grid_constant__ __attribute__((annotate("grid_constant")))
// The blocks of a kernel's clusters, and the most registers of a thread. clang 19 does not know these words either; simcc carries
// the annotations to the PTX (kernel_bounds.py).
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", __VA_ARGS__)))
#define __maxnreg__(registers) __attribute__((annotate("maxnreg", registers)))

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(registers)

#endif

// No definition of __noinline__: clang has it built in, as CUDA's keyword. libstdc++ writes
// __attribute__((__noinline__)), which clang accepts with or without the keyword.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict __restrict__
#define CUDART_CB

// The attributes of these headers' own functions. `nodebug` makes their instructions count for the line that
// calls them: users want to see their own line, never a header's.
#define __simulator_inline static __inline__ __attribute__((always_inline, nodebug, unused))
#define __simulator_device __simulator_inline __device__
#define __simulator_host_device __simulator_inline __host__ __device__

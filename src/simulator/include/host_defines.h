// The attributes of CUDA C++ as clang spells them. In plain C++ they vanish, so that a header with a
// __host__ __device__ function in it can be included from a .cpp file.
#pragma once
#pragma GCC system_header

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
// clang has no __managed__ for CUDA. This is a __device__ variable whose shadow on the host lies in a section
// of its own, by which the runtime knows it: the device's variable is then put where the shadow is.
#define __managed__ __attribute__((device, section("simulator_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// A kernel's parameters are read in place anyway: the interpreter has nothing to copy.
#define __grid_constant__

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__

#endif

// libstdc++ writes __attribute__((__noinline__)); clang reads that whether or not this is a macro for
// the keyword it has for CUDA, hence no definition of __noinline__ here: clang has it built in.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict __restrict__
#define CUDART_CB

// How these headers define their own functions. `nodebug` makes their instructions count for the line
// that calls them: a reader wants to see his own line, never one of ours.
#define __simulator_inline static __inline__ __attribute__((always_inline, nodebug, unused))
#define __simulator_device __simulator_inline __device__
#define __simulator_host_device __simulator_inline __host__ __device__

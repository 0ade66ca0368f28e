// threadIdx, blockIdx, blockDim, gridDim and warpSize.
//
// Each is an object without storage: reading .x reads the special register. As with nvcc, threadIdx and
// blockIdx convert to uint3, blockDim and gridDim to dim3.
#pragma once
#pragma GCC system_header

#define __DEVICE_LAUNCH_PARAMETERS_H__

#if defined(__CUDA__)

#include "vector_types.h"

#define __simulator_getter inline __attribute__((always_inline, nodebug)) __device__

#define __simulator_special_register(name, reg, whole)                                     \
  struct __simulator_##name {                                                              \
    __declspec(property(get = __x)) unsigned int x;                                        \
    __declspec(property(get = __y)) unsigned int y;                                        \
    __declspec(property(get = __z)) unsigned int z;                                        \
    static __simulator_getter unsigned int __x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
    static __simulator_getter unsigned int __y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
    static __simulator_getter unsigned int __z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
    __simulator_getter operator whole() const { return whole{__x(), __y(), __z()}; }       \
  };                                                                                       \
  extern const __device__ __attribute__((weak)) __simulator_##name name;

__simulator_special_register(threadIdx, tid, uint3)
__simulator_special_register(blockIdx, ctaid, uint3)
__simulator_special_register(blockDim, ntid, dim3)
__simulator_special_register(gridDim, nctaid, dim3)

struct __simulator_warpSize {
  __simulator_getter constexpr operator int() const { return 32; }
};
extern const __device__ __attribute__((weak)) __simulator_warpSize warpSize;

#undef __simulator_special_register
#undef __simulator_getter

#endif

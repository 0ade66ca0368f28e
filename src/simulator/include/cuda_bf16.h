// The 16-bit format with FP32's exponents, BF16: __nv_bfloat16, __nv_bfloat162 and their functions.
#pragma once
#pragma GCC system_header

#define __CUDA_BF16_H__

#include "simulated/half_formats.h"
#include "vector_types.h"
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif

#define __simulator_h __nv_bfloat16
#define __simulator_h2 __nv_bfloat162
#define __simulator_raw __nv_bfloat16_raw
#define __simulator_raw2 __nv_bfloat162_raw
#define __simulator_to bfloat16
#define __simulator_to2 bfloat162
#define __simulator_2_to2 2bfloat162
#define __simulator_make2 make_bfloat162
#define __simulator_format Bf16
#define __simulator_ptx "bf16"
#include "simulated/half_functions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Half precision, FP16: __half, __half2 and their functions.
#pragma once
#pragma GCC system_header

#define __CUDA_FP16_H__

#include "simulated/half_formats.h"
#include "vector_types.h"
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif

#define __simulator_h __half
#define __simulator_h2 __half2
#define __simulator_raw __half_raw
#define __simulator_raw2 __half2_raw
#define __simulator_to half
#define __simulator_to2 half2
#define __simulator_2_to2 2half2
#define __simulator_make2 make_half2
#define __simulator_format Fp16
#define __simulator_ptx "f16"
#include "simulated/half_functions.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

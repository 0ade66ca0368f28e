// The types of pointers to the driver's functions, for programs that ask for them by cudaGetDriverEntryPoint or cuGetProcAddress:
// PFN_cuTensorMapEncodeTiled_v12000. Of each function there is the form that cuda.h declares.
#pragma once
#pragma GCC system_header

#include "cuda.h"

#define CU_FUNCTION(name, version, parameters) typedef CUresult(CUDAAPI* PFN_##name##_v##version) parameters;
#include "simulated/driver_functions.h"
#undef CU_FUNCTION

typedef PFN_cuCtxCreate_v3_v11040 PFN_cuCtxCreate_v11040;
typedef PFN_cuCtxCreate_v4_v12050 PFN_cuCtxCreate_v12050;

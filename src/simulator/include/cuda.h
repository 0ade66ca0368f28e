// The driver API over the simulated GPU: a subset, with CUDA's names and numbers, in C and C++.
//
// It is another way to the same device: most functions do what the runtime API's function of that name does, and a program may mix both.
// cuGraph*, cuSurf*, mapped virtual memory (cuMemCreate), pools and IPC are not declared. The compiler refuses a program that needs
// one of them.
#pragma once
#pragma GCC system_header

#define __cuda_cuda_h__

#include "simulated/default_stream.h"
#include "simulated/driver_api_types.h"

#define CUDA_VERSION 12030
#define CUDAAPI
#define CUDA_CB

#ifdef __cplusplus
extern "C" {
#endif

#define CU_FUNCTION(name, version, parameters) CUresult name parameters;
#include "simulated/driver_functions.h"
#undef CU_FUNCTION

#ifdef __cplusplus
}  // extern "C"
#endif

// Programs for CUDA 13 pass CUctxCreateParams, older ones do not.
#define __simulator_fifth(a, b, c, d, name, ...) name
#define cuCtxCreate(...) __simulator_fifth(__VA_ARGS__, cuCtxCreate_v4, cuCtxCreate, none)(__VA_ARGS__)

// The versions of the functions and types above. Some programs name them.
#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxDestroy_v2 cuCtxDestroy
#define cuCtxPopCurrent_v2 cuCtxPopCurrent
#define cuCtxPushCurrent_v2 cuCtxPushCurrent
#define cuDeviceGetUuid_v2 cuDeviceGetUuid
#define cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease
#define cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxReset
#define cuDevicePrimaryCtxSetFlags_v2 cuDevicePrimaryCtxSetFlags
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuArrayCreate_v2 cuArrayCreate
#define cuArray3DCreate_v2 cuArray3DCreate
#define cuEventDestroy_v2 cuEventDestroy
#define cuGetProcAddress_v2 cuGetProcAddress
#define cuLinkAddData_v2 cuLinkAddData
#define cuLinkAddFile_v2 cuLinkAddFile
#define cuLinkCreate_v2 cuLinkCreate
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemAllocHost_v2 cuMemAllocHost
#define cuMemAllocPitch_v2 cuMemAllocPitch
#define cuMemFree_v2 cuMemFree
#define cuMemGetAddressRange_v2 cuMemGetAddressRange
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemHostGetDevicePointer_v2 cuMemHostGetDevicePointer
#define cuMemHostRegister_v2 cuMemHostRegister
#define cuMemcpy2D_v2 cuMemcpy2D
#define cuMemcpy2DAsync_v2 cuMemcpy2DAsync
#define cuMemcpy2DUnaligned_v2 cuMemcpy2DUnaligned
#define cuMemcpy3D_v2 cuMemcpy3D
#define cuMemcpy3DAsync_v2 cuMemcpy3DAsync
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuMemsetD8_v2 cuMemsetD8
#define cuMemsetD16_v2 cuMemsetD16
#define cuMemsetD32_v2 cuMemsetD32
#define cuMemsetD2D8_v2 cuMemsetD2D8
#define cuMemsetD2D16_v2 cuMemsetD2D16
#define cuMemsetD2D32_v2 cuMemsetD2D32
#define cuModuleGetGlobal_v2 cuModuleGetGlobal
#define cuStreamDestroy_v2 cuStreamDestroy

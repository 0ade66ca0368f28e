// The driver's devices, and its errors.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

struct ErrorName {
  CUresult error;
  const char* name;
};
constexpr ErrorName ERRORS[] = {
#define CU_ERROR(name, code) {name, #name},
#include <simulated/driver_error_list.h>
#undef CU_ERROR
};

const ErrorName* name_of(CUresult error) {
  const auto* const found = std::ranges::find(ERRORS, error, &ErrorName::error);
  return found == std::end(ERRORS) ? nullptr : found;
}

// Returns the value of an attribute that only the driver has: of what this device can do, or 0.
cudaError_t attribute_of_driver(int* value, CUdevice_attribute attribute) {
  if (attribute < CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK ||
      attribute > CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID)
    return cudaErrorInvalidValue;
  *value = attribute == CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER ||
                   attribute == CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED
               ? 1
               : 0;
  return cudaSuccess;
}

// Runs `use` with the device's properties.
template <typename Use>
CUresult with_properties(CUdevice device, Use use, const char* name = __builtin_FUNCTION()) {
  return driver_call(
      [&] {
        cudaDeviceProp properties;
        const cudaError_t error = cudaGetDeviceProperties(&properties, device);
        return error != cudaSuccess ? error : use(properties);
      },
      name);
}

}  // namespace

CUresult result_of(cudaError_t error) {
  constexpr int FIRST_IN_COMMON = 100;  // below it most errors are the runtime's alone
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  const auto same = static_cast<CUresult>(error);
  if (name_of(same) != nullptr) return same;
  return error < FIRST_IN_COMMON ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN;
}

}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorName* const known = name_of(error);
  *name = known == nullptr ? nullptr : known->name;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool is_known = name_of(error) != nullptr;
  *text = is_known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const Call call("cuInit", Api::driver);
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int number) {
  return driver_call([&] {
    int count = 0;
    if (device == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return error;
    if (number < 0 || number >= count) return cudaErrorInvalidDevice;
    *device = number;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return driver_call([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& properties) {
    if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
    std::strncpy(name, properties.name, static_cast<size_t>(length));
    name[length - 1] = '\0';
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& properties) {
    if (uuid == nullptr) return cudaErrorInvalidValue;
    *uuid = properties.uuid;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const cudaError_t unknown =
        cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
    return unknown == cudaSuccess ? cudaSuccess : attribute_of_driver(value, attribute);
  });
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& properties) {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    *bytes = properties.totalGlobalMem;
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& properties) {
    if (major == nullptr || minor == nullptr) return cudaErrorInvalidValue;
    *major = properties.major;
    *minor = properties.minor;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return driver_call([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return driver_call([&] { return cudaDeviceGetByPCIBusId(device, text); });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return driver_call([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  return driver_call([&] {
    return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to);
  });
}

}  // extern "C"

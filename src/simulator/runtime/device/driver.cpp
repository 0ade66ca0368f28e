// The driver's functions that programs for the runtime API call, and the way to find them.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/memory/tensor_map.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"

using namespace simulator;
using namespace simulator::runtime;

namespace {

struct ErrorText {
  CUresult error;
  const char *name, *text;
};
constexpr ErrorText ERRORS[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText* text_of(CUresult error) {
  const auto* const found =
      std::ranges::find_if(ERRORS, [&](const ErrorText& one) { return one.error == error; });
  return found == std::end(ERRORS) ? nullptr : found;
}

CUresult refuse_map(const std::string& why) {
  tell_of_call(HazardKind::refused_call, [&] {
    return Refusal{"cuTensorMapEncodeTiled refuses the tensor map: " + why,
                   "check the CUresult that it returns: a kernel cannot use the map", ""};
  });
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult encode(CUtensorMap* into, const TensorMap& map) {
  if (reinterpret_cast<uintptr_t>(into) % TENSOR_MAP_ALIGNMENT != 0)
    return refuse_map("tensorMap must be a multiple of 64 bytes (alignas(64))");
  if (const std::string why = map.refusal(); !why.empty()) return refuse_map(why);
  const TensorMapWords words = map.words();
  static_assert(sizeof words == sizeof *into);
  std::memcpy(into, words.data(), sizeof words);
  return CUDA_SUCCESS;
}

struct EntryPoint {
  std::string_view name;
  void* function;
};

cudaError_t entry_point(const char* symbol, void** function,
                        cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  static const EntryPoint ENTRY_POINTS[] = {
      {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(&cuTensorMapEncodeTiled)},
      {"cuGetErrorName", reinterpret_cast<void*>(&cuGetErrorName)},
      {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
  };
  const auto* const found =
      std::ranges::find(ENTRY_POINTS, std::string_view(symbol), &EntryPoint::name);
  const bool is_found = found != std::end(ENTRY_POINTS);
  *function = is_found ? found->function : nullptr;
  if (status != nullptr)
    *status = is_found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (is_found) return cudaSuccess;
  return refuse(cudaErrorNotSupported, [&] {
    return Refusal{std::string("the simulated GPU's driver has no ") + symbol,
                   "docs/simulator.md lists the functions of the driver that it has", ""};
  });
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  const ErrorText* const known = text_of(error);
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = known == nullptr ? nullptr : known->name;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorText* const known = text_of(error);
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = known == nullptr ? nullptr : known->text;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  const Call call("cuTensorMapEncodeTiled");
  for (const auto& [name, pointer] : {std::pair<const char*, const void*>{"tensorMap", tensorMap},
                                      {"globalAddress", globalAddress},
                                      {"globalDim", globalDim},
                                      {"globalStrides", globalStrides},
                                      {"boxDim", boxDim},
                                      {"elementStrides", elementStrides}}) {
    if (pointer == nullptr) return refuse_map(std::string(name) + " is a null pointer");
  }
  TensorMap map{.type = static_cast<uint32_t>(tensorDataType),
                .rank = tensorRank,
                .interleave = static_cast<uint32_t>(interleave),
                .swizzle = static_cast<uint32_t>(swizzle),
                .promotion = static_cast<uint32_t>(l2Promotion),
                .fill = static_cast<uint32_t>(oobFill),
                .address = reinterpret_cast<uintptr_t>(globalAddress)};
  for (uint32_t i = 0; i < std::min(tensorRank, TensorMap::MOST_DIMENSIONS); ++i) {
    map.sizes[i] = globalDim[i];
    if (i > 0) map.strides[i - 1] = globalStrides[i - 1];
    map.box[i] = boxDim[i];
    map.steps[i] = elementStrides[i];
  }
  return encode(tensorMap, map);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    enum cudaDriverEntryPointQueryResult* status) {
  return guarded([&] { return entry_point(symbol, function, status); });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int,
                                             unsigned long long,
                                             enum cudaDriverEntryPointQueryResult* status) {
  return guarded([&] { return entry_point(symbol, function, status); });
}

}  // extern "C"

// The driver's encoding of tensor maps.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "simulator/memory/tensor_map.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"

using namespace simulator;
using namespace simulator::runtime;

namespace {

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

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's, and messages have them

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
  const Call call("cuTensorMapEncodeTiled", Api::driver);
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

// NOLINTEND(readability-identifier-naming)

}  // extern "C"

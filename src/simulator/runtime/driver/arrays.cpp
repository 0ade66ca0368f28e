// The driver's arrays and texture objects. They are the runtime's, in the driver's descriptions.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "simulator/runtime/api/arrays.hpp"
#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

// Returns the runtime's description of a format; nothing for a format that no array here has.
std::optional<cudaChannelFormatDesc> description_of(CUarray_format format, unsigned int channels) {
  struct Kind {
    CUarray_format format;
    int bits;
    cudaChannelFormatKind kind;
  };
  static constexpr Kind KINDS[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
      {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
      {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
      {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
      {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
      {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
      {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
      {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
  };
  const auto* const found = std::ranges::find(KINDS, format, &Kind::format);
  if (found == std::end(KINDS) || (channels != 1 && channels != 2 && channels != 4))
    return std::nullopt;
  const auto bits = [&](unsigned int channel) { return channel < channels ? found->bits : 0; };
  return cudaChannelFormatDesc{bits(0), bits(1), bits(2), bits(3), found->kind};
}

cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaError_t create(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& from) {
  const std::optional<cudaChannelFormatDesc> format = description_of(from.Format, from.NumChannels);
  if (array == nullptr || !format) return cudaErrorInvalidValue;
  return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &*format,
                           {from.Width, from.Height, from.Depth}, from.Flags);
}

// Sets the resource, and the format of its elements.
cudaError_t describe(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& resource,
                     cudaChannelFormatDesc& format) {
  resource.resType = static_cast<cudaResourceType>(from.resType);
  std::optional<cudaChannelFormatDesc> known;
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource.res.array.array = array_of(from.res.array.hArray);
      return cudaGetChannelDesc(&format, resource.res.array.array);
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = from.res.linear;
      known = description_of(linear.format, linear.numChannels);
      if (!known) return cudaErrorInvalidValue;
      format = *known;
      resource.res.linear = {pointer_of(linear.devPtr), format, linear.sizeInBytes};
      return cudaSuccess;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& rows = from.res.pitch2D;
      known = description_of(rows.format, rows.numChannels);
      if (!known) return cudaErrorInvalidValue;
      format = *known;
      resource.res.pitch2D = {pointer_of(rows.devPtr), format, rows.width, rows.height,
                              rows.pitchInBytes};
      return cudaSuccess;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return cudaErrorNotSupported;
  }
  return cudaErrorInvalidValue;
}

// Integers of 8 and 16 bits are fractions for the driver, if a flag does not say otherwise.
cudaTextureReadMode read_mode(const cudaChannelFormatDesc& format, unsigned int flags) {
  const bool is_fraction = format.f != cudaChannelFormatKindFloat && format.x < 32 &&
                           (flags & CU_TRSF_READ_AS_INTEGER) == 0;
  return is_fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& from, const cudaChannelFormatDesc& format) {
  cudaTextureDesc texture{};
  const auto has = [&](unsigned int flag) { return (from.flags & flag) != 0 ? 1 : 0; };
  std::ranges::transform(from.addressMode, texture.addressMode, [](CUaddress_mode mode) {
    return static_cast<cudaTextureAddressMode>(mode);
  });
  texture.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  texture.readMode = read_mode(format, from.flags);
  texture.sRGB = has(CU_TRSF_SRGB);
  std::ranges::copy(from.borderColor, texture.borderColor);
  texture.normalizedCoords = has(CU_TRSF_NORMALIZED_COORDINATES);
  texture.maxAnisotropy = from.maxAnisotropy;
  texture.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  texture.mipmapLevelBias = from.mipmapLevelBias;
  texture.minMipmapLevelClamp = from.minMipmapLevelClamp;
  texture.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  texture.disableTrilinearOptimization = has(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  texture.seamlessCubemap = has(CU_TRSF_SEAMLESS_CUBEMAP);
  return texture;
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
  return in_context([&] {
    if (description == nullptr) return cudaErrorInvalidValue;
    const auto& [width, height, format, channels] = *description;
    return create(array, {width, height, 0, format, channels, 0});
  });
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  return in_context(
      [&] { return description == nullptr ? cudaErrorInvalidValue : create(array, *description); });
}

CUresult cuArrayDestroy(CUarray array) {
  return in_context([&] {
    return find_array(array_of(array)) == nullptr ? refuse_array() : cudaFreeArray(array_of(array));
  });
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  return in_context([&] {
    if (object == nullptr || resource == nullptr || texture == nullptr)
      return cudaErrorInvalidValue;
    if (view != nullptr) return cudaErrorNotSupported;
    cudaResourceDesc known{};
    cudaChannelFormatDesc format{};
    if (const cudaError_t error = describe(*resource, known, format); error != cudaSuccess)
      return error;
    const cudaTextureDesc as_runtime = texture_of(*texture, format);
    return cudaCreateTextureObject(object, &known, &as_runtime, nullptr);
  });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return in_context([&] { return cudaDestroyTextureObject(object); });
}

}  // extern "C"

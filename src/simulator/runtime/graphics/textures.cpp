// Texture objects.
#include <cuda_runtime_api.h>

#include <mutex>
#include <optional>
#include <string>

#include "simulator/memory/texture.hpp"
#include "simulator/runtime/api/arrays.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::runtime {
namespace {

// Of memory for textures. An H200 asks for 512 bytes, to which its cudaMalloc aligns; memory here is aligned to 256.
constexpr uint64_t ALIGNMENT = 256, PITCH_ALIGNMENT = 32;

Arrays& arrays() { return current_device().arrays; }

Refusal refusal(const std::string& what, const std::string& advice) {
  return {std::string(Call::current()) + " " + what, advice, ""};
}

Texture::Shape shape_of(const cudaArray& array) {
  const bool is_layered = (array.flags & cudaArrayLayered) != 0;
  if ((array.flags & cudaArrayCubemap) != 0) return Texture::Shape::cube;
  if (array.extent.height == 0)
    return is_layered ? Texture::Shape::layered1 : Texture::Shape::flat1;
  if (is_layered) return Texture::Shape::layered2;
  return array.extent.depth == 0 ? Texture::Shape::flat2 : Texture::Shape::flat3;
}

cudaError_t from_array(const cudaResourceDesc& resource, Texture& texture) {
  const cudaArray* const array = find_array(resource.res.array.array);
  if (array == nullptr) {
    return refuse(cudaErrorInvalidResourceHandle, [] {
      return refusal("was given a handle that is no array of this device",
                     "the handle that cudaMallocArray gave, before cudaFreeArray");
    });
  }
  texture.shape = shape_of(*array);
  texture.base = reinterpret_cast<uint64_t>(array->memory);
  texture.format = array->texel;
  texture.width = array->width();
  texture.height = array->height();
  texture.depth = array->depth();
  texture.pitch = array->pitch();
  texture.is_array = true;
  return cudaSuccess;
}

// Checks memory that is no array.
cudaError_t check_memory(const void* memory, uint64_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  if (current_device().memory.host_pointer(address, bytes) == nullptr) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("is asked for a texture of " + std::to_string(bytes) +
                         " bytes: " + current_device().memory.place_of(address).text(),
                     "memory from cudaMalloc or cudaMallocPitch, and sizes within it");
    });
  }
  if (address % ALIGNMENT != 0) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("was given memory that does not begin at a multiple of " +
                         std::to_string(ALIGNMENT) + " bytes",
                     "the pointer that cudaMalloc gave, and an offset in the kernel");
    });
  }
  return cudaSuccess;
}

cudaError_t from_linear(const cudaResourceDesc& resource, Texture& texture) {
  const auto& linear = resource.res.linear;
  if (!find_format(linear.desc, texture.format)) return cudaErrorInvalidChannelDescriptor;
  texture.shape = Texture::Shape::linear;
  texture.base = reinterpret_cast<uint64_t>(linear.devPtr);
  texture.width = linear.sizeInBytes / texture.format.bytes();
  texture.pitch = linear.sizeInBytes;
  if (texture.width == 0) return cudaErrorInvalidValue;
  return check_memory(linear.devPtr, linear.sizeInBytes);
}

cudaError_t from_rows(const cudaResourceDesc& resource, Texture& texture) {
  const auto& rows = resource.res.pitch2D;
  if (!find_format(rows.desc, texture.format)) return cudaErrorInvalidChannelDescriptor;
  texture.shape = Texture::Shape::flat2;
  texture.base = reinterpret_cast<uint64_t>(rows.devPtr);
  texture.width = rows.width;
  texture.height = rows.height;
  texture.pitch = rows.pitchInBytes;
  const uint64_t row = rows.width * texture.format.bytes();
  if (row == 0 || rows.height == 0 || rows.pitchInBytes < row) return cudaErrorInvalidValue;
  if (rows.pitchInBytes % PITCH_ALIGNMENT != 0) {
    return refuse(cudaErrorInvalidValue, [] {
      return refusal(
          "was given rows whose pitch is no multiple of " + std::to_string(PITCH_ALIGNMENT),
          "the pitch that cudaMallocPitch gave");
    });
  }
  return check_memory(rows.devPtr, (rows.height - 1) * rows.pitchInBytes + row);
}

cudaError_t from_resource(const cudaResourceDesc& resource, Texture& texture) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return from_array(resource, texture);
    case cudaResourceTypeLinear:
      return from_linear(resource, texture);
    case cudaResourceTypePitch2D:
      return from_rows(resource, texture);
    case cudaResourceTypeMipmappedArray:
      return refuse(cudaErrorNotSupported, [] {
        return refusal("is asked for a texture of a mipmapped array",
                       "an array of one level, or a real GPU");
      });
  }
  return cudaErrorInvalidValue;
}

std::optional<AddressMode> mode_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return AddressMode::wrap;
    case cudaAddressModeClamp:
      return AddressMode::clamp;
    case cudaAddressModeMirror:
      return AddressMode::mirror;
    case cudaAddressModeBorder:
      return AddressMode::border;
  }
  return std::nullopt;
}

cudaError_t describe(const cudaTextureDesc& description, Texture& texture) {
  for (size_t i = 0; i < texture.modes.size(); ++i) {
    const std::optional<AddressMode> mode = mode_of(description.addressMode[i]);
    if (!mode) return cudaErrorInvalidValue;
    texture.modes[i] = *mode;
    texture.border[i] = description.borderColor[i];
  }
  texture.border[3] = description.borderColor[3];
  const bool is_float = texture.format.kind == TexelFormat::Kind::floating;
  const bool gives_fractions = description.readMode == cudaReadModeNormalizedFloat;
  if (gives_fractions && !is_float && texture.format.bits == 32) {
    return refuse(cudaErrorInvalidNormSetting, [] {
      return refusal("is asked for fractions of 32-bit whole numbers",
                     "cudaReadModeElementType, or elements of 8 or 16 bits");
    });
  }
  texture.is_linear =
      description.filterMode == cudaFilterModeLinear && texture.shape != Texture::Shape::linear;
  if (texture.is_linear && !is_float && !gives_fractions) {
    return refuse(cudaErrorInvalidFilterSetting, [] {
      return refusal("is asked to filter whole numbers",
                     "cudaReadModeNormalizedFloat, cudaFilterModePoint, or elements of float");
    });
  }
  texture.gives_fractions = gives_fractions && !is_float;
  texture.is_normalized = description.normalizedCoords != 0;
  texture.is_srgb = description.sRGB != 0;
  return cudaSuccess;
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  return asynchronous([&] {
    if (object == nullptr || resource == nullptr || description == nullptr)
      return cudaErrorInvalidValue;
    if (view != nullptr) {
      return refuse(cudaErrorNotSupported, [] {
        return refusal("is asked for a view of a resource", "a null pointer, or a real GPU");
      });
    }
    Texture texture;
    if (const cudaError_t error = from_resource(*resource, texture); error != cudaSuccess)
      return error;
    if (const cudaError_t error = describe(*description, texture); error != cudaSuccess)
      return error;
    *object = current_device().textures.add(texture);
    const std::lock_guard lock(arrays().mutex);
    arrays().textures[*object] = {*resource, *description};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return synchronous([&] {
    if (object == 0) return cudaSuccess;
    if (!current_device().textures.remove(object)) {
      return refuse(cudaErrorInvalidValue, [] {
        return refusal("was given a handle that is no texture object, or one that was destroyed",
                       "the handle that cudaCreateTextureObject gave, once");
      });
    }
    const std::lock_guard lock(arrays().mutex);
    arrays().textures.erase(object);
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  return asynchronous([&] {
    const std::lock_guard lock(arrays().mutex);
    const auto found = arrays().textures.find(object);
    if (resource == nullptr || found == arrays().textures.end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return asynchronous([&] {
    const std::lock_guard lock(arrays().mutex);
    const auto found = arrays().textures.find(object);
    if (texture == nullptr || found == arrays().textures.end()) return cudaErrorInvalidValue;
    *texture = found->second.texture;
    return cudaSuccess;
  });
}

}  // extern "C"

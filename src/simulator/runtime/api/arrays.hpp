// Arrays: memory for textures.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "simulator/memory/texture.hpp"
#include "simulator/runtime/api/work.hpp"

/// An array's elements lie in the device's memory, row by row.
struct cudaArray {
  cudaChannelFormatDesc format{};
  simulator::TexelFormat texel;
  cudaExtent extent{};  // as the program asked: 0 for dimensions that it does not have
  unsigned int flags = 0;
  void* memory = nullptr;

  uint64_t width() const { return extent.width; }
  uint64_t height() const { return extent.height == 0 ? 1 : extent.height; }
  uint64_t depth() const { return extent.depth == 0 ? 1 : extent.depth; }
  uint64_t pitch() const { return width() * texel.bytes(); }
};

namespace simulator::runtime {

/// A device's arrays, and the descriptions of its texture objects.
struct Arrays {
  std::mutex mutex;
  std::map<cudaArray_const_t, std::unique_ptr<cudaArray>> arrays;
  uint32_t made = 0;
  struct Description {
    cudaResourceDesc resource;
    cudaTextureDesc texture;
  };
  std::map<cudaTextureObject_t, Description> textures;
};

/// Finds the elements' format of a channel description. Returns false if no texture has it.
bool find_format(const cudaChannelFormatDesc& format, TexelFormat& texel);

/// Returns the array, or nullptr if there is none at this handle.
const cudaArray* find_array(cudaArray_const_t array);

/// Returns the rows of an array from a place on, `at.x` and the width in bytes. Returns nothing if the array is smaller.
std::optional<Region> region_of(const cudaArray& array, const cudaPos& at, const cudaExtent& bytes);

/// Refuse a handle that is no array, and a copy beyond an array.
cudaError_t refuse_array(cudaError_t error = cudaErrorInvalidResourceHandle);
cudaError_t refuse_place_in_array();

}  // namespace simulator::runtime

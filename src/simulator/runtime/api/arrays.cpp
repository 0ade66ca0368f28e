// Arrays and copies of them. An array lies in the device's memory row by row, so a copy is one of rows.
#include "simulator/runtime/api/arrays.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::runtime {
namespace {

Arrays& arrays() { return current_device().arrays; }

// A copy of rows, at once or in a stream.
struct Copy {
  cudaMemcpyKind kind;
  bool is_asynchronous = false;
  cudaStream_t stream = nullptr;

  cudaError_t operator()(const Region& to, const Region& from, const cudaExtent& bytes) const {
    for (size_t z = 0; z < bytes.depth; ++z) {
      std::byte* const target = static_cast<std::byte*>(to.pointer) + z * to.slice;
      const std::byte* const source = static_cast<std::byte*>(from.pointer) + z * from.slice;
      const cudaError_t error =
          is_asynchronous
              ? cudaMemcpy2DAsync(target, to.pitch, source, from.pitch, bytes.width, bytes.height,
                                  kind, stream)
              : cudaMemcpy2D(target, to.pitch, source, from.pitch, bytes.width, bytes.height, kind);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

cudaError_t copy_to(cudaArray_const_t handle, const cudaPos& at, const Region& from,
                    const cudaExtent& bytes, const Copy& copy) {
  const cudaArray* const array = find_array(handle);
  if (array == nullptr) return refuse_array();
  const std::optional<Region> to = region_of(*array, at, bytes);
  return to ? copy(*to, from, bytes) : refuse_place_in_array();
}

cudaError_t copy_from(const Region& to, cudaArray_const_t handle, const cudaPos& at,
                      const cudaExtent& bytes, const Copy& copy) {
  const cudaArray* const array = find_array(handle);
  if (array == nullptr) return refuse_array();
  const std::optional<Region> from = region_of(*array, at, bytes);
  return from ? copy(to, *from, bytes) : refuse_place_in_array();
}

// Splits a range of an array's bytes, which begins in a row, into its first row, its whole rows and its last row.
template <typename Each>
cudaError_t for_each_part(const cudaArray& array, size_t x, size_t y, size_t bytes, Each each) {
  const size_t pitch = array.pitch();
  size_t done = 0;
  while (done < bytes) {
    const size_t left = bytes - done;
    const bool is_whole = x == 0 && left >= pitch;
    const cudaExtent part{is_whole ? pitch : std::min(left, pitch - x), is_whole ? left / pitch : 1,
                          1};
    const cudaError_t error = each(cudaPos{x, y, 0}, done, part);
    if (error != cudaSuccess) return error;
    done += part.width * part.height;
    y += part.height;
    x = 0;
  }
  return cudaSuccess;
}

// Returns the error for an array that no device makes.
cudaError_t check(const cudaExtent& extent, unsigned int flags) {
  constexpr unsigned int KNOWN =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if ((flags & ~KNOWN) != 0 || extent.width == 0) return cudaErrorInvalidValue;
  const bool is_layered = (flags & cudaArrayLayered) != 0;
  if ((flags & cudaArrayCubemap) != 0) {
    if (is_layered) {
      return refuse(cudaErrorNotSupported, [] {
        return Refusal{std::string(Call::current()) + " is asked for layers of cubemaps",
                       "cudaArrayCubemap alone, or cudaArrayLayered alone, or a real GPU", ""};
      });
    }
    const bool is_cube = extent.width == extent.height && extent.depth == 6;
    return is_cube ? cudaSuccess : cudaErrorInvalidValue;
  }
  if (is_layered && extent.depth == 0) return cudaErrorInvalidValue;
  if (!is_layered && extent.height == 0 && extent.depth != 0) return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t make(cudaArray_t* array, const cudaChannelFormatDesc* format, const cudaExtent& extent,
                 unsigned int flags) {
  if (array == nullptr || format == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<cudaArray>();
  made->format = *format;
  made->extent = extent;
  made->flags = flags;
  if (!find_format(*format, made->texel)) return cudaErrorInvalidChannelDescriptor;
  if (const cudaError_t error = check(extent, flags); error != cudaSuccess) return error;
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(made->pitch(), made->height(), &bytes) ||
      __builtin_mul_overflow(bytes, made->depth(), &bytes))
    return cudaErrorMemoryAllocation;
  if (const cudaError_t error = cudaMalloc(&made->memory, bytes); error != cudaSuccess)
    return error;
  const std::lock_guard lock(arrays().mutex);
  current_device().memory.set_name(reinterpret_cast<uint64_t>(made->memory),
                                   "array " + std::to_string(++arrays().made));
  *array = made.get();
  arrays().arrays.emplace(made.get(), std::move(made));
  return cudaSuccess;
}

}  // namespace

bool find_format(const cudaChannelFormatDesc& format, TexelFormat& texel) {
  const auto& [x, y, z, w, kind] = format;
  const bool is_even = (y == 0 || y == x) && (z == 0 || z == x) && (w == 0 || w == x);
  const bool is_packed = (y != 0 || (z == 0 && w == 0)) && (z != 0) == (w != 0);
  if (!is_even || !is_packed || (x != 8 && x != 16 && x != 32)) return false;
  texel.bits = static_cast<uint32_t>(x);
  texel.channels = y == 0 ? 1 : z == 0 ? 2 : 4;
  switch (kind) {
    case cudaChannelFormatKindSigned:
      texel.kind = TexelFormat::Kind::signed_integer;
      return true;
    case cudaChannelFormatKindUnsigned:
      texel.kind = TexelFormat::Kind::unsigned_integer;
      return true;
    case cudaChannelFormatKindFloat:
      texel.kind = TexelFormat::Kind::floating;
      return x != 8;
    case cudaChannelFormatKindNone:
      break;
  }
  return false;
}

std::optional<Region> region_of(const cudaArray& array, const cudaPos& at,
                                const cudaExtent& bytes) {
  const auto fits = [](size_t first, size_t count, uint64_t all) {
    return count <= all && first <= all - count;
  };
  if (!fits(at.x, bytes.width, array.pitch()) || !fits(at.y, bytes.height, array.height()) ||
      !fits(at.z, bytes.depth, array.depth()))
    return std::nullopt;
  const size_t pitch = array.pitch();
  const size_t slice = pitch * array.height();
  return Region{static_cast<std::byte*>(array.memory) + at.z * slice + at.y * pitch + at.x, pitch,
                slice};
}

cudaError_t refuse_array(cudaError_t error) {
  return refuse(error, [] {
    return Refusal{
        std::string(Call::current()) + " was given a handle that is no array of this device",
        "the handle that cudaMallocArray gave, before cudaFreeArray, with its return code checked",
        ""};
  });
}

cudaError_t refuse_place_in_array() {
  return refuse(cudaErrorInvalidValue, [] {
    return Refusal{
        std::string(Call::current()) + " reaches beyond the array",
        "widths and offsets in x are in bytes for copies of two dimensions, and in elements for "
        "cudaMemcpy3D",
        ""};
  });
}

const cudaArray* find_array(cudaArray_const_t array) {
  const std::lock_guard lock(arrays().mutex);
  const auto found = arrays().arrays.find(array);
  return found == arrays().arrays.end() ? nullptr : found->second.get();
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned int flags) {
  return synchronous([&] { return make(array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned int flags) {
  return synchronous([&] { return make(array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return synchronous([&] {
    if (array == nullptr) return cudaSuccess;
    std::unique_ptr<cudaArray> freed;
    {
      const std::lock_guard lock(arrays().mutex);
      const auto found = arrays().arrays.find(array);
      if (found == arrays().arrays.end()) return refuse_array(cudaErrorInvalidValue);
      freed = std::move(found->second);
      arrays().arrays.erase(found);
    }
    return cudaFree(freed->memory);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t handle) {
  return asynchronous([&] {
    const cudaArray* const array = find_array(handle);
    if (array == nullptr) return refuse_array();
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t handle) {
  return asynchronous([&] {
    const cudaArray* const array = find_array(handle);
    if (format == nullptr) return cudaErrorInvalidValue;
    if (array == nullptr) return refuse_array();
    *format = array->format;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous([&] {
    const Region rows{static_cast<std::byte*>(const_cast<void*>(from)), pitch};
    return copy_to(to, {x, y, 0}, rows, {width, height, 1}, Copy{kind});
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return asynchronous([&] {
    const Region rows{static_cast<std::byte*>(const_cast<void*>(from)), pitch};
    return copy_to(to, {x, y, 0}, rows, {width, height, 1}, Copy{kind, true, stream});
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous([&] {
    return copy_from({static_cast<std::byte*>(to), pitch}, from, {x, y, 0}, {width, height, 1},
                     Copy{kind});
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return asynchronous([&] {
    return copy_from({static_cast<std::byte*>(to), pitch}, from, {x, y, 0}, {width, height, 1},
                     Copy{kind, true, stream});
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous([&] {
    const cudaArray* const source = find_array(from);
    if (source == nullptr) return refuse_array();
    const std::optional<Region> rows = region_of(*source, {from_x, from_y, 0}, {width, height, 1});
    return rows ? copy_to(to, {to_x, to_y, 0}, *rows, {width, height, 1}, Copy{kind})
                : refuse_place_in_array();
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return synchronous([&] {
    const cudaArray* const array = find_array(to);
    if (array == nullptr) return refuse_array();
    if (x >= array->pitch()) return refuse_place_in_array();
    return for_each_part(*array, x, y, bytes, [&](cudaPos at, size_t done, const cudaExtent& part) {
      const Region rows{static_cast<std::byte*>(const_cast<void*>(from)) + done, part.width};
      return copy_to(to, at, rows, part, Copy{kind});
    });
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return synchronous([&] {
    const cudaArray* const array = find_array(from);
    if (array == nullptr) return refuse_array();
    if (x >= array->pitch()) return refuse_place_in_array();
    return for_each_part(*array, x, y, bytes, [&](cudaPos at, size_t done, const cudaExtent& part) {
      return copy_from({static_cast<std::byte*>(to) + done, part.width}, from, at, part,
                       Copy{kind});
    });
  });
}

}  // extern "C"

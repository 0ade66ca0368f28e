// Pitched memory in three dimensions.
#include <cuda_runtime_api.h>

#include "simulator/runtime/api/arrays.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::runtime {
namespace {

Region region_of(const cudaPitchedPtr& pointer, const cudaPos& position) {
  const size_t slice = pointer.pitch * pointer.ysize;
  auto* const first = static_cast<std::byte*>(pointer.ptr);
  return {first == nullptr ? nullptr
                           : first + position.z * slice + position.y * pointer.pitch + position.x,
          pointer.pitch, slice};
}

Box box_of(const cudaExtent& extent) {
  return {.width = extent.width, .height = extent.height, .depth = extent.depth};
}

FillWork fill_of(const cudaPitchedPtr& pointer, int value, const cudaExtent& extent) {
  return {.to = region_of(pointer, {}),
          .value = static_cast<unsigned char>(value),
          .box = box_of(extent)};
}

}  // namespace

// With an array on any side, the extent's width and the offsets in arrays are in elements.
std::optional<CopyWork> copy_of(const cudaMemcpy3DParms& copy) {
  size_t element = 1;
  for (const cudaArray_t handle : {copy.srcArray, copy.dstArray}) {
    if (handle == nullptr) continue;
    const cudaArray* const array = find_array(handle);
    if (array == nullptr) {
      refuse_array();
      return std::nullopt;
    }
    if (element != 1 && array->texel.bytes() != element) return std::nullopt;
    element = array->texel.bytes();
  }
  const cudaExtent bytes{copy.extent.width * element, copy.extent.height, copy.extent.depth};
  const auto side = [&](cudaArray_t handle, cudaPos at, const cudaPitchedPtr& pointer) {
    if (handle == nullptr) return std::optional(region_of(pointer, at));
    at.x *= element;
    const std::optional<Region> region = region_of(*find_array(handle), at, bytes);
    if (!region) refuse_place_in_array();
    return region;
  };
  const std::optional<Region> to = side(copy.dstArray, copy.dstPos, copy.dstPtr);
  const std::optional<Region> from = side(copy.srcArray, copy.srcPos, copy.srcPtr);
  if (!to || !from) return std::nullopt;
  return CopyWork{.to = *to, .from = *from, .box = box_of(bytes), .kind = copy.kind};
}

namespace {

std::optional<CopyWork> of_peers(const cudaMemcpy3DPeerParms& copy) {
  return copy_of(cudaMemcpy3DParms{copy.srcArray, copy.srcPos, copy.srcPtr, copy.dstArray,
                                   copy.dstPos, copy.dstPtr, copy.extent, cudaMemcpyDefault});
}

using AnyStream = std::shared_ptr<KnownStream>;  // nullptr: none, the copy is done at once

cudaError_t copy_box(const cudaMemcpy3DParms* parameters, const AnyStream& stream) {
  const std::optional<CopyWork> work = parameters == nullptr ? std::nullopt : copy_of(*parameters);
  if (!work) return cudaErrorInvalidValue;
  return stream == nullptr ? finish(*work) : start(stream, *work);
}

cudaError_t copy_box(const cudaMemcpy3DPeerParms* parameters, const AnyStream& stream) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  if (!is_device(parameters->srcDevice) || !is_device(parameters->dstDevice))
    return cudaErrorInvalidDevice;
  const std::optional<CopyWork> work = of_peers(*parameters);
  if (!work) return cudaErrorInvalidValue;
  return stream == nullptr ? finish(*work) : start(stream, *work);
}

template <typename Parameters>
cudaError_t copy_now(const Parameters* parameters, const char* name = __builtin_FUNCTION()) {
  return synchronous(
      [&] {
        note_wait();
        return copy_box(parameters, nullptr);
      },
      name);
}

template <typename Parameters>
cudaError_t copy_in(cudaStream_t stream, const Parameters* parameters,
                    const char* name = __builtin_FUNCTION()) {
  return synchronous(
      [&] { return with_stream(stream, [&](const auto& in) { return copy_box(parameters, in); }); },
      name);
}

}  // namespace

}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return cudaMallocPitch(nullptr, nullptr, 0, 0);
  *pointer = {nullptr, 0, extent.width, extent.height};
  size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return remember(cudaErrorMemoryAllocation);
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return synchronous([&] { return finish(fill_of(pointer, value, extent)); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return synchronous([&] {
    return with_stream(stream,
                       [&](const auto& in) { return start(in, fill_of(pointer, value, extent)); });
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) { return copy_now(copy); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
  return copy_in(stream, copy);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* copy) { return copy_now(copy); }

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream) {
  return copy_in(stream, copy);
}

}  // extern "C"

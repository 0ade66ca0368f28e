// The driver's memory: allocations, pointers, copies and fills.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simulator/memory/memory.hpp"
#include "simulator/runtime/api/arrays.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"
#include "simulator/runtime/driver/calls.hpp"
#include "simulator/runtime/driver/contexts.hpp"

namespace simulator::runtime {
namespace {

// Does work now, or in a stream.
template <typename Kind>
cudaError_t do_now(const Kind& work) {
  return synchronous(
      [&] {
        note_wait();
        return finish(work);
      },
      "");
}
template <typename Kind>
cudaError_t do_in(CUstream stream, const Kind& work) {
  return synchronous(
      [&] { return with_stream(stream, [&](const auto& in) { return start(in, work); }); }, "");
}

// --- fills ---

// A fill of rows with elements of a size.
struct Fill {
  CUdeviceptr to;
  uint32_t value;
  uint32_t element;  // bytes
  size_t width, height = 1;
  size_t pitch = 0;  // bytes; 0: there is one row
};

// Runs `then` with the work.
template <typename Then>
CUresult fill(const Fill& asked, Then then, const char* name = __builtin_FUNCTION()) {
  return in_context(
      [&] {
        size_t bytes = 0;
        if (asked.to % asked.element != 0 || asked.pitch % asked.element != 0 ||
            __builtin_mul_overflow(asked.width, size_t{asked.element}, &bytes))
          return cudaErrorInvalidValue;
        return then(FillWork{.to = {pointer_of(asked.to), asked.pitch == 0 ? bytes : asked.pitch},
                             .value = asked.value,
                             .element = asked.element,
                             .box = {.width = bytes, .height = asked.height}});
      },
      name);
}

auto now() {
  return [](const auto& work) { return do_now(work); };
}
auto in(CUstream stream) {
  return [stream](const auto& work) { return do_in(stream, work); };
}

// --- copies of rows ---

CUDA_MEMCPY3D volume_of(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D volume{};
  volume.srcXInBytes = copy.srcXInBytes;
  volume.srcY = copy.srcY;
  volume.srcMemoryType = copy.srcMemoryType;
  volume.srcHost = copy.srcHost;
  volume.srcDevice = copy.srcDevice;
  volume.srcArray = copy.srcArray;
  volume.srcPitch = copy.srcPitch;
  volume.dstXInBytes = copy.dstXInBytes;
  volume.dstY = copy.dstY;
  volume.dstMemoryType = copy.dstMemoryType;
  volume.dstHost = copy.dstHost;
  volume.dstDevice = copy.dstDevice;
  volume.dstArray = copy.dstArray;
  volume.dstPitch = copy.dstPitch;
  volume.WidthInBytes = copy.WidthInBytes;
  volume.Height = copy.Height;
  volume.Depth = 1;
  return volume;
}
CUDA_MEMCPY3D volume_of(const CUDA_MEMCPY3D& copy) { return copy; }

// One side of a copy.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  cudaPos at;  // x in bytes
  size_t pitch, rows;
};

bool is_on_device(CUmemorytype type) {
  return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_ARRAY;
}

cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (is_on_device(to))
    return is_on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return is_on_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

// Returns the region; nothing if the side makes no sense. Rows without a pitch lie one after the other.
std::optional<Region> region_of(const Side& side, const cudaExtent& bytes) {
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    const cudaArray* const array = find_array(reinterpret_cast<cudaArray_t>(side.array));
    if (array == nullptr) {
      refuse_array();
      return std::nullopt;
    }
    const std::optional<Region> region = runtime::region_of(*array, side.at, bytes);
    if (!region) refuse_place_in_array();
    return region;
  }
  const bool is_host = side.type == CU_MEMORYTYPE_HOST;
  if (!is_host && side.type != CU_MEMORYTYPE_DEVICE && side.type != CU_MEMORYTYPE_UNIFIED)
    return std::nullopt;
  const size_t pitch = side.pitch == 0 ? bytes.width : side.pitch;
  const size_t rows = side.rows == 0 ? bytes.height : side.rows;
  if (pitch < bytes.width || rows < bytes.height) return std::nullopt;
  auto* const first =
      static_cast<std::byte*>(is_host ? const_cast<void*>(side.host) : pointer_of(side.device));
  if (first == nullptr) return std::nullopt;
  const size_t slice = pitch * rows;
  return Region{first + side.at.z * slice + side.at.y * pitch + side.at.x, pitch, slice};
}

// Runs `then` with the copy's work.
template <typename Copy, typename Then>
CUresult copy_rows(const Copy* copy, Then then, const char* name = __builtin_FUNCTION()) {
  return in_context(
      [&] {
        if (copy == nullptr) return cudaErrorInvalidValue;
        const CUDA_MEMCPY3D c = volume_of(*copy);
        const cudaExtent bytes{c.WidthInBytes, c.Height, c.Depth};
        const std::optional<Region> to = region_of({c.dstMemoryType,
                                                    c.dstHost,
                                                    c.dstDevice,
                                                    c.dstArray,
                                                    {c.dstXInBytes, c.dstY, c.dstZ},
                                                    c.dstPitch,
                                                    c.dstHeight},
                                                   bytes);
        const std::optional<Region> from = region_of({c.srcMemoryType,
                                                      c.srcHost,
                                                      c.srcDevice,
                                                      c.srcArray,
                                                      {c.srcXInBytes, c.srcY, c.srcZ},
                                                      c.srcPitch,
                                                      c.srcHeight},
                                                     bytes);
        if (!to || !from) return cudaErrorInvalidValue;
        return then(
            CopyWork{.to = *to,
                     .from = *from,
                     .box = {.width = bytes.width, .height = bytes.height, .depth = bytes.depth},
                     .kind = kind_of(c.dstMemoryType, c.srcMemoryType)});
      },
      name);
}

cudaError_t copy_between(CUcontext to, CUcontext from, const auto& copy) {
  if (!is_context(to) || !is_context(from)) return cudaErrorDeviceUninitialized;
  return copy(static_cast<int>(to->device->number), static_cast<int>(from->device->number));
}

// --- pointers ---

template <typename Value>
cudaError_t give(void* into, const Value& value) {
  *static_cast<Value*>(into) = value;
  return cudaSuccess;
}

// Sets *value to an attribute of memory that CUDA knows.
cudaError_t attribute_of(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  if (value == nullptr) return cudaErrorInvalidValue;
  cudaPointerAttributes known{};
  const cudaError_t error = cudaPointerGetAttributes(&known, pointer_of(pointer));
  if (error != cudaSuccess) return error;
  const SimulatedDevice& device = device_at(pointer_of(pointer));
  const Allocation* const allocation = device.memory.find(pointer);
  if (known.type == cudaMemoryTypeUnregistered || allocation == nullptr)
    return cudaErrorInvalidValue;
  const bool is_host = known.type == cudaMemoryTypeHost;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(value,
                  &device == &current_device() ? current_context() : primary_context(device));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(value, is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(value, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return known.hostPointer == nullptr ? cudaErrorInvalidValue : give(value, known.hostPointer);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(value, static_cast<unsigned int>(known.type == cudaMemoryTypeManaged));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(value, known.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give(value, CUdeviceptr{allocation->base});
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give(value, size_t{allocation->bytes});
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return give(value, static_cast<unsigned long long>(allocation->id));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(value, 1u);
    default:
      return cudaErrorNotSupported;
  }
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

// Unlike the runtime, the driver allocates no memory of 0 bytes.
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  return in_context(
      [&] { return bytes == 0 ? cudaErrorInvalidValue : cudaMalloc(pointer_in(pointer), bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes) {
  return in_context([&] {
    const bool is_element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!is_element || width == 0 || height == 0) return cudaErrorInvalidValue;
    return cudaMallocPitch(pointer_in(pointer), pitch, width, height);
  });
}
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned int flags) {
  return in_context([&] {
    return bytes == 0 ? cudaErrorInvalidValue
                      : cudaMallocManaged(pointer_in(pointer), bytes, flags);
  });
}
CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return in_context([&] {
    return bytes == 0 ? cudaErrorInvalidValue : cudaMallocAsync(pointer_in(pointer), bytes, stream);
  });
}
CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return in_context([&] { return cudaMallocHost(pointer, bytes); });
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return in_context([&] { return cudaHostAlloc(pointer, bytes, flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* pointer, void* host, unsigned int flags) {
  return in_context([&] { return cudaHostGetDevicePointer(pointer_in(pointer), host, flags); });
}
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return in_context([&] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
  return in_context([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemFree(CUdeviceptr pointer) {
  return in_context([&] { return cudaFree(pointer_of(pointer)); });
}
CUresult cuMemFreeHost(void* pointer) {
  return in_context([&] { return cudaFreeHost(pointer); });
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return in_context([&] { return cudaFreeAsync(pointer_of(pointer), stream); });
}
CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  return in_context([&] {
    const Allocation* const found = device_at(pointer_of(pointer)).memory.find(pointer);
    if (found == nullptr) return cudaErrorSymbolNotFound;
    if (base != nullptr) *base = found->base;
    if (bytes != nullptr) *bytes = found->bytes;
    return cudaSuccess;
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
  return in_context(
      [&] { return cudaMemPrefetchAsync(pointer_of(pointer), bytes, device, stream); });
}
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
  return in_context([&] {
    return cudaMemAdvise(pointer_of(pointer), bytes, static_cast<cudaMemoryAdvise>(advice), device);
  });
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return in_context([&] { return attribute_of(value, attribute, pointer); });
}

// An attribute that the pointer does not have is set to 0: the caller learns from it that the memory is not CUDA's.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  return in_context([&] {
    if (count == 0 || attributes == nullptr || values == nullptr) return cudaErrorInvalidValue;
    for (unsigned int i = 0; i < count; ++i) {
      const cudaError_t error = attribute_of(values[i], attributes[i], pointer);
      if (values[i] == nullptr || error == cudaErrorNotSupported) return error;
      if (error == cudaSuccess) continue;
      switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_MAPPED:
          give(values[i], 0u);
          break;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
          give(values[i], CU_DEVICE_INVALID);
          break;
        default:
          give(values[i], uint64_t{0});
          break;
      }
    }
    return cudaSuccess;
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context(
      [&] { return cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context([&] {
    return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
  });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return in_context(
      [&] { return cudaMemcpy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return in_context(
      [&] { return cudaMemcpy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return in_context([&] {
    return cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
  });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return in_context([&] {
    return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                           stream);
  });
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  return in_context([&] {
    return copy_between(to_context, from_context, [&](int to_device, int from_device) {
      return cudaMemcpyPeer(pointer_of(to), to_device, pointer_of(from), from_device, bytes);
    });
  });
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  return in_context([&] {
    return copy_between(to_context, from_context, [&](int to_device, int from_device) {
      return cudaMemcpyPeerAsync(pointer_of(to), to_device, pointer_of(from), from_device, bytes,
                                 stream);
    });
  });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) { return copy_rows(copy, now()); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) { return copy_rows(copy, now()); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy_rows(copy, in(stream));
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) { return copy_rows(copy, now()); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy_rows(copy, in(stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill({.to = to, .value = value, .element = 1, .width = count}, now());
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill({.to = to, .value = value, .element = 2, .width = count}, now());
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  return fill({.to = to, .value = value, .element = 4, .width = count}, now());
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill({.to = to, .value = value, .element = 1, .width = count}, in(stream));
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill({.to = to, .value = value, .element = 2, .width = count}, in(stream));
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return fill({.to = to, .value = value, .element = 4, .width = count}, in(stream));
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return fill(
      {.to = to, .value = value, .element = 1, .width = width, .height = height, .pitch = pitch},
      now());
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return fill(
      {.to = to, .value = value, .element = 2, .width = width, .height = height, .pitch = pitch},
      now());
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                       size_t height) {
  return fill(
      {.to = to, .value = value, .element = 4, .width = width, .height = height, .pitch = pitch},
      now());
}

}  // extern "C"

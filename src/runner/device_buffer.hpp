// Device memory that is freed exactly once, and the check of a CUDA call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <source_location>
#include <utility>

namespace runner {

/// Throws Error(ExitCode::failure) that names the CUDA error and the place of the call, if there was one.
void check(cudaError_t error, const std::source_location& where = std::source_location::current());

/// An array of `size` elements of T in device memory, contents undefined. Move-only. An empty one holds
/// a null pointer. Throws Error(ExitCode::failure) that names the size if the device has not so much left.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(int64_t size);
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  T* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  int64_t size_ = 0;
};

/// Device memory of `bytes` bytes, or the Error that DeviceBuffer speaks of.
void* allocate_device_bytes(int64_t bytes);

template <typename T>
DeviceBuffer<T>::DeviceBuffer(int64_t size)
    : data_(static_cast<T*>(allocate_device_bytes(size * static_cast<int64_t>(sizeof(T))))),
      size_(size) {}

}  // namespace runner

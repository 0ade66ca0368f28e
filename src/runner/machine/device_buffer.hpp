// Device memory that is freed exactly once, and the check of a CUDA call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

#include "app/error.hpp"

namespace runner {

/// Returns "an illegal memory access was encountered (cudaErrorIllegalAddress)".
std::string describe(cudaError_t error);

/// A failed CUDA call of the project. Its text names the error and the call's place in our source. in_words() leaves
/// the place out, because an earlier kernel may have caused the error.
class CudaFailure : public Error {
 public:
  CudaFailure(cudaError_t error, const std::source_location& where);
  std::string in_words() const { return describe(error_); }

 private:
  cudaError_t error_;
};

/// Throws CudaFailure if there was an error.
void check(cudaError_t error, const std::source_location& where = std::source_location::current());

/// An array of `size` elements of T in device memory, contents undefined. Move-only. An empty array holds a null
/// pointer. Throws Error(ExitCode::failure) that names the size if the device has too little memory left.
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

/// Returns device memory of `bytes` bytes. Throws the Error of DeviceBuffer.
void* allocate_device_bytes(int64_t bytes);

template <typename T>
DeviceBuffer<T>::DeviceBuffer(int64_t size)
    : data_(static_cast<T*>(allocate_device_bytes(size * static_cast<int64_t>(sizeof(T))))),
      size_(size) {}

}  // namespace runner

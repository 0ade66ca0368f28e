// Errors of CUDA as exceptions, and what must be given back.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace distributed {

/// Throws std::runtime_error with CUDA's name and text for an error.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error) + " (" +
                           cudaGetErrorName(error) + ")");
}

/// Numbers in device memory. They are not initialised.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(int64_t count) {
    if (count > 0) check(cudaMalloc(&data_, static_cast<size_t>(count) * sizeof(T)));
  }
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};
using DeviceFloats = DeviceArray<float>;

/// A stream that does not wait for the default one.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream)); }
  /// Makes a stream wait for this point. Without a record it does not wait.
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0)); }
  /// The time since an earlier point. Waits until both have passed.
  double seconds_since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventSynchronize(event_));
    check(cudaEventElapsedTime(&ms, earlier.event_, event_));
    return ms / 1e3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace distributed

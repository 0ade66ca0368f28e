// Errors of CUDA as exceptions, and what must be given back.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "distributed/fault/fault.hpp"

namespace distributed {

/// An error of CUDA, with its name and text.
class CudaError : public std::runtime_error {
 public:
  explicit CudaError(cudaError_t code)
      : std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code) + " (" +
                           cudaGetErrorName(code) + ")"),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw CudaError(error);
}

/// Returns the free memory of the current device, in bytes.
inline int64_t free_bytes() {
  size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  return static_cast<int64_t>(free);
}

inline double gib(int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

/// Numbers in device memory. They are not initialised.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(int64_t count) {
    if (is_faulty(Faulty::memory)) check(cudaErrorMemoryAllocation);
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

/// Floats in pinned host memory, which the device reads and writes too.
class HostFloats {
 public:
  explicit HostFloats(int64_t count) {
    if (count > 0) check(cudaMallocHost(&data_, static_cast<size_t>(count) * sizeof(float)));
  }
  ~HostFloats() { static_cast<void>(cudaFreeHost(data_)); }
  HostFloats(const HostFloats&) = delete;
  HostFloats& operator=(const HostFloats&) = delete;
  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

/// A stream that does not wait for the default one.
class Stream {
 public:
  enum class Priority { usual, first };  // first: its blocks start before those of other streams

  explicit Stream(Priority priority = Priority::usual) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       priority == Priority::first ? greatest : least));
  }
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
  void wait() const { check(cudaEventSynchronize(event_)); }
  /// True if the point has passed, or was never recorded.
  bool has_passed() const {
    const cudaError_t state = cudaEventQuery(event_);
    if (state != cudaErrorNotReady) check(state);
    return state == cudaSuccess;
  }
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

// Scratch memory for the kernels of one launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/grid.hpp"
#include "kernels/tuned/workspace_scope.hpp"

namespace ladder {

/// Device memory for kernels that are launched on a stream between this object's construction and its destruction. It comes from the
/// thread's WorkspaceScope, if there is one. Otherwise it comes from the device's memory pool: neither construction nor destruction waits
/// for the device, launches on other streams get memory of their own, and a graph can capture both.
class StreamWorkspace {
 public:
  StreamWorkspace(int64_t floats, cudaStream_t stream)
      : bytes_(floats * int64_t{sizeof(float)}),
        stream_(stream),
        scope_(WorkspaceScope::current()) {
    if (scope_ != nullptr) {
      data_ = static_cast<float*>(scope_->take(bytes_));
      error_ = data_ == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
      return;
    }
    error_ = keep_pool(stream);
    if (error_ != cudaSuccess) return;
    error_ =
        cudaMallocAsync(reinterpret_cast<void**>(&data_), static_cast<size_t>(bytes_), stream_);
  }
  ~StreamWorkspace() {
    if (data_ == nullptr) return;
    if (scope_ != nullptr) {
      scope_->give_back(bytes_);
    } else {
      static_cast<void>(cudaFreeAsync(data_, stream_));
    }
  }
  StreamWorkspace(const StreamWorkspace&) = delete;
  StreamWorkspace& operator=(const StreamWorkspace&) = delete;

  /// Returns cudaSuccess, or the error of the allocation.
  cudaError_t error() const { return error_; }
  float* data() const { return data_; }

 private:
  // Lets the pool keep as much memory as a launch may need. By default it returns its memory to the system whenever the
  // host waits for the device, and the next allocation then takes longer than a small product. (A graph that is being
  // captured has memory of its own; the pool must not be changed then.)
  static cudaError_t keep_pool(cudaStream_t stream) {
    cudaStreamCaptureStatus capture{};
    cudaError_t error = cudaStreamIsCapturing(stream, &capture);
    if (error != cudaSuccess || capture != cudaStreamCaptureStatusNone) return error;

    int device = 0;
    cudaMemPool_t pool{};
    error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    error = cudaDeviceGetDefaultMemPool(&pool, device);
    if (error != cudaSuccess) return error;
    uint64_t kept = 0;
    error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    if (error != cudaSuccess || kept >= KEPT_BYTES) return error;
    kept = KEPT_BYTES;
    return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
  }

  static constexpr uint64_t KEPT_BYTES = uint64_t{256} << 20;

  int64_t bytes_;
  cudaStream_t stream_;
  WorkspaceScope* scope_;
  float* data_ = nullptr;
  cudaError_t error_ = cudaSuccess;
};

/// Places arrays in a workspace one after the other, each on a 256-byte boundary. Without `base` it only counts the floats that
/// they take.
class WorkspaceLayout {
 public:
  explicit WorkspaceLayout(float* base) : base_(base) {}
  template <typename T>
  T* place(int64_t count) {
    T* here = reinterpret_cast<T*>(base_ == nullptr ? nullptr : base_ + floats_);
    floats_ += device::ceil_div(count * static_cast<int64_t>(sizeof(T)), 256) * 64;
    return here;
  }
  int64_t floats() const { return floats_; }

 private:
  float* base_;
  int64_t floats_ = 0;
};

}  // namespace ladder

// What one product after another uses on a process's GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "distributed/gpu/cuda.hpp"

namespace distributed {

/// Two streams, and memory that grows when a product needs more. For one product at a time.
class Workspace {
 public:
  /// Returns memory for this many floats, aligned to 256 bytes. It is another product's, or new and full of NaNs: an element that is used
  /// without having been written makes C's a NaN. The streams must have been waited for.
  float* floats(int64_t count) {
    if (count > count_) {
      data_.reset();  // first, so that both need not fit
      count_ = 0;
      data_ = std::make_unique<DeviceFloats>(count);
      check(cudaMemset(data_->data(), 0xff, static_cast<size_t>(count) * sizeof(float)));
      check(cudaDeviceSynchronize());
      count_ = count;
    }
    return data_ == nullptr ? nullptr : data_->data();
  }
  int64_t bytes() const { return count_ * static_cast<int64_t>(sizeof(float)); }

  cudaStream_t products() const { return products_; }
  cudaStream_t messages() const { return messages_; }

 private:
  const Stream products_, messages_{Stream::Priority::first};
  std::unique_ptr<DeviceFloats> data_;
  int64_t count_ = 0;
};

/// Deals out a piece of memory. Without a memory it counts what is needed.
class Pieces {
 public:
  explicit Pieces(float* memory) : begin_(memory) {}
  /// Returns the next piece, aligned to 256 bytes, or null if it is empty or there is no memory.
  float* next(int64_t floats) {
    constexpr int64_t STEP = 64;
    float* const piece = begin_ == nullptr || floats == 0 ? nullptr : begin_ + used_;
    used_ += (floats + STEP - 1) / STEP * STEP;
    return piece;
  }
  int64_t used() const { return used_; }

 private:
  float* const begin_;
  int64_t used_ = 0;
};

}  // namespace distributed

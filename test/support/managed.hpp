// Managed memory for the tests of kernels.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace simulator::test {

/// Zeroed managed memory, freed with the object.
template <typename T>
class Managed {
 public:
  explicit Managed(size_t count) {
    EXPECT_EQ(cudaMallocManaged(&data_, count * sizeof(T)), cudaSuccess);
    cudaMemset(data_, 0, count * sizeof(T));
  }
  ~Managed() { cudaFree(data_); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
};

}  // namespace simulator::test

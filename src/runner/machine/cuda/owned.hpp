// Handles of the CUDA runtime, or of cuBLAS, that are destroyed exactly once.
#pragma once

#include <cuda_runtime.h>

namespace runner {

/// A handle that is destroyed with its owner.
template <typename Handle, auto DESTROY>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != nullptr) DESTROY(handle_);
  }
  Handle get() const { return handle_; }
  /// Returns the address to which a runtime function writes a new handle.
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

}  // namespace runner

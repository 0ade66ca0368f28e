// Computes a request with a rung of the ladder.
#pragma once

#include <cuda_runtime.h>

#include "kernels/best/choice.hpp"
#include "kernels/ladder.hpp"
#include "preload/choose/decision.hpp"
#include "preload/choose/request.hpp"

namespace preload {

/// Returns the request's product as the ladder computes it, row by row, with the result in D. alpha and beta are 1 and 0. Of a batch of
/// pointers, the factors are the gathered ones, with pointers that only have their alignment.
ladder::Call call_of(const Request& r);

/// Returns what the request takes beside its product.
Beside beside_of(const Request& r);

/// Forgets a CUDA error that this library's own calls left pending, if the program had none before. One from before stays pending.
class PendingError {
 public:
  PendingError() : before_(cudaPeekAtLastError()) {}
  ~PendingError() {
    if (before_ == cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;

 private:
  const cudaError_t before_;
};

enum class Launch {
  done,
  refused,  // nothing was changed that cuBLAS may not compute again
  broken    // D holds a part of the result
};

/// Launches the request on its stream. It needs is_well_formed(r) and a current device that the rung suffices for. Intermediate results
/// lie in the request's workspace if they fit, else in memory from the device's pool.
Launch launch(const Request& r, const ladder::Rung& rung);

}  // namespace preload

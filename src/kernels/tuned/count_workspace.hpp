// The size of a call's workspaces.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/ladder.hpp"
#include "kernels/tuned/workspace_scope.hpp"

namespace ladder {

/// Counts the bytes of workspace that a call takes on the current device. Launches nothing, and uses none of the call's matrices; only their
/// alignment matters. Returns the error of a call that cannot be launched.
inline cudaError_t count_workspace(const Rung& rung, const Call& call, int64_t* bytes) {
  const WorkspaceScope counted = WorkspaceScope::counting();
  const cudaError_t error = launch(rung, call, nullptr);
  *bytes = counted.most_bytes();
  return error;
}

}  // namespace ladder

// The workspaces that programs have given to their cuBLAS handles.
#pragma once

#include <cstddef>

#include "preload/cublas/abi.hpp"

namespace preload {

struct Workspace {
  void* memory = nullptr;
  size_t bytes = 0;
};

/// Remembers a handle's workspace in place of an earlier one.
void remember_workspace(cublas::Handle handle, const Workspace& workspace);

/// Forgets a handle's workspace: the handle is gone, or cuBLAS uses its own again.
void forget_workspace(cublas::Handle handle);

/// Returns a handle's workspace, or an empty one.
Workspace workspace_of(cublas::Handle handle);

}  // namespace preload

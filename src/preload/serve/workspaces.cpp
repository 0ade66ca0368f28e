#include "preload/serve/workspaces.hpp"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace preload {
namespace {

struct Workspaces {
  std::shared_mutex mutex;
  std::unordered_map<cublas::Handle, Workspace> of_handle;
};

// Never destroyed: calls may come while the process ends.
Workspaces& workspaces() {
  static auto* const all = new Workspaces;
  return *all;
}

}  // namespace

void remember_workspace(cublas::Handle handle, const Workspace& workspace) {
  Workspaces& all = workspaces();
  const std::unique_lock lock(all.mutex);
  all.of_handle[handle] = workspace;
}

void forget_workspace(cublas::Handle handle) {
  Workspaces& all = workspaces();
  const std::unique_lock lock(all.mutex);
  all.of_handle.erase(handle);
}

Workspace workspace_of(cublas::Handle handle) {
  Workspaces& all = workspaces();
  const std::shared_lock lock(all.mutex);
  const auto found = all.of_handle.find(handle);
  return found == all.of_handle.end() ? Workspace{} : found->second;
}

}  // namespace preload

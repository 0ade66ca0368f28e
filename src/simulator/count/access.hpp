// The paths of a warp's access through the memory system.
#pragma once

#include <string_view>

namespace simulator {

/// Lanes of a warp.
constexpr int WARP = 32;

enum class Access {
  global_load,
  global_store,
  global_atomic,
  async_copy,         // cp.async's read of global memory; Nsight Compute has rows of its own for it
  async_copy_shared,  // cp.async's write to shared memory, past the registers
  bulk_load,          // cp.async.bulk from global to shared memory: one request of one thread
  bulk_store,         // cp.async.bulk from shared to global memory, likewise
  shared_load,
  shared_store,
  shared_atomic,
  matrix_load,  // ldmatrix: 8 x 8 matrices from shared memory
  local_load,   // .local: a register array that did not fit, or a spill
  local_store,
  constant_load,
  texture_load,  // a fetch from a texture, by an array or by memory
};

/// Returns the path's name in reports: "global load".
std::string_view access_name(Access access);

/// True if the path is priced in wavefronts over the banks; all others are priced in sectors.
constexpr bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic || access == Access::async_copy_shared ||
         access == Access::matrix_load;
}

constexpr bool is_local(Access access) {
  return access == Access::local_load || access == Access::local_store;
}

constexpr bool is_global(Access access) {
  return access == Access::global_load || access == Access::global_store ||
         access == Access::global_atomic || access == Access::async_copy ||
         access == Access::bulk_load || access == Access::bulk_store ||
         access == Access::texture_load;
}

}  // namespace simulator

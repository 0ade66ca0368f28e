// Asynchronous copies from global to shared memory by the threads of a group: cp.async of 16, 8 or 4 bytes.
#pragma once
#pragma GCC system_header

#include "../cuda_pipeline_primitives.h"
#include "scopes.h"

namespace cuda {

/// A number of bytes that is a multiple of `Alignment`, as the addresses of its copy are.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

/// How a copy was made.
enum async_contract_fulfillment { none, async };

/// The alignment that a type of sizes promises.
template <typename Size>
struct __alignment_of {
  static constexpr size_t value = 1;
};
template <size_t Alignment>
struct __alignment_of<aligned_size_t<Alignment>> {
  static constexpr size_t value = Alignment;
};

/// The calling thread alone, as a group.
struct __one_thread {
  static __simulator_class_member void sync() {}
  static constexpr __simulator_class_member unsigned int size() { return 1; }
  static constexpr __simulator_class_member unsigned int thread_rank() { return 0; }
};

/// Copies bytes as pieces of `Width` bytes, which the threads of the group take in turns. Rests are copied by plain stores.
template <size_t Width, typename Group>
__simulator_class_member void __copy_pieces(const Group& group, char* to, const char* from, size_t bytes) {
  const size_t threads = group.size();
  for (size_t at = group.thread_rank() * Width; at + Width <= bytes; at += threads * Width)
    __pipeline_memcpy_async(to + at, from + at, Width);
  for (size_t at = bytes / Width * Width + group.thread_rank(); at < bytes; at += threads) to[at] = from[at];
}

/// Copies by cp.async if the addresses allow it, and by plain loads and stores else. `Known`: the alignment of both addresses
/// and of the size, as the program's types tell it.
template <size_t Known, typename Group>
__simulator_class_member async_contract_fulfillment __copy_async(const Group& group, char* to, const char* from,
                                                                 size_t bytes) {
  if (__isShared(to) && __isGlobal(from)) {
    const size_t places = Known >= 16 ? 0 : reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from);
    if (Known >= 16 || places % 16 == 0) {
      __copy_pieces<16>(group, to, from, bytes);
      return async;
    }
    if (Known >= 8 || places % 8 == 0) {
      __copy_pieces<8>(group, to, from, bytes);
      return async;
    }
    if (Known >= 4 || places % 4 == 0) {
      __copy_pieces<4>(group, to, from, bytes);
      return async;
    }
  }
  for (size_t at = group.thread_rank(); at < bytes; at += group.size()) to[at] = from[at];
  return none;
}

/// The same for the elements of a type, or for bytes.
template <typename Size, typename Group, typename T>
__simulator_class_member async_contract_fulfillment __copy_elements_async(const Group& group, T* to,
                                                                          const T* from, size_t bytes) {
  constexpr size_t by_size = __alignment_of<Size>::value;
  return __copy_async<(by_size > alignof(T) ? by_size : alignof(T))>(
      group, reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
}
template <typename Size, typename Group>
__simulator_class_member async_contract_fulfillment __copy_elements_async(const Group& group, void* to,
                                                                          const void* from, size_t bytes) {
  return __copy_async<__alignment_of<Size>::value>(group, static_cast<char*>(to),
                                                   static_cast<const char*>(from), bytes);
}

}  // namespace cuda

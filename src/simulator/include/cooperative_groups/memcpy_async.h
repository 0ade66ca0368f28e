// cooperative_groups::memcpy_async: the threads of a group copy together from global to shared memory, by cp.async. Each call
// is a group of copies of its own; wait and wait_prior wait for them and let the group meet.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "../cooperative_groups.h"
#include "../cuda/async_copy.h"

namespace cooperative_groups {

/// Copies `bytes`, a size_t or a cuda::aligned_size_t.
template <typename Group, typename T, typename Size>
__simulator_device void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  cuda::__copy_elements_async<Size>(group, to, from, static_cast<size_t>(bytes));
  __pipeline_commit();
}
template <typename Group, typename Size>
__simulator_device void memcpy_async(const Group& group, void* to, const void* from, const Size& bytes) {
  cuda::__copy_elements_async<Size>(group, to, from, static_cast<size_t>(bytes));
  __pipeline_commit();
}
/// Copies the elements that both places have.
template <typename Group, typename T, typename Count, typename FromCount>
__simulator_device void memcpy_async(const Group& group, T* to, const Count& count, const T* from,
                                     const FromCount& from_count) {
  const size_t least = count < from_count ? count : from_count;
  cuda::__copy_elements_async<size_t>(group, to, from, least * sizeof(T));
  __pipeline_commit();
}

/// Waits until all copies of this thread but those of the last `Stages` calls have arrived, and for the group.
template <unsigned int Stages, typename Group>
__simulator_device void wait_prior(const Group& group) {
  __pipeline_wait_prior(Stages);
  group.sync();
}
template <typename Group>
__simulator_device void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

#endif

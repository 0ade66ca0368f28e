// Cooperative groups: the block, its tiles of up to a warp, and the threads that happen to be together.
//
// Covered: this_thread_block, tiled_partition<N> (N a power of two up to 32), coalesced_threads, with their
// ranks, sizes, sync, shuffles and votes; reduce lies in cooperative_groups/reduce.h. Not covered: grids and
// clusters, tiles larger than a warp, labelled partitions, memcpy_async.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "cuda_runtime.h"

namespace cooperative_groups {

#define __simulator_member inline __attribute__((always_inline, nodebug)) __device__

/// All threads of the block.
class thread_block {
 public:
  static __simulator_member void sync() { __syncthreads(); }
  static __simulator_member unsigned int thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static __simulator_member unsigned int num_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  static __simulator_member unsigned int size() { return num_threads(); }
  static __simulator_member dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __simulator_member dim3 thread_index() {
    return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
  }
  static __simulator_member dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __simulator_member dim3 group_dim() { return dim_threads(); }
};

__simulator_device thread_block this_thread_block() { return thread_block(); }

/// `Size` neighbouring lanes of a warp.
template <unsigned int Size, typename Parent = thread_block>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads here");

 public:
  __simulator_member void sync() const { __syncwarp(mask()); }
  static __simulator_member unsigned int thread_rank() {
    return thread_block::thread_rank() % Size;
  }
  static constexpr __simulator_member unsigned int num_threads() { return Size; }
  static constexpr __simulator_member unsigned int size() { return Size; }
  static __simulator_member unsigned int meta_group_rank() {
    return thread_block::thread_rank() / Size;
  }
  static __simulator_member unsigned int meta_group_size() {
    return (thread_block::num_threads() + Size - 1) / Size;
  }
  template <typename T>
  __simulator_member T shfl(T value, int rank) const {
    return __shfl_sync(mask(), value, rank, Size);
  }
  template <typename T>
  __simulator_member T shfl_up(T value, unsigned int by) const {
    return __shfl_up_sync(mask(), value, by, Size);
  }
  template <typename T>
  __simulator_member T shfl_down(T value, unsigned int by) const {
    return __shfl_down_sync(mask(), value, by, Size);
  }
  template <typename T>
  __simulator_member T shfl_xor(T value, int bits) const {
    return __shfl_xor_sync(mask(), value, bits, Size);
  }
  __simulator_member int any(int predicate) const { return __any_sync(mask(), predicate); }
  __simulator_member int all(int predicate) const { return __all_sync(mask(), predicate); }
  __simulator_member unsigned int ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> first_lane();
  }

 private:
  static __simulator_member unsigned int first_lane() {
    return thread_block::thread_rank() % 32 / Size * Size;
  }
  static __simulator_member unsigned int mask() {
    return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << first_lane();
  }
};

template <unsigned int Size>
__simulator_device thread_block_tile<Size> tiled_partition(const thread_block&) {
  return thread_block_tile<Size>();
}
template <unsigned int Size, unsigned int ParentSize, typename Parent>
__simulator_device thread_block_tile<Size> tiled_partition(
    const thread_block_tile<ParentSize, Parent>&) {
  static_assert(Size <= ParentSize, "a tile is a part of its parent");
  return thread_block_tile<Size>();
}

/// The lanes of a warp that were active together when it was made.
class coalesced_group {
 public:
  explicit __simulator_member coalesced_group(unsigned int mask) : mask_(mask) {}
  __simulator_member void sync() const { __syncwarp(mask_); }
  __simulator_member unsigned int num_threads() const {
    return static_cast<unsigned int>(__popc(mask_));
  }
  __simulator_member unsigned int size() const { return num_threads(); }
  __simulator_member unsigned int thread_rank() const {
    return static_cast<unsigned int>(
        __popc(mask_ & ((1u << thread_block::thread_rank() % 32) - 1)));
  }
  template <typename T>
  __simulator_member T shfl(T value, int rank) const {
    unsigned int rest = mask_;  // the rank-th lane is the lowest once `rank` lower ones are gone
    for (int i = 0; i < rank; ++i) rest &= rest - 1;
    return __shfl_sync(mask_, value, __ffs(static_cast<int>(rest)) - 1);
  }
  __simulator_member int any(int predicate) const { return __any_sync(mask_, predicate); }
  __simulator_member int all(int predicate) const { return __all_sync(mask_, predicate); }

 private:
  unsigned int mask_;
};

__simulator_device coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <typename Group>
__simulator_device void sync(const Group& group) {
  group.sync();
}
template <typename Group>
__simulator_device unsigned int thread_rank(const Group& group) {
  return group.thread_rank();
}

#undef __simulator_member

}  // namespace cooperative_groups

#endif

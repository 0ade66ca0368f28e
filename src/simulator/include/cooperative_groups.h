// Cooperative groups: the block, its tiles of up to a warp, and the threads that are active together.
//
// Covered: this_thread_block, tiled_partition<N> with a power of two up to 1024 and tiled_partition(group, n) up to 32,
// coalesced_threads, binary_partition and labeled_partition, with their ranks, sizes, sync, shuffles, votes and
// matches; thread_group, to which each of them converts; invoke_one; this_cluster; this_grid, whose sync needs a
// cooperative launch. reduce, the scans and memcpy_async are in cooperative_groups/. Not covered: labeled_partition of
// tiles larger than a warp, scans over them.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "cuda_runtime.h"

namespace cooperative_groups {

#define __simulator_member inline __attribute__((always_inline, nodebug)) __device__

/// Any group: all threads of the block, or the lanes of a mask.
class thread_group {
 public:
  explicit __simulator_member thread_group(unsigned int mask) : mask_(mask) {}
  __simulator_member void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  __simulator_member unsigned long long num_threads() const {
    return mask_ == 0 ? blockDim.x * blockDim.y * blockDim.z
                      : static_cast<unsigned int>(__popc(mask_));
  }
  __simulator_member unsigned long long size() const { return num_threads(); }
  __simulator_member unsigned long long thread_rank() const {
    const unsigned int in_block =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return mask_ == 0 ? in_block
                      : static_cast<unsigned int>(__popc(mask_ & ((1u << in_block % 32) - 1)));
  }
  /// The lanes; 0 for the whole block.
  __simulator_member unsigned int __lanes() const { return mask_; }

 private:
  unsigned int mask_;
};

/// All threads of the block.
class thread_block {
 public:
  using arrival_token = struct {};
  static __simulator_member void sync() { __syncthreads(); }
  /// The wait is the whole barrier here: an access between the two counts as one before it.
  static __simulator_member arrival_token barrier_arrive() { return arrival_token(); }
  static __simulator_member void barrier_wait(arrival_token&&) { __syncthreads(); }
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
  __simulator_member operator thread_group() const { return thread_group(0); }
};

__simulator_device thread_block this_thread_block() { return thread_block(); }

/// Memory for tiles larger than a warp, of at most `Threads` threads in the block. The simulated device needs none.
template <unsigned int Threads = 1024>
struct block_tile_memory {
  static_assert(Threads >= 1 && Threads <= 1024, "a block has up to 1024 threads");
  char __unused[Threads <= 32 ? 1 : Threads / 32 * 16];
};
template <unsigned int Threads>
__simulator_device thread_block this_thread_block(block_tile_memory<Threads>&) {
  return thread_block();
}

/// All threads of the cluster.
class cluster_group {
 public:
  using arrival_token = struct {};
  static __simulator_member void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  static __simulator_member arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return arrival_token();
  }
  static __simulator_member void barrier_wait() { __cluster_barrier_wait(); }
  static __simulator_member void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  static __simulator_member unsigned int query_shared_rank(const void* pointer) {
    return __cluster_query_shared_rank(pointer);
  }
  /// Returns the address of the same variable in the block with this rank.
  template <typename T>
  static __simulator_member T* map_shared_rank(T* pointer, int rank) {
    return static_cast<T*>(
        __cluster_map_shared_rank((const void*)pointer, static_cast<unsigned int>(rank)));
  }
  static __simulator_member dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static __simulator_member unsigned int block_rank() { return __clusterRelativeBlockRank(); }
  static __simulator_member dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  static __simulator_member unsigned int thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static __simulator_member dim3 dim_blocks() { return __clusterDim(); }
  static __simulator_member unsigned int num_blocks() { return __clusterSizeInBlocks(); }
  static __simulator_member dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static __simulator_member unsigned int num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static __simulator_member unsigned int size() { return num_threads(); }
};

__simulator_device cluster_group this_cluster() { return cluster_group(); }

/// All threads of the grid. Only a cooperative launch can synchronise them; any other ends with an error. As on a
/// device, one thread of each block waits for the other blocks, between two barriers of its block.
class grid_group {
 public:
  using arrival_token = unsigned int;
  static __simulator_member bool is_valid() { return __simulator_grid_is_valid() != 0; }
  static __simulator_member void sync() { barrier_wait(barrier_arrive()); }
  static __simulator_member arrival_token barrier_arrive() {
    __syncthreads();
    return thread_block::thread_rank() == 0 ? __simulator_grid_arrive() : 0;
  }
  static __simulator_member void barrier_wait(arrival_token&& token) {
    if (thread_block::thread_rank() == 0) __simulator_grid_wait(token);
    __syncthreads();
  }
  static __simulator_member dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static __simulator_member dim3 group_dim() { return dim_blocks(); }
  static __simulator_member dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
  static __simulator_member dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
  static __simulator_member dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __simulator_member dim3 dim_clusters() { return __clusterGridDimInClusters(); }
  static __simulator_member dim3 cluster_index() { return __clusterIdx(); }
  static __simulator_member unsigned long long num_clusters() {
    const dim3 clusters = dim_clusters();
    return static_cast<unsigned long long>(clusters.x) * clusters.y * clusters.z;
  }
  static __simulator_member unsigned long long cluster_rank() {
    const dim3 all = dim_clusters();
    const dim3 own = cluster_index();
    return own.x +
           static_cast<unsigned long long>(all.x) * (own.y + static_cast<unsigned long long>(all.y) * own.z);
  }
  static __simulator_member unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static __simulator_member unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static __simulator_member unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static __simulator_member unsigned long long size() { return num_threads(); }
  static __simulator_member unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
};

__simulator_device grid_group this_grid() { return grid_group(); }

/// Shuffles a value of any copyable type, word by word, through `shuffle`.
template <typename T, typename Shuffle>
__simulator_device T __by_words(const T& value, Shuffle shuffle) {
  constexpr unsigned int count = (sizeof(T) + 3) / 4;
  unsigned int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned int i = 0; i < count; ++i) words[i] = shuffle(words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

/// `Size` neighbouring lanes of a warp.
template <unsigned int Size, typename Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of threads, at most 1024");

 public:
  __simulator_member thread_block_tile(unsigned int number, unsigned int count)
      : number_(number), count_(count) {}
  template <typename Other>
  __simulator_member thread_block_tile(const thread_block_tile<Size, Other>& other)
      : number_(other.meta_group_rank()), count_(other.meta_group_size()) {}
  __simulator_member operator thread_group() const { return thread_group(mask()); }

  __simulator_member void sync() const { __syncwarp(mask()); }
  static __simulator_member unsigned int thread_rank() {
    return thread_block::thread_rank() % Size;
  }
  static constexpr __simulator_member unsigned int num_threads() { return Size; }
  static constexpr __simulator_member unsigned int size() { return Size; }
  /// Returns the tile's number in its parent, and the number of tiles.
  __simulator_member unsigned int meta_group_rank() const { return number_; }
  __simulator_member unsigned int meta_group_size() const { return count_; }

  template <typename T>
  __simulator_member T shfl(T value, int rank) const {
    return __by_words(value, [&](unsigned int word) {
      return __shfl_sync(mask(), word, rank, Size);
    });
  }
  template <typename T>
  __simulator_member T shfl_up(T value, unsigned int by) const {
    return __by_words(value, [&](unsigned int word) {
      return __shfl_up_sync(mask(), word, by, Size);
    });
  }
  template <typename T>
  __simulator_member T shfl_down(T value, unsigned int by) const {
    return __by_words(value, [&](unsigned int word) {
      return __shfl_down_sync(mask(), word, by, Size);
    });
  }
  template <typename T>
  __simulator_member T shfl_xor(T value, unsigned int bits) const {
    return __by_words(value, [&](unsigned int word) {
      return __shfl_xor_sync(mask(), word, static_cast<int>(bits), Size);
    });
  }
  __simulator_member int any(int predicate) const { return __any_sync(mask(), predicate); }
  __simulator_member int all(int predicate) const { return __all_sync(mask(), predicate); }
  __simulator_member unsigned int ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> first_lane();
  }
  template <typename T>
  __simulator_member unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> first_lane();
  }
  template <typename T>
  __simulator_member unsigned int match_all(T value, int& same) const {
    return __match_all_sync(mask(), value, &same) >> first_lane();
  }
  static __simulator_member unsigned int __lanes() { return mask(); }

 private:
  static __simulator_member unsigned int first_lane() {
    return thread_block::thread_rank() % 32 / Size * Size;
  }
  static __simulator_member unsigned int mask() {
    return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << first_lane();
  }

  unsigned int number_, count_;
};

/// Neighbouring warps of a block. They meet at a barrier of their own: beyond the 16 of a device, the simulated device
/// has one for each such tile.
template <unsigned int Size>
class __tile_of_warps {
 public:
  __simulator_member __tile_of_warps(unsigned int number, unsigned int count)
      : number_(number), count_(count) {}

  static __simulator_member void sync() {
    const unsigned int first = thread_block::thread_rank() / Size * Size;
    const unsigned int left = (thread_block::num_threads() - first + 31) / 32 * 32;
    const unsigned int barrier = 16 + 1024 / Size - 1 + first / Size;
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(left < Size ? left : Size) : "memory");
  }
  static __simulator_member unsigned int thread_rank() {
    return thread_block::thread_rank() % Size;
  }
  static constexpr __simulator_member unsigned int num_threads() { return Size; }
  static constexpr __simulator_member unsigned int size() { return Size; }
  __simulator_member unsigned int meta_group_rank() const { return number_; }
  __simulator_member unsigned int meta_group_size() const { return count_; }

  __simulator_member int any(int predicate) const {
    return __combined<int>(predicate != 0, [](int a, int b) { return a | b; });
  }
  __simulator_member int all(int predicate) const {
    return __combined<int>(predicate != 0, [](int a, int b) { return a & b; });
  }
  /// Applies `operation` to the values of all threads: within each warp by shuffles, then through shared memory.
  template <typename T, typename Operation>
  static __simulator_member T __combined(T value, Operation operation) {
    __shared__ __attribute__((aligned(16))) char memory[32 * sizeof(T)];
    T* const of_warps = reinterpret_cast<T*>(memory) + thread_block::thread_rank() / Size * (Size / 32);
    for (unsigned int bits = 16; bits > 0; bits /= 2) {
      value = operation(value, __by_words(value, [&](unsigned int word) {
                          return __shfl_xor_sync(0xffffffffu, word, static_cast<int>(bits));
                        }));
    }
    if (thread_rank() % 32 == 0) of_warps[thread_rank() / 32] = value;
    sync();
    value = of_warps[0];
    for (unsigned int i = 1; i < Size / 32; ++i) value = operation(value, of_warps[i]);
    sync();
    return value;
  }

 private:
  unsigned int number_, count_;
};
#define __simulator_tile_of_warps(size)                                                  \
  template <typename Parent>                                                             \
  class thread_block_tile<size, Parent> : public __tile_of_warps<size> {                 \
   public:                                                                               \
    using __tile_of_warps<size>::__tile_of_warps;                                        \
    template <typename Other>                                                            \
    __simulator_member thread_block_tile(const thread_block_tile<size, Other>& other)    \
        : __tile_of_warps<size>(other.meta_group_rank(), other.meta_group_size()) {}     \
  };
__simulator_tile_of_warps(64)
__simulator_tile_of_warps(128)
__simulator_tile_of_warps(256)
__simulator_tile_of_warps(512)
__simulator_tile_of_warps(1024)
#undef __simulator_tile_of_warps

template <unsigned int Size>
__simulator_device thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {thread_block::thread_rank() / Size, (thread_block::num_threads() + Size - 1) / Size};
}
template <unsigned int Size, unsigned int ParentSize, typename Parent>
__simulator_device thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>&) {
  static_assert(Size <= ParentSize, "a tile is a part of its parent");
  return {thread_block::thread_rank() % ParentSize / Size, ParentSize / Size};
}

/// Some lanes of a warp: the lanes that were active together when it was made, or a part of them.
class coalesced_group {
 public:
  explicit __simulator_member coalesced_group(unsigned int mask, unsigned int number = 0,
                                              unsigned int count = 1)
      : mask_(mask), number_(number), count_(count) {}
  template <unsigned int Size, typename Parent>
  __simulator_member coalesced_group(const thread_block_tile<Size, Parent>& tile)
      : coalesced_group(tile.__lanes(), tile.meta_group_rank(), tile.meta_group_size()) {}
  __simulator_member operator thread_group() const { return thread_group(mask_); }

  __simulator_member void sync() const { __syncwarp(mask_); }
  __simulator_member unsigned int num_threads() const {
    return static_cast<unsigned int>(__popc(mask_));
  }
  __simulator_member unsigned int size() const { return num_threads(); }
  __simulator_member unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(mask_ & ((1u << lane()) - 1)));
  }
  __simulator_member unsigned int meta_group_rank() const { return number_; }
  __simulator_member unsigned int meta_group_size() const { return count_; }

  template <typename T>
  __simulator_member T shfl(T value, int rank) const {
    const int from = lane_of(static_cast<unsigned int>(rank) % num_threads());
    return __by_words(value, [&](unsigned int word) { return __shfl_sync(mask_, word, from); });
  }
  /// Beyond the group's ends a thread keeps its own value.
  template <typename T>
  __simulator_member T shfl_up(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    const int from = lane_of(by <= rank ? rank - by : rank);
    return __by_words(value, [&](unsigned int word) { return __shfl_sync(mask_, word, from); });
  }
  template <typename T>
  __simulator_member T shfl_down(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    const int from = lane_of(by < num_threads() - rank ? rank + by : rank);
    return __by_words(value, [&](unsigned int word) { return __shfl_sync(mask_, word, from); });
  }
  __simulator_member int any(int predicate) const { return __any_sync(mask_, predicate); }
  __simulator_member int all(int predicate) const { return __all_sync(mask_, predicate); }
  __simulator_member unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate));
  }
  template <typename T>
  __simulator_member unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <typename T>
  __simulator_member unsigned int match_all(T value, int& same) const {
    return packed(__match_all_sync(mask_, value, &same));
  }
  __simulator_member unsigned int __lanes() const { return mask_; }

 private:
  static __simulator_member unsigned int lane() { return thread_block::thread_rank() % 32; }
  __simulator_member int lane_of(unsigned int rank) const {
    unsigned int rest = mask_;  // the rank-th lane is the lowest after removing `rank` lower ones
    for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  /// Converts a bit per lane into a bit per rank.
  __simulator_member unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0;
    unsigned int rank = 0;
    for (unsigned int rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      result |= ((lanes & rest & (0u - rest)) != 0 ? 1u : 0u) << rank;
    }
    return result;
  }

  unsigned int mask_, number_, count_;
};

__simulator_device coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// `size` neighbouring threads of a block or of a tile, or of neighbouring ranks in a coalesced group.
__simulator_device coalesced_group tiled_partition(const coalesced_group& parent,
                                                   unsigned int size) {
  const unsigned int number = parent.thread_rank() / size;
  unsigned int mask = 0;
  unsigned int rank = 0;
  for (unsigned int rest = parent.__lanes(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == number) mask |= rest & (0u - rest);
  }
  return coalesced_group(mask, number, (parent.num_threads() + size - 1) / size);
}
__simulator_device thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  const unsigned int lanes = parent.__lanes();
  if (lanes != 0) return tiled_partition(coalesced_group(lanes), size);
  const unsigned int first = thread_block::thread_rank() % 32 / size * size;
  return thread_group((size == 32 ? 0xffffffffu : (1u << size % 32) - 1) << first);
}
__simulator_device thread_group tiled_partition(const thread_block& parent, unsigned int size) {
  return tiled_partition(static_cast<thread_group>(parent), size);
}
template <unsigned int ParentSize, typename Parent>
__simulator_device thread_group tiled_partition(const thread_block_tile<ParentSize, Parent>& parent,
                                                unsigned int size) {
  return tiled_partition(static_cast<thread_group>(parent), size);
}

/// The threads of the group with the same label.
template <typename Label, typename Group>
__simulator_device coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.__lanes(), label));
}
template <typename Group>
__simulator_device coalesced_group binary_partition(const Group& group, bool side) {
  const unsigned int yes = __ballot_sync(group.__lanes(), side);
  return coalesced_group(side ? yes : group.__lanes() & ~yes, side ? 1 : 0, 2);
}

/// Calls the function in one thread of the group: the first one.
template <typename Group, typename Function, typename... Arguments>
__simulator_device void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
/// Likewise, and returns its result in all threads. The group is a part of a warp.
template <typename Group, typename Function, typename... Arguments>
__simulator_device auto invoke_one_broadcast(const Group& group, Function&& function,
                                             Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result;
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

template <typename Group>
__simulator_device void sync(const Group& group) {
  group.sync();
}
template <typename Group>
__simulator_device auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
__simulator_device auto group_size(const Group& group) {
  return group.size();
}

#undef __simulator_member

}  // namespace cooperative_groups

#endif

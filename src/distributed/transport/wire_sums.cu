#include "distributed/transport/wire_sums.hpp"

#include <algorithm>
#include <stdexcept>

namespace distributed {
namespace {

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int64_t MOST_BLOCKS = 1024;

__device__ unsigned half_of(uint64_t sum, int half) {
  return static_cast<unsigned>(sum >> (32 * half));
}

// Keeps the first difference.
__device__ void record_if_unequal(const BitSums& now, const BitSums& before, int64_t number,
                                  ChangeRecord* record) {
  const BitSums off{now.plain - before.plain, now.weighted - before.weighted};
  if ((off.plain == 0 && off.weighted == 0) || atomicExch(&record->is_there, 1) != 0) return;
  record->number = number;
  record->off = off;
}

// What becomes of sums. One thread does it.

// They are written behind the elements, where they have the alignment of floats only.
struct Write {
  float* behind;
  __device__ void operator()(const BitSums& now) const {
    for (int half = 0; half < 2; ++half) {
      behind[half] = __uint_as_float(half_of(now.plain, half));
      behind[2 + half] = __uint_as_float(half_of(now.weighted, half));
    }
  }
};

struct CompareWithMessage {
  const float* behind;
  int64_t number;
  ChangeRecord* record;
  __device__ uint64_t sent(int first) const {
    return __float_as_uint(behind[first]) |
           static_cast<uint64_t>(__float_as_uint(behind[first + 1])) << 32;
  }
  __device__ void operator()(const BitSums& now) const {
    record_if_unequal(now, {sent(0), sent(2)}, number, record);
  }
};

struct Keep {
  BitSums* kept;
  __device__ void operator()(const BitSums& now) const { *kept = now; }
};

struct CompareWithKept {
  const BitSums* kept;
  int64_t number;
  ChangeRecord* record;
  __device__ void operator()(const BitSums& now) const {
    record_if_unequal(now, *kept, number, record);
  }
};

__device__ void add(BitSums& sums, unsigned bits, int64_t place) {
  sums.plain += bits;
  sums.weighted += static_cast<uint64_t>(bits) * static_cast<uint64_t>(place + 1);
}

// Returns a thread's part of the sums. It reads four elements at once, from the first one on that is aligned for that, and those before and
// behind one by one.
__device__ BitSums sums_of_thread(const float* data, int64_t count, int64_t thread,
                                  int64_t threads) {
  constexpr int64_t QUAD = 4;
  const auto unaligned =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % sizeof(uint4) / sizeof(float));
  const int64_t head = min(count, (QUAD - unaligned) % QUAD), quads = (count - head) / QUAD;
  BitSums sums{};
  const auto* const quad = reinterpret_cast<const uint4*>(data + head);
#pragma unroll 4
  for (int64_t i = thread; i < quads; i += threads) {
    const uint4 bits = quad[i];
    const int64_t place = head + i * QUAD;
    add(sums, bits.x, place);
    add(sums, bits.y, place + 1);
    add(sums, bits.z, place + 2);
    add(sums, bits.w, place + 3);
  }
  for (int64_t i = thread; i < count - quads * QUAD; i += threads) {
    const int64_t place = i < head ? i : i + quads * QUAD;
    add(sums, __float_as_uint(data[place]), place);
  }
  return sums;
}

// Returns the sums over a block's threads, in the thread 0.
__device__ BitSums sums_of_block(BitSums sums) {
  __shared__ BitSums of_warp[WARPS];
  for (int distance = 16; distance > 0; distance /= 2) {
    sums.plain += __shfl_xor_sync(0xffffffff, sums.plain, distance);
    sums.weighted += __shfl_xor_sync(0xffffffff, sums.weighted, distance);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sums;
  __syncthreads();
  if (threadIdx.x != 0) return sums;
  for (int warp = 1; warp < WARPS; ++warp) {
    sums.plain += of_warp[warp].plain;
    sums.weighted += of_warp[warp].weighted;
  }
  return sums;
}

// The last block to finish uses the sums, and sets the running ones to zero for the next kernel.
template <typename Use>
__global__ void sum_kernel(const float* data, int64_t count, RunningSums* running, Use use) {
  const int64_t thread = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  const BitSums of_block =
      sums_of_block(sums_of_thread(data, count, thread, int64_t{gridDim.x} * THREADS));
  if (threadIdx.x != 0) return;
  atomicAdd(&running->plain, static_cast<unsigned long long>(of_block.plain));
  atomicAdd(&running->weighted, static_cast<unsigned long long>(of_block.weighted));
  __threadfence();
  if (atomicAdd(&running->blocks, 1U) + 1 < gridDim.x) return;
  use(BitSums{atomicExch(&running->plain, 0ULL), atomicExch(&running->weighted, 0ULL)});
  running->blocks = 0;
}

template <typename Use>
void sum(const float* data, int64_t floats, RunningSums* running, const Use& use,
         cudaStream_t stream) {
  const int64_t blocks = std::clamp<int64_t>(floats / (4 * THREADS), 1, MOST_BLOCKS);
  sum_kernel<<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(data, floats, running, use);
  check(cudaGetLastError());
}

int64_t elements_of(const Message& message) { return message.floats - FLOATS_OF_SUMS; }

}  // namespace

WireSums::WireSums(int64_t pieces, float* memory, cudaStream_t stream)
    : state_(reinterpret_cast<State*>(memory)), kept_(reinterpret_cast<BitSums*>(state_ + 1)) {
  check(cudaMemsetAsync(memory, 0, static_cast<size_t>(floats(pieces)) * sizeof(float), stream));
  check(cudaStreamSynchronize(stream));
}

void WireSums::write(std::span<const Message> messages, int rank, cudaStream_t stream) const {
  for (const Message& m : messages)
    if (m.sender == rank)
      sum(m.data, elements_of(m), &state_->of_messages, Write{m.data + elements_of(m)}, stream);
}

void WireSums::compare(std::span<const Message> messages, int rank, int64_t first,
                       cudaStream_t stream) const {
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.sender == rank || m.data == nullptr) continue;
    sum(m.data, elements_of(m), &state_->of_messages,
        CompareWithMessage{m.data + elements_of(m), first + static_cast<int64_t>(i),
                           &state_->record},
        stream);
  }
}

void WireSums::keep(int64_t piece, const float* data, int64_t floats, cudaStream_t stream) const {
  sum(data, floats, &state_->of_messages, Keep{kept_ + piece}, stream);
}

void WireSums::compare(int64_t piece, const float* data, int64_t floats, int64_t number,
                       cudaStream_t stream) const {
  sum(data, floats, &state_->of_products, CompareWithKept{kept_ + piece, number, &state_->record},
      stream);
}

std::optional<Changed> WireSums::changed() const {
  ChangeRecord record{};
  check(cudaMemcpy(&record, &state_->record, sizeof record, cudaMemcpyDeviceToHost));
  if (record.is_there == 0) return std::nullopt;
  Changed found{record.number, std::nullopt};
  // One element that is off by d in the place i changes the sums by d and (i + 1) d.
  const auto by = static_cast<int64_t>(record.off.plain),
             weighted = static_cast<int64_t>(record.off.weighted);
  if (by != 0 && weighted % by == 0 && weighted / by >= 1) found.element = weighted / by - 1;
  return found;
}

}  // namespace distributed

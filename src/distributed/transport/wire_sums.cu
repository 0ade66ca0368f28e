#include "distributed/transport/wire_sums.hpp"

#include <algorithm>
#include <stdexcept>

namespace distributed {
namespace {

constexpr int THREADS = 256;
constexpr int64_t MOST_BLOCKS = 512;

// Adds the sums of a part of the elements to sums[0] and sums[1].
__global__ void sum_kernel(const float* data, int64_t count, unsigned long long* sums) {
  unsigned long long plain = 0, weighted = 0;
  const int64_t step = int64_t{gridDim.x} * THREADS;
  for (int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x; i < count; i += step) {
    const auto bits = static_cast<unsigned long long>(__float_as_uint(data[i]));
    plain += bits;
    weighted += bits * static_cast<unsigned long long>(i + 1);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    plain += __shfl_xor_sync(0xffffffff, plain, distance);
    weighted += __shfl_xor_sync(0xffffffff, weighted, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sums[0], plain);
  atomicAdd(&sums[1], weighted);
}

__device__ unsigned half_of(unsigned long long sum, int half) {
  return static_cast<unsigned>(sum >> (32 * half));
}

// Writes the sums behind the elements, where they have the alignment of floats only.
__global__ void write_kernel(float* behind, const unsigned long long* sums) {
  behind[threadIdx.x] = __uint_as_float(half_of(sums[threadIdx.x / 2], threadIdx.x % 2));
}

// Keeps the first difference.
__device__ void record_if_unequal(const unsigned long long* now, const unsigned long long* before,
                                  int64_t number, ChangeRecord* record) {
  const unsigned long long off[2] = {now[0] - before[0], now[1] - before[1]};
  if ((off[0] == 0 && off[1] == 0) || atomicExch(&record->is_there, 1) != 0) return;
  record->number = number;
  record->sums_off[0] = off[0];
  record->sums_off[1] = off[1];
}

// One thread.
__global__ void compare_message_kernel(const float* behind, const unsigned long long* sums,
                                       int64_t number, ChangeRecord* record) {
  unsigned long long sent[2];
  for (int i = 0; i < 2; ++i)
    sent[i] = __float_as_uint(behind[2 * i]) |
              static_cast<unsigned long long>(__float_as_uint(behind[2 * i + 1])) << 32;
  record_if_unequal(sums, sent, number, record);
}

// One thread.
__global__ void compare_piece_kernel(const unsigned long long* now,
                                     const unsigned long long* before, int64_t number,
                                     ChangeRecord* record) {
  record_if_unequal(now, before, number, record);
}

}  // namespace

WireSums::WireSums(int64_t most_messages, int64_t pieces)
    : most_messages_(most_messages),
      pieces_(pieces),
      sums_(2 * (most_messages + 2 * pieces)),
      record_(1) {
  check(cudaMemset(record_.data(), 0, sizeof(ChangeRecord)));
}

void WireSums::sum(const float* data, int64_t floats, unsigned long long* sums,
                   cudaStream_t stream) const {
  check(cudaMemsetAsync(sums, 0, 2 * sizeof *sums, stream));
  const int64_t blocks = std::clamp<int64_t>(floats / THREADS, 1, MOST_BLOCKS);
  sum_kernel<<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(data, floats, sums);
  check(cudaGetLastError());
}

void WireSums::write(std::span<const Message> messages, int rank, cudaStream_t stream) {
  if (static_cast<int64_t>(messages.size()) > most_messages_)
    throw std::logic_error("more messages than there are sums for");
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.sender != rank) continue;
    float* const behind = m.data + m.floats - FLOATS_OF_SUMS;
    sum(m.data, m.floats - FLOATS_OF_SUMS, of_message(i), stream);
    write_kernel<<<1, FLOATS_OF_SUMS, 0, stream>>>(behind, of_message(i));
    check(cudaGetLastError());
  }
}

void WireSums::compare(std::span<const Message> messages, int rank, int64_t first,
                       cudaStream_t stream) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.sender == rank || m.data == nullptr) continue;
    const float* const behind = m.data + m.floats - FLOATS_OF_SUMS;
    sum(m.data, m.floats - FLOATS_OF_SUMS, of_message(i), stream);
    compare_message_kernel<<<1, 1, 0, stream>>>(behind, of_message(i),
                                                first + static_cast<int64_t>(i), record_.data());
    check(cudaGetLastError());
  }
}

void WireSums::keep(int64_t piece, const float* data, int64_t floats, cudaStream_t stream) {
  sum(data, floats, of_piece(piece), stream);
}

void WireSums::compare(int64_t piece, const float* data, int64_t floats, int64_t number,
                       cudaStream_t stream) {
  unsigned long long* const again = of_piece(pieces_ + piece);
  sum(data, floats, again, stream);
  compare_piece_kernel<<<1, 1, 0, stream>>>(again, of_piece(piece), number, record_.data());
  check(cudaGetLastError());
}

std::optional<Changed> WireSums::changed() {
  ChangeRecord record{};
  check(cudaMemcpy(&record, record_.data(), sizeof record, cudaMemcpyDeviceToHost));
  check(cudaMemset(record_.data(), 0, sizeof record));
  if (record.is_there == 0) return std::nullopt;
  Changed found{record.number, std::nullopt};
  // One element that is off by d in the place i changes the sums by d and (i + 1) d.
  const auto by = static_cast<int64_t>(record.sums_off[0]),
             weighted = static_cast<int64_t>(record.sums_off[1]);
  if (by != 0 && weighted % by == 0 && weighted / by >= 1) found.element = weighted / by - 1;
  return found;
}

}  // namespace distributed

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

// One thread. Keeps the first difference.
__global__ void compare_kernel(const float* behind, const unsigned long long* sums, int number,
                               WireRecord* record) {
  unsigned long long off[2];
  for (int i = 0; i < 2; ++i) {
    const unsigned long long sent =
        __float_as_uint(behind[2 * i]) |
        static_cast<unsigned long long>(__float_as_uint(behind[2 * i + 1])) << 32;
    off[i] = sums[i] - sent;
  }
  if ((off[0] == 0 && off[1] == 0) || record->is_wrong != 0) return;
  record->is_wrong = 1;
  record->number = number;
  record->sums_off[0] = off[0];
  record->sums_off[1] = off[1];
}

}  // namespace

WireSums::WireSums(int64_t most_messages)
    : most_messages_(most_messages), sums_(2 * most_messages), record_(1) {
  check(cudaMemset(record_.data(), 0, sizeof(WireRecord)));
}

void WireSums::sum(const Message& m, unsigned long long* sums, cudaStream_t stream) const {
  const int64_t count = m.floats - FLOATS_OF_SUMS;
  check(cudaMemsetAsync(sums, 0, 2 * sizeof *sums, stream));
  const int64_t blocks = std::clamp<int64_t>(count / THREADS, 1, MOST_BLOCKS);
  sum_kernel<<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(m.data, count, sums);
  check(cudaGetLastError());
}

void WireSums::write(std::span<const Message> messages, int rank, cudaStream_t stream) {
  if (static_cast<int64_t>(messages.size()) > most_messages_)
    throw std::logic_error("more messages than there are sums for");
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].sender != rank) continue;
    unsigned long long* const sums = sums_.data() + 2 * i;
    sum(messages[i], sums, stream);
    write_kernel<<<1, FLOATS_OF_SUMS, 0, stream>>>(
        messages[i].data + messages[i].floats - FLOATS_OF_SUMS, sums);
    check(cudaGetLastError());
  }
}

void WireSums::compare(std::span<const Message> messages, int rank, cudaStream_t stream) {
  for (size_t i = 0; i < messages.size(); ++i, ++compared_) {
    const Message& m = messages[i];
    if (m.sender == rank || m.data == nullptr) continue;
    unsigned long long* const sums = sums_.data() + 2 * i;
    sum(m, sums, stream);
    compare_kernel<<<1, 1, 0, stream>>>(m.data + m.floats - FLOATS_OF_SUMS, sums, compared_,
                                        record_.data());
    check(cudaGetLastError());
  }
}

std::optional<WrongMessage> WireSums::wrong() {
  WireRecord record{};
  check(cudaMemcpy(&record, record_.data(), sizeof record, cudaMemcpyDeviceToHost));
  check(cudaMemset(record_.data(), 0, sizeof record));
  compared_ = 0;
  if (record.is_wrong == 0) return std::nullopt;
  WrongMessage found{record.number, std::nullopt};
  // One element that is off by d in the place i changes the sums by d and (i + 1) d.
  const auto by = static_cast<int64_t>(record.sums_off[0]),
             weighted = static_cast<int64_t>(record.sums_off[1]);
  if (by != 0 && weighted % by == 0 && weighted / by >= 1) found.element = weighted / by - 1;
  return found;
}

}  // namespace distributed

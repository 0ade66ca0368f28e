// Sums of elements, which find and locate an element that has changed (after Huang and Abraham, 1984): on its way, because the sums travel
// with each message, or in memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <span>

#include "distributed/gpu/cuda.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// The sums are two numbers of 64 bits: of the elements' bits, and of the same times the elements' places. They lie behind the elements.
inline constexpr int64_t FLOATS_OF_SUMS = 4;

/// A message or a piece of memory that has other elements than before.
struct Changed {
  int64_t number = 0;              // the caller's
  std::optional<int64_t> element;  // its place, if only one has changed
};

/// The first change, as the device stores it.
struct ChangeRecord {
  int is_there;
  int64_t number;
  uint64_t sums_off[2];  // what the sums are, less what they were
};

/// Writes and compares sums. Not for several threads at once.
class WireSums {
 public:
  /// For at most this many messages in a call, and as many pieces of memory.
  WireSums(int64_t most_messages, int64_t pieces);

  /// Writes the sums of the messages that this process sends.
  void write(std::span<const Message> messages, int rank, cudaStream_t stream);
  /// Compares the sums of the messages that this process has received: those with data that others have sent. The messages have numbers from
  /// `first` on.
  void compare(std::span<const Message> messages, int rank, int64_t first, cudaStream_t stream);

  /// Keeps the sums of a piece of memory. `piece` counts from 0.
  void keep(int64_t piece, const float* data, int64_t floats, cudaStream_t stream);
  /// Compares the piece with its kept sums.
  void compare(int64_t piece, const float* data, int64_t floats, int64_t number,
               cudaStream_t stream);

  /// Returns the first change since the last call. The streams must have been waited for.
  std::optional<Changed> changed();

 private:
  void sum(const float* data, int64_t floats, unsigned long long* sums, cudaStream_t stream) const;
  unsigned long long* of_message(size_t i) const { return sums_.data() + 2 * i; }
  unsigned long long* of_piece(int64_t i) const { return sums_.data() + 2 * (most_messages_ + i); }

  const int64_t most_messages_, pieces_;
  const DeviceArray<unsigned long long>
      sums_;  // of the messages, of the pieces, and of the pieces again
  const DeviceArray<ChangeRecord> record_;
};

}  // namespace distributed

// BitSums of elements, which find and locate an element that has changed (after Huang and Abraham, 1984): on its way, because the sums travel
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

/// The sums of a message's elements, or of a piece of memory's.
struct BitSums {
  uint64_t plain, weighted;
};

/// The first change, as the device stores it.
struct ChangeRecord {
  int is_there;
  int64_t number;
  BitSums off;  // what the sums are, less what they were
};

/// BitSums to which the blocks of a kernel add theirs. They are zero between kernels.
struct RunningSums {
  unsigned long long plain, weighted;
  unsigned blocks;  // that have added theirs
};

/// Writes and compares sums, in device memory of the caller. Messages, and keeping the sums of memory, take one stream; comparing memory takes
/// another.
class WireSums {
 public:
  /// For this many pieces of memory. `memory` has floats(pieces), aligned to 8 bytes. Waits for the stream, in which it sets it to zero.
  WireSums(int64_t pieces, float* memory, cudaStream_t stream);
  static int64_t floats(int64_t pieces) {
    return static_cast<int64_t>((sizeof(State) + static_cast<size_t>(pieces) * sizeof(BitSums)) /
                                sizeof(float));
  }

  /// Writes the sums of the messages that this process sends.
  void write(std::span<const Message> messages, int rank, cudaStream_t stream) const;
  /// Compares the sums of the messages that this process has received: those with data that others have sent. The messages have numbers from
  /// `first` on.
  void compare(std::span<const Message> messages, int rank, int64_t first,
               cudaStream_t stream) const;

  /// Keeps the sums of a piece of memory. `piece` counts from 0.
  void keep(int64_t piece, const float* data, int64_t floats, cudaStream_t stream) const;
  /// Compares the piece with its kept sums.
  void compare(int64_t piece, const float* data, int64_t floats, int64_t number,
               cudaStream_t stream) const;

  /// Returns the first change. The streams must have been waited for.
  std::optional<Changed> changed() const;

 private:
  struct State {
    RunningSums of_messages, of_products;  // by stream: kernels of one stream do not overlap
    ChangeRecord record;
  };
  State* const state_;
  BitSums* const kept_;  // of the pieces
};

}  // namespace distributed

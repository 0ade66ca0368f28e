// Sums that travel with each message, so that its receivers find an element that has changed on the way (after Huang and Abraham, 1984).
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

/// A message that arrived with other elements than it was sent with.
struct WrongMessage {
  int number = 0;                  // among all messages that were checked
  std::optional<int64_t> element;  // its place in the message, if only one has changed
};

/// The first wrong message, as the device stores it.
struct WireRecord {
  int is_wrong, number;
  uint64_t sums_off[2];  // what the sums are, less what they were
};

/// Writes and compares the sums of messages. Not for several threads at once.
class WireSums {
 public:
  /// For at most this many messages in a call.
  explicit WireSums(int64_t most_messages);

  /// Writes the sums of the messages that this process sends.
  void write(std::span<const Message> messages, int rank, cudaStream_t stream);
  /// Compares the sums of the messages that this process has received: those with data that others have sent. The result is known later.
  void compare(std::span<const Message> messages, int rank, cudaStream_t stream);
  /// Returns the first wrong message since the last call. The streams must have been waited for.
  std::optional<WrongMessage> wrong();

 private:
  void sum(const Message& message, unsigned long long* sums, cudaStream_t stream) const;

  const int64_t most_messages_;
  const DeviceArray<unsigned long long> sums_;
  const DeviceArray<WireRecord> record_;
  int compared_ = 0;
};

}  // namespace distributed

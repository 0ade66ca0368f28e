// Streams and events, as the rest of the runtime sees them.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace simulator::runtime {

/// An event: only a time.
struct Event {
  using Clock = std::chrono::steady_clock;
  bool timed = true;
  std::optional<Clock::time_point> recorded;
};

/// The streams and events of a device. Handles are numbers that are never reused, so a stale handle is recognised
/// and never dereferenced.
struct Streams {
  std::mutex mutex;
  uintptr_t last = 0x1000;  // above cudaStreamLegacy and cudaStreamPerThread
  std::unordered_map<cudaStream_t, unsigned int> streams;  // with their flags
  std::unordered_map<cudaEvent_t, Event> events;
};

/// True for the default streams, and for a stream that was created and not destroyed.
bool stream_exists(cudaStream_t stream);

/// Refuses a call with an unknown stream: reports the reason and returns cudaErrorInvalidResourceHandle.
cudaError_t refuse_stream();

/// True if the stream and the legacy default stream wait for each other's work.
bool is_blocking(cudaStream_t stream);

/// Forgets all streams and events, for cudaDeviceReset.
void reset_streams();

}  // namespace simulator::runtime

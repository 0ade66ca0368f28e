// Streams and events, as the rest of the runtime sees them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "simulator/runtime/api/captures.hpp"
#include "simulator/runtime/api/work.hpp"
#include "simulator/runtime/queue/queue.hpp"

namespace simulator::runtime {

/// A stream as the program knows it.
struct KnownStream {
  std::shared_ptr<Stream> queue;
  cudaStream_t handle = nullptr;
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
  cudaAccessPolicyWindow window = {};       // stored, without effect
  std::shared_ptr<Recorder> recorder = {};  // nullptr: not captured
};

/// One record of an event.
struct Recording {
  using Clock = std::chrono::steady_clock;
  Point point;                      // the stream up to the record
  std::atomic<Clock::rep> time{0};  // when the queue reached it; 0: not yet
};

struct Event {
  SimulatedDevice* device = nullptr;
  bool is_timed = true;
  std::shared_ptr<Recording> last = {};  // nullptr: never recorded
  std::shared_ptr<const CapturedPoint> captured =
      {};  // of the last record, if it was in a captured stream
};

/// The streams and events of the program. Handles are numbers that are never reused, so a stale handle is recognised
/// and never dereferenced.
struct Handles {
  std::mutex mutex;
  uintptr_t last = 0x1000;  // above cudaStreamLegacy and cudaStreamPerThread
  std::unordered_map<cudaStream_t, std::shared_ptr<KnownStream>> streams;
  std::unordered_map<cudaEvent_t, Event> events;
};

/// Returns the stream of a handle, also of the default streams of the current device; nullptr if there is none.
std::shared_ptr<KnownStream> find_stream(cudaStream_t handle);

/// Refuses a call with an unknown stream: reports the reason and returns cudaErrorInvalidResourceHandle.
cudaError_t refuse_stream();

/// Runs `then` with the stream. Refuses a handle that is no stream.
template <typename Then>
cudaError_t with_stream(cudaStream_t handle, Then then) {
  const std::shared_ptr<KnownStream> stream = find_stream(handle);
  return stream == nullptr ? refuse_stream() : then(stream);
}

/// Hands work to a stream: queues it, or gives it to the graph that the stream is captured into.
cudaError_t hand_over(const std::shared_ptr<KnownStream>& stream, const Work& work);

/// Queues work in a stream. Publishes it. In the legacy default stream it has run when the call returns.
Issue submit(const std::shared_ptr<KnownStream>& stream, const Work& work);

/// Returns a step that does the work.
Step step_of(const Work& work);
/// Tells the watchers about work that has been queued, or has run in the legacy default stream.
void publish_queued(const KnownStream& stream, const Work& work, const Issue& issue);
/// Returns the error of work in the legacy default stream while a stream that waits for it is captured.
cudaError_t check_implicit(const KnownStream& stream);

/// Queues a step that is no work of its own.
Issue submit_step(const std::shared_ptr<KnownStream>& stream, Step step);

/// Waits for the stream's work so far. Returns the device's fault, if there is one.
cudaError_t wait_for(const std::shared_ptr<KnownStream>& stream);

/// Returns the event of a handle; nothing if there is none.
std::optional<Event> find_event(cudaEvent_t handle);
/// Makes this the event's last record.
void set_recording(cudaEvent_t handle, const std::shared_ptr<Recording>& recording);

/// Records that host code has waited for a point with this clock. Returns the current device's fault, if there is one.
cudaError_t has_waited(const Clock& clock);

/// Waits for all work of the current device.
cudaError_t wait_for_device();

/// Forgets all streams and events of the current device, for cudaDeviceReset.
void reset_streams();

}  // namespace simulator::runtime

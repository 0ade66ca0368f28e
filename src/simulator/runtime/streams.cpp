// Streams and events. All work has finished when the call that asked for it returns, so a stream is only a
// name and an event only a time.
#include "simulator/runtime/streams.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "simulator/runtime/calls.hpp"

namespace simulator::runtime {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  bool timed = true;
  std::optional<Clock::time_point> recorded;
};

// Handles are numbers that are never used twice, so a stale one is recognised and never dereferenced.
struct Handles {
  std::mutex mutex;
  uintptr_t last = 0x1000;  // beyond cudaStreamLegacy and cudaStreamPerThread
  std::unordered_set<cudaStream_t> streams;
  std::unordered_map<cudaEvent_t, Event> events;
};

Handles& handles() {
  static Handles* const instance = new Handles;
  return *instance;
}

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t create_stream(cudaStream_t* stream, unsigned int flags) {
  return synchronous([&] {
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
      return cudaErrorInvalidValue;
    }
    const std::lock_guard lock(handles().mutex);
    *stream = reinterpret_cast<cudaStream_t>(++handles().last);
    handles().streams.insert(*stream);
    return cudaSuccess;
  });
}

// For calls that do nothing but name a stream.
cudaError_t on_stream(cudaStream_t stream) {
  return synchronous(
      [&] { return stream_exists(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

// Runs `work` on the event behind the handle, with the lock held.
template <typename Work>
cudaError_t on_event(cudaEvent_t event, Work work) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().events.find(event);
  return found == handles().events.end() ? cudaErrorInvalidResourceHandle : work(found->second);
}

}  // namespace

bool stream_exists(cudaStream_t stream) {
  if (is_default(stream)) return true;
  const std::lock_guard lock(handles().mutex);
  return handles().streams.contains(stream);
}

void reset_streams() {
  const std::lock_guard lock(handles().mutex);
  handles().streams.clear();
  handles().events.clear();
}

}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return create_stream(stream, flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags,
                                         int /*priority*/) {
  return create_stream(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return asynchronous([&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return synchronous([&] {
    const std::lock_guard lock(handles().mutex);
    return handles().streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return on_stream(stream); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return on_stream(stream); }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return asynchronous([&] {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int /*flags*/) {
  return asynchronous([&] {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    return on_event(event, [](Event&) { return cudaSuccess; });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return synchronous([&] {
    if (function == nullptr) return cudaErrorInvalidValue;
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    function(user_data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return asynchronous([&] {
    constexpr unsigned int KNOWN = cudaEventBlockingSync | cudaEventDisableTiming;
    if (event == nullptr || (flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(handles().mutex);
    *event = reinterpret_cast<cudaEvent_t>(++handles().last);
    handles().events[*event] = {.timed = (flags & cudaEventDisableTiming) == 0, .recorded = {}};
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return asynchronous([&] {
    if (!stream_exists(stream)) return cudaErrorInvalidResourceHandle;
    return on_event(event, [](Event& e) {
      e.recorded = Clock::now();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return synchronous([&] { return on_event(event, [](Event&) { return cudaSuccess; }); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return synchronous([&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    std::optional<Clock::time_point> times[2];
    const cudaEvent_t events[2] = {start, end};
    for (int i = 0; i < 2; ++i) {
      const cudaError_t error = on_event(events[i], [&](Event& e) {
        times[i] = e.recorded;
        return e.timed && e.recorded ? cudaSuccess : cudaErrorInvalidResourceHandle;
      });
      if (error != cudaSuccess) return error;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(*times[1] - *times[0]).count();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return synchronous([&] {
    const std::lock_guard lock(handles().mutex);
    return handles().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

}  // extern "C"

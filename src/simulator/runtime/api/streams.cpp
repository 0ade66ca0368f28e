// Streams and events. All work has finished when its call returns, so a stream is only a name and an event only a
// time.
#include "simulator/runtime/api/streams.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::runtime {
namespace {

Streams& handles() { return current_device().streams; }

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
    handles().streams[*stream] = flags;
    return cudaSuccess;
  });
}

// Waits for a stream. Its work has already ended.
cudaError_t catch_up_with(cudaStream_t stream) {
  if (!stream_exists(stream)) return refuse_stream();
  publish(&Watcher::waited_for, stream);
  return cudaSuccess;
}

// Runs `work` on the event behind the handle, with the lock held.
template <typename Work>
cudaError_t on_event(cudaEvent_t event, Work work) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().events.find(event);
  if (found != handles().events.end()) return work(found->second);
  return refuse(cudaErrorInvalidResourceHandle, [] {
    return Refusal{std::string(Call::current()) + " was given a handle that is no event",
                   "cudaEventCreate it first, and cudaEventDestroy it last", ""};
  });
}

cudaError_t catch_up_with(cudaEvent_t event) {
  return on_event(event, [](Event&) {
    publish(&Watcher::waited_for_all);
    return cudaSuccess;
  });
}

}  // namespace

bool stream_exists(cudaStream_t stream) {
  if (is_default(stream)) return true;
  const std::lock_guard lock(handles().mutex);
  return handles().streams.contains(stream);
}

cudaError_t refuse_stream() {
  return refuse(cudaErrorInvalidResourceHandle, [] {
    const std::string call = Call::current();
    return Refusal{
        (call == "cudaLaunchKernel" ? "a launch" : call) + " was given a handle that is no stream",
        "cudaStreamCreate it first, and cudaStreamDestroy it last", ""};
  });
}

bool is_blocking(cudaStream_t stream) {
  if (is_default(stream)) return true;
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().streams.find(stream);
  return found != handles().streams.end() && (found->second & cudaStreamNonBlocking) == 0;
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
    return handles().streams.erase(stream) == 1 ? cudaSuccess : refuse_stream();
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return synchronous([&] {
    note_wait();
    return catch_up_with(stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return synchronous([&] { return catch_up_with(stream); });
}

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
    if (!stream_exists(stream)) return refuse_stream();
    return on_event(event, [](Event&) {
      publish(&Watcher::streams_joined);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return synchronous([&] {
    if (function == nullptr) return cudaErrorInvalidValue;
    if (!stream_exists(stream)) return refuse_stream();
    const DeviceAtWork at_work;  // the function runs after the earlier work
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
    if (!stream_exists(stream)) return refuse_stream();
    return on_event(event, [](Event& e) {
      e.recorded = Event::Clock::now();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return synchronous([&] {
    note_wait();
    return catch_up_with(event);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return synchronous([&] { return catch_up_with(event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return synchronous([&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    std::optional<Event::Clock::time_point> times[2];
    const cudaEvent_t events[2] = {start, end};
    for (int i = 0; i < 2; ++i) {
      const cudaError_t error = on_event(events[i], [&](Event& e) {
        times[i] = e.recorded;
        if (e.timed && e.recorded) return cudaSuccess;
        return refuse(cudaErrorInvalidResourceHandle, [&] {
          const std::string which = i == 0 ? "first" : "second";
          return Refusal{"cudaEventElapsedTime was given an event, its " + which + ", that " +
                             (e.timed ? "was never recorded" : "takes no time"),
                         e.timed ? "call cudaEventRecord for both, before and after the work"
                                 : "create it without cudaEventDisableTiming",
                         ""};
        });
      });
      if (error != cudaSuccess) return error;
    }
    publish(&Watcher::waited_for_all);
    *milliseconds = std::chrono::duration<float, std::milli>(*times[1] - *times[0]).count();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return synchronous([&] {
    const std::lock_guard lock(handles().mutex);
    if (handles().events.erase(event) == 1) return cudaSuccess;
    return refuse(cudaErrorInvalidResourceHandle, [] {
      return Refusal{
          "cudaEventDestroy was given a handle that is no event, or was destroyed before",
          "cudaEventDestroy once for each cudaEventCreate", ""};
    });
  });
}

}  // extern "C"

// Streams and events.
#include "simulator/runtime/api/streams.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator::runtime {
namespace {

// A copy from pageable memory of up to so many bytes is read when it is queued. A larger one runs before the call returns.
constexpr size_t MOST_STAGED = size_t{64} << 10;

constexpr int LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5;

Handles& handles() {
  static Handles* const instance = new Handles;  // static destructors may still make calls
  return *instance;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// The streams of a thread end with it.
struct StreamsOfThread {
  std::map<SimulatedDevice*, std::shared_ptr<KnownStream>> by_device;

  StreamsOfThread() = default;
  ~StreamsOfThread() {
    for (const auto& [device, stream] : by_device) retire(stream->queue);
  }
  StreamsOfThread(const StreamsOfThread&) = delete;
  StreamsOfThread& operator=(const StreamsOfThread&) = delete;
};

// True if stream 0 is the stream of each host thread (simulated/default_stream.h).
std::atomic<bool> zero_is_of_thread{false};

// The default streams of a device are made at their first use: one of the device, and one of each host thread.
std::shared_ptr<KnownStream> default_stream(bool is_of_thread) {
  SimulatedDevice& device = current_device();
  const auto make = [&](StreamKind kind, cudaStream_t handle) {
    return std::make_shared<KnownStream>(KnownStream{
        .queue = kind == StreamKind::legacy ? legacy_stream(device) : make_stream(device, kind),
        .handle = handle});
  };
  if (is_of_thread) {
    static thread_local StreamsOfThread of_thread;
    std::shared_ptr<KnownStream>& stream = of_thread.by_device[&device];
    if (stream == nullptr) stream = make(StreamKind::blocking, cudaStreamPerThread);
    return stream;
  }
  static auto* const legacy = new std::map<SimulatedDevice*, std::shared_ptr<KnownStream>>;
  const std::lock_guard lock(handles().mutex);
  std::shared_ptr<KnownStream>& stream = (*legacy)[&device];
  if (stream == nullptr) stream = make(StreamKind::legacy, cudaStreamLegacy);
  return stream;
}

cudaError_t create_stream(cudaStream_t* handle, unsigned int flags, int priority = 0) {
  return synchronous([&] {
    if (handle == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
      return cudaErrorInvalidValue;
    }
    const StreamKind kind =
        (flags & cudaStreamNonBlocking) != 0 ? StreamKind::non_blocking : StreamKind::blocking;
    auto stream = std::make_shared<KnownStream>(
        KnownStream{.queue = make_stream(current_device(), kind),
                    .flags = flags,
                    .priority = std::clamp(priority, GREATEST_PRIORITY, LEAST_PRIORITY)});
    const std::lock_guard lock(handles().mutex);
    *handle = stream->handle = reinterpret_cast<cudaStream_t>(++handles().last);
    handles().streams[*handle] = std::move(stream);
    return cudaSuccess;
  });
}

cudaError_t refuse_event() {
  return refuse(cudaErrorInvalidResourceHandle, [] {
    return Refusal{std::string(Call::current()) + " was given a handle that is no event",
                   "cudaEventCreate it first, and cudaEventDestroy it last", ""};
  });
}

// Memory that only the host has: cudaMalloc, cudaMallocHost and the like did not make it.
bool is_pageable(const void* pointer) {
  return !device_at(pointer).memory.owns(address_of(pointer));
}
bool is_of_host(const void* pointer) {
  const Allocation* const around = device_at(pointer).memory.find(address_of(pointer));
  return around == nullptr || (around->host_visible && !is_managed(*around));
}
bool is_shared(const void* pointer) {
  const Allocation* const around = device_at(pointer).memory.find(address_of(pointer));
  return around != nullptr && around->host_visible;
}
bool is_of_program(const void* pointer) {
  const Allocation* const around = device_at(pointer).memory.find(address_of(pointer));
  return around == nullptr || around->adopted;
}

// Returns a copy whose source is `bytes`, the bytes that its source has now.
CopyWork staged(CopyWork work, std::vector<std::byte>& bytes) {
  size_t count = 0;
  work.box.span(work.from, &count);
  const auto* const from = static_cast<const std::byte*>(work.from.pointer);
  bytes.assign(from, from + count);
  work.from.pointer = bytes.data();
  return work;
}

void publish_copy(const Region& region, const Box& box, bool written, const Issue& issue) {
  size_t bytes = 0;
  box.span(region, &bytes);
  publish(&Watcher::copied, address_of(region.pointer), bytes, written, issue);
}

bool is_legacy(const KnownStream& stream) { return stream.queue->kind == StreamKind::legacy; }

// Queues the work, and tells the watchers.
Issue queue_work(const std::shared_ptr<KnownStream>& stream, const Work& work) {
  const Issue issue = submit_step(stream, step_of(work));
  publish_queued(*stream, work, issue);
  return issue;
}

// Queues a copy with pageable memory, in a stream that really queues.
Issue queue_pageable_copy(const std::shared_ptr<KnownStream>& stream, const CopyWork& work) {
  size_t bytes = 0;
  work.box.span(work.from, &bytes);
  if (!is_pageable(work.to.pointer) && bytes <= MOST_STAGED) {
    auto kept = std::make_shared<std::vector<std::byte>>();
    const CopyWork copy = staged(work, *kept);
    Step operation{.has_site = true};
    operation.is_seen_by_host = is_shared(work.to.pointer);
    operation.work = [copy, kept](const Issue& issue) { perform(copy, issue); };
    const Issue issue = submit_step(stream, std::move(operation));
    publish_copy(work.to, work.box, true, issue);
    return issue;
  }
  const Issue issue = queue_work(stream, work);
  run_to({stream->queue, issue.position});
  has_waited(issue.clock);
  return issue;
}

}  // namespace

Step step_of(const Work& work) {
  Step step{.has_site = true};
  step.work = [work](const Issue& issue) { perform(work, issue); };
  if (const auto* const kernel = std::get_if<KernelWork>(&work)) {
    step.is_seen_by_host = !kernel->arguments.shared_with_host().empty();
  } else if (const auto* const copy = std::get_if<CopyWork>(&work)) {
    step.is_seen_by_host = is_shared(copy->to.pointer);
    step.needs_program = is_of_program(copy->to.pointer) || is_of_program(copy->from.pointer);
  } else if (const auto* const fill = std::get_if<FillWork>(&work)) {
    step.is_seen_by_host = is_shared(fill->to.pointer);
  } else if (const auto* const library = std::get_if<LibraryWork>(&work)) {
    step.is_seen_by_host = std::ranges::any_of(library->ranges, [](const auto& range) {
      return range.is_written && is_shared(range.pointer);
    });
  } else if (std::holds_alternative<HostWork>(work)) {
    step.is_seen_by_host = step.needs_program = true;
  }
  return step;
}

void publish_queued(const KnownStream& stream, const Work& work, const Issue& issue) {
  if (const auto* const kernel = std::get_if<KernelWork>(&work)) {
    if (is_legacy(stream)) return;
    const std::vector<uint64_t> shared = kernel->arguments.shared_with_host();
    if (!shared.empty())
      publish(&Watcher::kernel_queued, kernel->kernel->demangled(), shared, issue);
  } else if (const auto* const copy = std::get_if<CopyWork>(&work)) {
    publish_copy(copy->to, copy->box, true, issue);
    publish_copy(copy->from, copy->box, false, issue);
  } else if (const auto* const fill = std::get_if<FillWork>(&work)) {
    publish_copy(fill->to, fill->box, true, issue);
  } else if (const auto* const library = std::get_if<LibraryWork>(&work)) {
    for (const LibraryWork::Range& range : library->ranges)
      publish(&Watcher::copied, address_of(range.pointer), range.bytes, range.is_written, issue);
  }
}

cudaError_t check_implicit(const KnownStream& stream) {
  return is_legacy(stream) ? check_legacy(*stream.queue->device) : cudaSuccess;
}

std::shared_ptr<KnownStream> find_stream(cudaStream_t handle) {
  if (handle == nullptr) handle = zero_is_of_thread ? cudaStreamPerThread : cudaStreamLegacy;
  if (handle == cudaStreamLegacy) return default_stream(false);
  std::shared_ptr<KnownStream> stream;
  if (handle == cudaStreamPerThread) {
    stream = default_stream(true);
  } else {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().streams.find(handle);
    if (found != handles().streams.end()) stream = found->second;
  }
  if (stream != nullptr && stream->recorder != nullptr && stream->recorder->is_over())
    stream->recorder = nullptr;
  return stream;
}

cudaError_t refuse_stream() {
  return refuse(cudaErrorInvalidResourceHandle, [] {
    const std::string call = Call::current();
    return Refusal{
        (call == "cudaLaunchKernel" ? "a launch" : call) + " was given a handle that is no stream",
        "cudaStreamCreate it first, and cudaStreamDestroy it last", ""};
  });
}

Issue submit_step(const std::shared_ptr<KnownStream>& stream, Step step) {
  step.issue.number = next_issue();
  step.issue.call = Call::current();
  if (step.has_site) publish(&Watcher::issued, step.issue.number);
  return enqueue(stream->queue, std::move(step));
}

Issue submit(const std::shared_ptr<KnownStream>& stream, const Work& work) {
  const auto* const copy = std::get_if<CopyWork>(&work);
  if (copy != nullptr && !is_legacy(*stream)) {
    const bool between_host = is_of_host(copy->to.pointer) && is_of_host(copy->from.pointer);
    if (between_host || is_pageable(copy->to.pointer) || is_pageable(copy->from.pointer))
      return queue_pageable_copy(stream, *copy);
  }
  return queue_work(stream, work);
}

cudaError_t hand_over(const std::shared_ptr<KnownStream>& stream, const Work& work) {
  if (stream->recorder != nullptr) return stream->recorder->record(work);
  if (const cudaError_t error = check_implicit(*stream); error != cudaSuccess) return error;
  submit(stream, work);
  return cudaSuccess;
}

std::optional<Event> find_event(cudaEvent_t handle) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().events.find(handle);
  return found == handles().events.end() ? std::nullopt : std::optional(found->second);
}

void set_recording(cudaEvent_t handle, const std::shared_ptr<Recording>& recording) {
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().events.find(handle);
  if (found == handles().events.end()) return;
  found->second.last = recording;
  found->second.captured = nullptr;
}

cudaError_t has_waited(const Clock& clock) {
  host_waited(clock);
  publish(&Watcher::waited);
  return surface_fault();
}

cudaError_t wait_for(const std::shared_ptr<KnownStream>& stream) {
  const Issue issue = submit_step(stream, {});
  run_to({stream->queue, issue.position});
  return has_waited(issue.clock);
}

cudaError_t wait_for_device() { return has_waited(run_all(current_device())); }

void reset_streams() {
  const std::lock_guard lock(handles().mutex);
  std::erase_if(handles().streams, [](const auto& entry) {
    const bool is_ours = entry.second->queue->device == &current_device();
    if (is_ours) retire(entry.second->queue);
    return is_ours;
  });
  std::erase_if(handles().events,
                [](const auto& entry) { return entry.second.device == &current_device(); });
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

namespace {

template <typename Then>
cudaError_t with_event(cudaEvent_t handle, Then then) {
  const std::optional<Event> event = find_event(handle);
  return event ? then(*event) : refuse_event();
}

// Returns the error of a call that waits for a stream, or runs a callback in it, while it is captured.
cudaError_t check_free(const KnownStream& stream) {
  if (stream.recorder != nullptr)
    return stream.recorder->invalidate(cudaErrorStreamCaptureUnsupported);
  return check_implicit(stream);
}

// Answers a question whether work up to a point has run.
cudaError_t answer(const Point& point) {
  const bool is_done = poll(point);
  if (const cudaError_t fault = surface_fault(); fault != cudaSuccess) return fault;
  return is_done ? has_waited(point.clock) : cudaErrorNotReady;
}

}  // namespace

extern "C" {

void __simulatorDefaultStreamPerThread() { zero_is_of_thread = true; }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return create_stream(stream, flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return create_stream(stream, flags, priority);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return asynchronous([&] {
    if (least != nullptr) *least = LEAST_PRIORITY;
    if (greatest != nullptr) *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  return asynchronous([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) {
      *flags = stream->flags;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return asynchronous([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) {
      *device = static_cast<int>(stream->queue->device->number);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return asynchronous([&] {
    if (id == nullptr) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) {
      *id = reinterpret_cast<uintptr_t>(stream->queue.get());
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return asynchronous([&] {
    if (priority == nullptr) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) {
      *priority = stream->priority;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return asynchronous([&] {
    return with_stream(to, [&](const auto& target) {
      return with_stream(from, [&](const auto& source) {
        target->window = source->window;
        target->priority = source->priority;
        return cudaSuccess;
      });
    });
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return asynchronous([&] {
    return with_stream(handle, [&](const auto& stream) {
      if (value == nullptr) return cudaErrorInvalidValue;
      switch (attribute) {
        case cudaStreamAttributeAccessPolicyWindow:
          value->accessPolicyWindow = stream->window;
          return cudaSuccess;
        case cudaStreamAttributePriority:
          value->priority = stream->priority;
          return cudaSuccess;
        default:
          return cudaErrorInvalidValue;
      }
    });
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return asynchronous([&] {
    return with_stream(handle, [&](const auto& stream) {
      if (value == nullptr) return cudaErrorInvalidValue;
      switch (attribute) {
        case cudaStreamAttributeAccessPolicyWindow:
          stream->window = value->accessPolicyWindow;
          return cudaSuccess;
        case cudaStreamAttributePriority:
          stream->priority = std::clamp(value->priority, GREATEST_PRIORITY, LEAST_PRIORITY);
          return cudaSuccess;
        default:
          return cudaErrorInvalidValue;
      }
    });
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return asynchronous([] { return cudaSuccess; });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, size_t bytes,
                                     unsigned int flags) {
  return asynchronous([&] {
    return with_stream(handle, [&](const auto&) {
      const Allocation* const around = device_at(pointer).memory.find(address_of(pointer));
      const bool is_whole = around != nullptr && around->base == address_of(pointer) &&
                            (bytes == 0 || bytes == around->bytes);
      const bool is_known_flag = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                                 flags == cudaMemAttachSingle;
      return is_whole && is_managed(*around) && is_known_flag ? cudaSuccess : cudaErrorInvalidValue;
    });
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return synchronous([&] {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().streams.find(handle);
    if (found == handles().streams.end()) return refuse_stream();
    retire(found->second->queue);
    handles().streams.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return synchronous([&] {
    note_wait();
    return with_stream(handle, [](const auto& stream) {
      const cudaError_t error = check_free(*stream);
      return error != cudaSuccess ? error : wait_for(stream);
    });
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return synchronous([&] {
    return with_stream(handle, [](const auto& stream) {
      const cudaError_t error = check_free(*stream);
      return error != cudaSuccess ? error : answer(end_of(stream->queue));
    });
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle,
                                unsigned int /*flags*/) {
  return asynchronous([&] {
    return with_stream(handle, [&](const auto& stream) {
      return with_event(event_handle, [&](const Event& event) {
        if (event.captured != nullptr && !event.captured->is_over()) {
          if (stream->recorder != nullptr) return stream->recorder->wait_for(*event.captured);
          if (is_legacy(*stream)) return cudaErrorStreamCaptureImplicit;
          stream->recorder = event.captured->join();
          return cudaSuccess;
        }
        if (stream->recorder != nullptr)
          return stream->recorder->invalidate(cudaErrorStreamCaptureIsolation);
        if (event.last != nullptr) submit_step(stream, {.after = {event.last->point}});
        return cudaSuccess;
      });
    });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return synchronous([&] {
    if (function == nullptr) return cudaErrorInvalidValue;
    return with_stream(
        handle, [&](const auto& stream) { return hand_over(stream, HostWork{function, data}); });
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  return synchronous([&] {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) {
      const cudaError_t error = check_free(*stream);
      if (error != cudaSuccess) return error;
      Step step{.is_seen_by_host = true, .has_site = true, .needs_program = true};
      step.work = [=](const Issue& issue) {
        run_host_function([&] { callback(handle, fault_of(*issue.device), data); }, issue);
      };
      submit_step(stream, std::move(step));
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return asynchronous([&] {
    constexpr unsigned int KNOWN = cudaEventBlockingSync | cudaEventDisableTiming;
    if (event == nullptr || (flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(handles().mutex);
    *event = reinterpret_cast<cudaEvent_t>(++handles().last);
    handles().events[*event] = {.device = &current_device(),
                                .is_timed = (flags & cudaEventDisableTiming) == 0};
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle,
                                     unsigned int flags) {
  return asynchronous([&] {
    if ((flags & ~unsigned{cudaEventRecordExternal}) != 0) return cudaErrorInvalidValue;
    return with_stream(stream_handle, [&](const auto& stream) {
      return with_event(handle, [&](const Event& event) {
        if (event.device != stream->queue->device) return cudaErrorInvalidResourceHandle;
        if (stream->recorder != nullptr) {
          const std::lock_guard lock(handles().mutex);
          handles().events[handle].captured = stream->recorder->point();
          return cudaSuccess;
        }
        if (const cudaError_t error = check_implicit(*stream); error != cudaSuccess) return error;
        const auto recording = std::make_shared<Recording>();
        const Issue issue = submit_step(stream, {.work = [recording](const Issue&) {
                                          recording->time =
                                              Recording::Clock::now().time_since_epoch().count();
                                        }});
        recording->point = {stream->queue, issue.position, issue.clock};
        set_recording(handle, recording);
        return cudaSuccess;
      });
    });
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return synchronous([&] {
    note_wait();
    return with_event(handle, [](const Event& event) {
      if (event.captured != nullptr) return cudaErrorCapturedEvent;
      if (event.last == nullptr) return cudaSuccess;
      run_to(event.last->point);
      return has_waited(event.last->point.clock);
    });
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return synchronous([&] {
    return with_event(handle, [](const Event& event) {
      if (event.captured != nullptr) return cudaErrorCapturedEvent;
      return event.last == nullptr ? cudaSuccess : answer(event.last->point);
    });
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return synchronous([&] {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    Event events[2];
    const cudaEvent_t given[2] = {start, end};
    for (int i = 0; i < 2; ++i) {
      const std::optional<Event> found = find_event(given[i]);
      if (!found) return refuse_event();
      events[i] = *found;
      if (events[i].is_timed && events[i].last != nullptr) continue;
      return refuse(cudaErrorInvalidResourceHandle, [&] {
        const std::string which = i == 0 ? "first" : "second";
        return Refusal{"cudaEventElapsedTime was given an event, its " + which + ", that " +
                           (events[i].is_timed ? "was never recorded" : "takes no time"),
                       events[i].is_timed
                           ? "call cudaEventRecord for both, before and after the work"
                           : "create it without cudaEventDisableTiming",
                       ""};
      });
    }
    for (const Event& event : events) {
      if (const cudaError_t error = answer(event.last->point); error != cudaSuccess) return error;
    }
    const Recording::Clock::duration taken{events[1].last->time - events[0].last->time};
    *milliseconds = std::chrono::duration<float, std::milli>(taken).count();
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

// The capture of streams: their work becomes nodes of a graph and does not run.
#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/graph/graph.hpp"

namespace simulator::runtime {
namespace {

using Nodes = std::vector<cudaGraphNode_t>;

// A capture from beginning to end. All streams that take part share it.
struct Capture : ActiveCapture {
  unsigned long long id = 0;
  std::thread::id thread;
  std::shared_ptr<Graph> graph;
  bool is_over = false;
};

class StreamRecorder final : public Recorder, public std::enable_shared_from_this<StreamRecorder> {
 public:
  StreamRecorder(std::shared_ptr<Capture> into, Nodes after, bool began)
      : capture(std::move(into)), last(std::move(after)), is_origin(began) {}

  cudaError_t record(const Work& work) override { return add(work); }

  cudaError_t add(NodeWork work) {
    if (capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    const std::lock_guard lock(graphs().mutex);
    const Node* const node = add_node(*capture->graph, std::move(work), last);
    if (node == nullptr) return cudaErrorInvalidValue;
    last = {node->handle};
    return cudaSuccess;
  }

  std::shared_ptr<const CapturedPoint> point() const override {
    return std::make_shared<Point>(capture, last);
  }

  cudaError_t wait_for(const CapturedPoint& point) override {
    const auto& other = static_cast<const Point&>(point);
    if (other.capture != capture) {
      other.capture->is_invalid = true;
      return invalidate(cudaErrorStreamCaptureMerge);
    }
    for (const cudaGraphNode_t node : other.nodes) {
      if (std::ranges::find(last, node) == last.end()) last.push_back(node);
    }
    return cudaSuccess;
  }

  cudaStreamCaptureStatus status() const override {
    return capture->is_invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  }

  bool is_over() const override { return capture->is_over; }

  cudaError_t invalidate(cudaError_t error) override {
    capture->is_invalid = true;
    return error;
  }

  const std::shared_ptr<Capture> capture;
  Nodes last;  // the nodes that the stream's next one comes after
  const bool is_origin;

 private:
  struct Point final : CapturedPoint {
    Point(std::shared_ptr<Capture> of, Nodes at) : capture(std::move(of)), nodes(std::move(at)) {}
    std::shared_ptr<Recorder> join() const override {
      return std::make_shared<StreamRecorder>(capture, nodes, false);
    }
    bool is_over() const override { return capture->is_over; }
    const std::shared_ptr<Capture> capture;
    const Nodes nodes;
  };
};

StreamRecorder* recorder_of(const KnownStream& stream) {
  return static_cast<StreamRecorder*>(stream.recorder.get());
}

// True if all nodes come before those at the end, or are among them.
bool is_joined(const Graph& graph, const Nodes& end) {
  std::set<cudaGraphNode_t> reached;
  Nodes open = end;
  while (!open.empty()) {
    const cudaGraphNode_t node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    if (const Node* const found = graph.find(node))
      open.insert(open.end(), found->after.begin(), found->after.end());
  }
  return reached.size() == graph.nodes.size();
}

cudaError_t begin(KnownStream& stream, cudaStreamCaptureMode mode) {
  static std::atomic<unsigned long long> ids{0};
  if (stream.queue->kind == StreamKind::legacy) {
    return refuse(cudaErrorStreamCaptureUnsupported, [] {
      return Refusal{
          "cudaStreamBeginCapture was given the default stream, which cannot be captured",
          "a stream from cudaStreamCreate, also for the work in it", ""};
    });
  }
  if (stream.recorder != nullptr) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->has_blocking = stream.queue->kind == StreamKind::blocking;
  capture->device = stream.queue->device;
  capture->id = ++ids;
  capture->thread = std::this_thread::get_id();
  const std::lock_guard lock(graphs().mutex);
  capture->graph = make_graph();
  stream.recorder = std::make_shared<StreamRecorder>(std::move(capture), Nodes{}, true);
  return cudaSuccess;
}

cudaError_t end(KnownStream& stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (stream.recorder == nullptr) return cudaErrorIllegalState;
  const std::shared_ptr<Recorder> kept = stream.recorder;
  StreamRecorder& recorder = *recorder_of(stream);
  Capture& capture = *recorder.capture;
  if (!recorder.is_origin) {
    return recorder.invalidate(cudaErrorStreamCaptureUnmatched);
  }
  if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  stream.recorder = nullptr;
  capture.is_over = true;
  capture.stop();
  const std::lock_guard lock(graphs().mutex);
  cudaError_t error = capture.is_invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  if (error == cudaSuccess && !is_joined(*capture.graph, recorder.last))
    error = cudaErrorStreamCaptureUnjoined;
  if (error != cudaSuccess) {
    forget(*capture.graph);
    return error;
  }
  *graph = capture.graph->handle;
  return cudaSuccess;
}

}  // namespace

cudaError_t record(Recorder& recorder, NodeWork work) {
  return static_cast<StreamRecorder&>(recorder).add(std::move(work));
}

}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return asynchronous([&] {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) { return begin(*stream, mode); });
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return asynchronous([&] {
    if (graph == nullptr) return cudaErrorInvalidValue;
    return with_stream(handle, [&](const auto& stream) { return end(*stream, graph); });
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, size_t* count) {
  return asynchronous([&] {
    const std::shared_ptr<KnownStream> stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    if (stream->queue->kind == StreamKind::legacy && is_captured(*stream->queue->device))
      return cudaErrorStreamCaptureImplicit;
    *status = cudaStreamCaptureStatusNone;
    if (stream->recorder == nullptr) return cudaSuccess;
    const StreamRecorder& recorder = *recorder_of(*stream);
    *status = recorder.status();
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = recorder.capture->id;
    if (graph != nullptr) *graph = recorder.capture->graph->handle;
    if (dependencies != nullptr) *dependencies = recorder.last.data();
    if (count != nullptr) *count = recorder.last.size();
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return asynchronous([&] {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal ||
        *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    *mode = exchange_thread_mode(*mode);
    return cudaSuccess;
  });
}

}  // extern "C"

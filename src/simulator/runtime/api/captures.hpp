// The capture of streams into graphs, as API functions see it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "simulator/runtime/api/work.hpp"

namespace simulator::runtime {

class Recorder;

/// A point in a capture, which an event may record.
class CapturedPoint {
 public:
  virtual ~CapturedPoint() = default;
  /// Returns a recorder for a stream that waits for this point, and so is captured too.
  virtual std::shared_ptr<Recorder> join() const = 0;
  virtual bool is_over() const = 0;
};

/// Takes the work of one captured stream in place of its queue.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Adds work as a node behind the stream's last nodes.
  virtual cudaError_t record(const Work& work) = 0;
  virtual std::shared_ptr<const CapturedPoint> point() const = 0;
  /// Makes later work wait for the point. Refuses a point of another capture.
  virtual cudaError_t wait_for(const CapturedPoint& point) = 0;
  virtual cudaStreamCaptureStatus status() const = 0;
  /// True if the capture has ended: the stream queues its work again.
  virtual bool is_over() const = 0;
  /// Ends the capture's use, because of a call that no graph can hold. Returns the error.
  virtual cudaError_t invalidate(cudaError_t error) = 0;
};

/// One capture, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct ActiveCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool has_blocking =
      false;  // True if a stream that waits for the legacy default stream is captured
  SimulatedDevice* device = nullptr;  // of that stream
  bool is_invalid = false;

  ActiveCapture();
  ~ActiveCapture();
  /// Ends it: it forbids no calls any more.
  void stop();
  ActiveCapture(const ActiveCapture&) = delete;
  ActiveCapture& operator=(const ActiveCapture&) = delete;
};

/// Returns the error of a call that a graph could not hold and that might disturb a capture, such as cudaMalloc; cudaSuccess
/// if the modes of captures and of this thread allow it. An error invalidates the capture.
cudaError_t check_captures();
/// True if a stream of this device that waits for the legacy default stream is captured.
bool is_captured(const SimulatedDevice& device);
/// Returns the error of work in the legacy default stream of this device while a stream that waits for it is captured.
cudaError_t check_legacy(const SimulatedDevice& device);
/// Sets the mode of this thread, and returns the one before.
cudaStreamCaptureMode exchange_thread_mode(cudaStreamCaptureMode mode);

}  // namespace simulator::runtime

#include "simulator/runtime/api/captures.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace simulator::runtime {
namespace {

struct Active {
  ActiveCapture* capture;
  std::thread::id thread;  // that began it
};
struct Captures {
  std::mutex mutex;
  std::vector<Active> active;
};
Captures& captures() {
  static Captures* const instance = new Captures;  // static destructors may still make calls
  return *instance;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// Invalidates the captures that `forbids` is true for. Returns the error if there is one.
template <typename Forbids>
cudaError_t check(Forbids forbids, cudaError_t error) {
  const std::lock_guard lock(captures().mutex);
  cudaError_t found = cudaSuccess;
  for (const Active& active : captures().active) {
    if (!forbids(active)) continue;
    active.capture->is_invalid = true;
    found = error;
  }
  return found;
}

}  // namespace

ActiveCapture::ActiveCapture() {
  const std::lock_guard lock(captures().mutex);
  captures().active.push_back({this, std::this_thread::get_id()});
}

ActiveCapture::~ActiveCapture() { stop(); }

void ActiveCapture::stop() {
  const std::lock_guard lock(captures().mutex);
  std::erase_if(captures().active, [&](const Active& active) { return active.capture == this; });
}

cudaError_t check_captures() {
  const std::thread::id here = std::this_thread::get_id();
  return check(
      [&](const Active& active) {
        const cudaStreamCaptureMode mode = active.capture->mode;
        if (thread_mode == cudaStreamCaptureModeRelaxed || mode == cudaStreamCaptureModeRelaxed)
          return false;
        if (active.thread == here) return true;
        return thread_mode == cudaStreamCaptureModeGlobal && mode == cudaStreamCaptureModeGlobal;
      },
      cudaErrorStreamCaptureUnsupported);
}

bool is_captured(const SimulatedDevice& device) {
  const std::lock_guard lock(captures().mutex);
  return std::ranges::any_of(captures().active, [&](const Active& active) {
    return active.capture->has_blocking && active.capture->device == &device;
  });
}

cudaError_t check_legacy(const SimulatedDevice& device) {
  return check(
      [&](const Active& active) {
        return active.capture->has_blocking && active.capture->device == &device;
      },
      cudaErrorStreamCaptureImplicit);
}

cudaStreamCaptureMode exchange_thread_mode(cudaStreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

}  // namespace simulator::runtime

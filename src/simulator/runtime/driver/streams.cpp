// The driver's streams and events. They are the runtime's.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <memory>

#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

// A callback of the driver's type, on its way to a stream.
struct Callback {
  CUstreamCallback function;
  void* user_data;
};

void call_back(cudaStream_t stream, cudaError_t status, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(stream, result_of(status), callback->user_data);
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* user_data,
                             unsigned int flags) {
  return in_context([&] {
    if (callback == nullptr) return cudaErrorInvalidValue;
    auto* const data = new Callback{callback, user_data};
    const cudaError_t error = cudaStreamAddCallback(stream, call_back, data, flags);
    if (error != cudaSuccess) delete data;
    return error;
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes,
                                unsigned int flags) {
  return in_context(
      [&] { return cudaStreamAttachMemAsync(stream, pointer_of(pointer), bytes, flags); });
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return in_context([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return in_context([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}

}  // extern "C"

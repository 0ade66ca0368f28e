#include "simulator/cublas/request.hpp"

#include <memory>
#include <string>

#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::cublas {

using runtime::Call;
using runtime::KnownStream;
using runtime::Refusal;

namespace {

// Stream 0 of a handle is the legacy default stream, also where stream 0 of the program is a stream of each host thread.
std::shared_ptr<KnownStream> stream_of(const cublasContext& handle) {
  return runtime::find_stream(handle.stream == nullptr ? cudaStreamLegacy : handle.stream);
}

}  // namespace

void* host_address(const void* pointer) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const DeviceMemory& memory = device_at(pointer).memory;
  return memory.owns(address) ? memory.host_pointer(address, 1) : const_cast<void*>(pointer);
}

void* checked_host_address(const void* pointer, size_t bytes) {
  void* const found =
      device_at(pointer).memory.host_pointer(reinterpret_cast<uint64_t>(pointer), bytes);
  if (found == nullptr) throw runtime::OutsideMemory{pointer};
  return found;
}

void Request::add(const void* pointer, size_t bytes, const char* what, bool is_written) {
  if (bytes == 0 || !is_usable_) return;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const DeviceMemory& memory = device_at(pointer).memory;
  is_usable_ = memory.host_pointer(address, bytes) != nullptr;
  if (is_usable_) {
    work_.ranges.push_back({const_cast<void*>(pointer), bytes, is_written});
    return;
  }
  runtime::refuse(cudaErrorIllegalAddress, [&] {
    return Refusal{
        std::string(Call::current()) + " uses " + std::to_string(bytes) + " bytes of " + what +
            ", which are not all memory of the device: " + memory.place_of(address).text(),
        memory.find(address) != nullptr
            ? "check the sizes and the leading dimension; cudaMalloc takes bytes"
            : "pass a pointer from cudaMalloc; cublasSetPointerMode says where scalars lie",
        ""};
  });
}

cublasStatus_t Request::run(std::function<void()> compute) {
  if (!is_usable_) return CUBLAS_STATUS_EXECUTION_FAILED;
  work_.name = Call::current();
  work_.compute = std::move(compute);
  const std::shared_ptr<KnownStream> stream = stream_of(handle_);
  if (stream == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error = runtime::hand_over(stream, work_);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t Request::wait() {
  const std::shared_ptr<KnownStream> stream = stream_of(handle_);
  return stream != nullptr && runtime::wait_for(stream) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace simulator::cublas

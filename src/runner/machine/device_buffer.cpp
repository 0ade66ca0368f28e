#include "runner/machine/device_buffer.hpp"

#include <fmt/format.h>

#include <string_view>
namespace runner {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string describe(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

CudaFailure::CudaFailure(cudaError_t error, const std::source_location& where)
    : Error(ExitCode::failure, fmt::format("CUDA: {}, called at {}:{}", describe(error),
                                           file_name(where.file_name()), where.line())),
      error_(error) {}

void check(cudaError_t error, const std::source_location& where) {
  if (error != cudaSuccess) throw CudaFailure(error, where);
}

void* allocate_device_bytes(int64_t bytes) {
  void* data = nullptr;
  if (bytes == 0) return data;
  if (cudaMalloc(&data, static_cast<size_t>(bytes)) == cudaSuccess) return data;
  cudaGetLastError();  // the failed allocation is reported here; it must not surface again later

  size_t free = 0;
  size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  throw Error(
      ExitCode::failure,
      fmt::format("no device memory for a buffer of {:.2f} GiB: {:.2f} of {:.2f} GiB are free. "
                  "Try smaller sizes.",
                  static_cast<double>(bytes) / 0x1p30, static_cast<double>(free) / 0x1p30,
                  static_cast<double>(total) / 0x1p30));
}

}  // namespace runner

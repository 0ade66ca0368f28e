// A CUDA device: it takes time and counts nothing.
#include <fmt/format.h>

#include "runner/error.hpp"
#include "runner/machine.hpp"
#include "runner/stopwatch.hpp"

namespace runner::machine {

const char* const name = "cuda";
const bool measures_time = true;
const int64_t default_size = 4096;
// A kernel that writes beside its matrix would hit another one; the poison shows it.
const int64_t guard = 1024;

Device open() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    throw Error(
        ExitCode::no_device,
        fmt::format(
            "no CUDA device to run on ({}); the simulated GPU needs none: build with --build sim",
            error == cudaSuccess ? "none is there" : cudaGetErrorString(error)));
  }
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  if (properties.major < 8) {
    throw Error(ExitCode::no_device,
                fmt::format("{} has compute capability {}.{}; the kernels need 8.0 or later",
                            properties.name, properties.major, properties.minor));
  }
  return {.name = properties.name,
          .detail = fmt::format("sm_{}{}", properties.major, properties.minor),
          .memory_bytes = static_cast<int64_t>(properties.totalGlobalMem)};
}

void name_matrices(const ladder::Sgemm&) {}

cudaError_t run(const ladder::Rung& rung, const ladder::Sgemm& problem, std::optional<Traffic>&) {
  const cudaError_t error = ladder::launch(rung, problem, nullptr);
  return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

std::optional<Timing> time(const ladder::Rung& rung, const ladder::Sgemm& problem,
                           const MeasureOptions& options) {
  if (problem.M == 0 || problem.N == 0) return std::nullopt;
  const auto launch_of = [&problem](const ladder::Rung& which) {
    return [&](cudaStream_t stream) { return ladder::launch(which, problem, stream); };
  };
  const ladder::Rung& reference = *ladder::all().front();
  const bool is_reference = &rung == &reference;
  const auto K = static_cast<double>(
      ladder::has_product(problem.alpha, problem.K) ? problem.K : 0);  // what is summed
  const double flops = 2.0 * static_cast<double>(problem.M) * static_cast<double>(problem.N) * K;
  Timing timing = Stopwatch(options).measure(
      launch_of(rung), is_reference ? Stopwatch::Launch() : Stopwatch::Launch(launch_of(reference)),
      flops);
  if (is_reference) timing.percent_of_cublas = 100.0;
  return timing;
}

std::string last_failure() { return ""; }

void vary_order(uint64_t) {}

std::optional<uint64_t> blocks_run() { return std::nullopt; }

void interrupt() {}

}  // namespace runner::machine

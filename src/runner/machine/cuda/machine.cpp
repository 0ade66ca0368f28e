// A CUDA device: it takes time and counts nothing.
#include <cublas_v2.h>
#include <fmt/format.h>

#include "app/error.hpp"
#include "kernels/ladder.hpp"
#include "runner/machine/cuda/gate.hpp"
#include "runner/machine/cuda/launched_kernels.hpp"
#include "runner/machine/cuda/nvml.hpp"
#include "runner/machine/cuda/owned.hpp"
#include "runner/machine/cuda/roofs.hpp"
#include "runner/machine/cuda/stopwatch.hpp"
#include "runner/machine/machine.hpp"

namespace runner::machine {
namespace {

cudaDeviceProp properties_of_device() {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  return properties;
}

std::optional<std::string> cublas_version() {
  int major = 0, minor = 0, patch = 0;
  const bool known = cublasGetProperty(MAJOR_VERSION, &major) == CUBLAS_STATUS_SUCCESS &&
                     cublasGetProperty(MINOR_VERSION, &minor) == CUBLAS_STATUS_SUCCESS &&
                     cublasGetProperty(PATCH_LEVEL, &patch) == CUBLAS_STATUS_SUCCESS;
  return known ? std::optional(fmt::format("{}.{}.{}", major, minor, patch)) : std::nullopt;
}

}  // namespace

const results::Machine KIND = results::Machine::cuda;
const char* const NAME = "cuda";
const bool MEASURES_TIME = true;
const int64_t DEFAULT_SIZE = 4096;
// A kernel that writes beside its matrix would hit another matrix; the poison shows it.
const int64_t GUARD = 1024;

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
  const cudaDeviceProp properties = properties_of_device();
  const int compute_capability = 10 * properties.major + properties.minor;
  constexpr int LEAST = ladder::Needs{}.compute_capability;
  if (compute_capability < LEAST) {
    throw Error(
        ExitCode::no_device,
        fmt::format("{} has compute capability {}.{}; the kernels need {}.{} or later, and "
                    "the simulated GPU needs none: build with --build sim",
                    properties.name, properties.major, properties.minor, LEAST / 10, LEAST % 10));
  }
  return {.name = properties.name,
          .detail = fmt::format("sm_{}{}", properties.major, properties.minor),
          .compute_capability = compute_capability,
          .memory_bytes = static_cast<int64_t>(properties.totalGlobalMem)};
}

void describe(results::Provenance& provenance) {
  const Device device = open();
  provenance.device = device.name;
  provenance.device_detail = device.detail;
  provenance.memory_bytes = device.memory_bytes;
  provenance.multiprocessors = properties_of_device().multiProcessorCount;
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) {
    provenance.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  provenance.cublas = cublas_version();
  provenance.driver = nvml().driver_version();
  provenance.power_limit_watts = nvml().power_limit_watts();
  provenance.clock_limit_mhz = nvml().clock_limit_mhz();
  provenance.ecc = nvml().ecc();
}

results::Roofs measure_roofs() { return runner::measure_roofs(); }

std::optional<double> fp16_gflops(int64_t M, int64_t N, int64_t K, double seconds) {
  return runner::fp16_gflops(M, N, K, seconds);
}

void name_buffer(const void*, const char*) {}

cudaError_t run(const Launch& launch, results::Observation& seen) {
  const cudaError_t error = launch(nullptr);
  if (error != cudaSuccess) return error;
  const cudaError_t ended = cudaDeviceSynchronize();
  if (ended == cudaSuccess) seen.kernels = launched_kernels(launch);
  return ended;
}

std::optional<results::Timing> time(const Launch& kernel, const Launch& reference,
                                    const results::MeasureOptions& options) {
  return Stopwatch(options).measure(kernel, reference);
}

Failure last_failure() { return {}; }

void record_requests(const lens::Wanted&) {}

void record_timelines(uint64_t) {}

std::vector<lens::Timeline> recorded_timelines() { return {}; }

void record_layouts() {}

std::vector<lens::Layout> recorded_layouts() { return {}; }

std::vector<lens::Request> recorded_requests() { return {}; }
std::vector<lens::MatrixProduct> matrix_products() { return {}; }

std::optional<LaunchProgress> progress() { return std::nullopt; }

void look_for_hazards(bool) {}
bool looks_for_hazards() { return false; }
std::vector<results::Hazard> take_hazards() { return {}; }

void vary_order(uint64_t) {}
uint64_t order() { return 0; }

std::optional<uint64_t> blocks_run() { return std::nullopt; }

void offer_addresses(int64_t) {}

std::optional<std::string> call_that_waits(const std::function<void()>& launch) {
  launch();
  return std::nullopt;
}

bool returns_at_once(const Launch& launch, cudaStream_t stream) {
  constexpr double LONGER_THAN_ANY_LAUNCH = 2;  // seconds; only a launch that waits takes as long
  Gate gate(LONGER_THAN_ANY_LAUNCH);
  gate.close(stream);
  check(launch(stream));
  const cudaError_t state = cudaStreamQuery(stream);
  gate.open();
  check(cudaStreamSynchronize(stream));
  return state == cudaErrorNotReady;
}

cudaError_t run_together(const Launch& one, const Launch& other) {
  constexpr double LONGER_THAN_BOTH_LAUNCHES = 2;  // seconds
  Owned<cudaStream_t, cudaStreamDestroy> streams[2];
  Gate gates[2]{Gate(LONGER_THAN_BOTH_LAUNCHES), Gate(LONGER_THAN_BOTH_LAUNCHES)};
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamCreateWithFlags(streams[i].out(), cudaStreamNonBlocking));
    gates[i].close(streams[i].get());
  }
  cudaError_t error = one(streams[0].get());
  if (error == cudaSuccess) error = other(streams[1].get());
  for (Gate& gate : gates) gate.open();
  const cudaError_t ended = cudaDeviceSynchronize();
  return error != cudaSuccess ? error : ended;
}

const bool HAS_GRAPHS = true;
cudaError_t run_as_graph(const Launch& launch, int times) {
  Owned<cudaStream_t, cudaStreamDestroy> stream;
  Owned<cudaGraph_t, cudaGraphDestroy> graph;
  Owned<cudaGraphExec_t, cudaGraphExecDestroy> ready;
  check(cudaStreamCreateWithFlags(stream.out(), cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  const cudaError_t launched = launch(stream.get());
  const cudaError_t captured = cudaStreamEndCapture(stream.get(), graph.out());
  if (launched != cudaSuccess) return launched;
  if (captured != cudaSuccess) return captured;
  if (const cudaError_t error = cudaGraphInstantiate(ready.out(), graph.get(), 0);
      error != cudaSuccess)
    return error;
  for (int i = 0; i < times; ++i) {
    if (const cudaError_t error = cudaGraphLaunch(ready.get(), stream.get()); error != cudaSuccess)
      return error;
  }
  return cudaStreamSynchronize(stream.get());
}

const bool RUNS_EXCERPTS = false;
void run_only(const std::optional<Excerpt>&) {}
bool take_cut_short() { return false; }

std::vector<KernelCode> take_code() { return {}; }

void interrupt() {}

}  // namespace runner::machine

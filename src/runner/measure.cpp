#include "runner/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "runner/interrupt.hpp"
#include "runner/statistics.hpp"

namespace runner {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double WARM_UP_SECONDS_LEAST = 0.1;
constexpr double WARM_UP_SECONDS_MOST = 1.0;
constexpr double STEADY = 0.005;              // two samples in a row that differ by less
constexpr double TRUSTED_UNCERTAINTY = 0.01;  // of the median
constexpr double TRUSTED_CLOCK_RANGE = 0.05;  // of the median clock
constexpr int MOST_LAUNCHES = 1000;

}  // namespace

// A kernel ready to be timed: `launches` of it behind one call.
class Stopwatch::Work {
 public:
  Work(Launch launch, int launches, cudaStream_t stream)
      : launch_(std::move(launch)), launches_(launches), stream_(stream) {
    if (launches == 1) return;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < launches && error == cudaSuccess; ++i) error = launch_(stream);
    const cudaError_t end = cudaStreamEndCapture(stream, &graph);
    check(error);
    check(end);
    error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(error);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  int launches() const { return launches_; }
  void enqueue() const {
    check(graph_ != nullptr ? cudaGraphLaunch(graph_, stream_) : launch_(stream_));
  }

 private:
  Launch launch_;
  int launches_;
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

Stopwatch::Stopwatch(const MeasureOptions& options) : options_(options) {
  if (options_.cold) {
    int device = 0;
    int l2_bytes = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    flush_ = DeviceBuffer<char>(2 * int64_t{l2_bytes});
  }
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  check(cudaEventCreate(&start_));
  check(cudaEventCreate(&stop_));
}

Stopwatch::~Stopwatch() {
  cudaEventDestroy(stop_);
  cudaEventDestroy(start_);
  cudaStreamDestroy(stream_);
}

// Milliseconds of one launch.
double Stopwatch::time_ms(const Work& work) {
  if (flush_.size() > 0) {
    check(cudaMemsetAsync(flush_.data(), 0, static_cast<size_t>(flush_.size()), stream_));
  }
  check(cudaEventRecord(start_, stream_));
  work.enqueue();
  check(cudaEventRecord(stop_, stream_));
  if (const auto mhz = nvml_.clock_mhz()) clocks_mhz_.push_back(*mhz);
  check(cudaEventSynchronize(stop_));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start_, stop_));
  return static_cast<double>(ms) / work.launches();
}

// How many launches one sample needs. The first launch of a kernel also loads its code, so a short one is
// timed again.
int Stopwatch::launches_for(const Launch& launch) {
  if (options_.once || options_.cold) return 1;
  const Work single(launch, 1, stream_);
  double ms = time_ms(single);
  for (int again = 0; again < 2 && ms < SHORTEST_SAMPLE_MS; ++again)
    ms = std::min(ms, time_ms(single));
  return static_cast<int>(
      std::clamp(std::ceil(SHORTEST_SAMPLE_MS / ms), 1.0, double{MOST_LAUNCHES}));
}

void Stopwatch::warm_up(const Work& kernel, const Work* reference) {
  const auto start = Clock::now();
  double last_ms = 0;
  for (;;) {
    const double ms = time_ms(kernel);
    if (reference != nullptr) time_ms(*reference);
    const double seconds = seconds_since(start);
    const bool steady = std::abs(ms - last_ms) <= STEADY * ms;
    if ((steady && seconds >= WARM_UP_SECONDS_LEAST) || seconds >= WARM_UP_SECONDS_MOST ||
        interrupted())
      return;
    last_ms = ms;
  }
}

Timing Stopwatch::measure(const Launch& launch, const Launch& reference_launch, double flops) {
  const Work kernel(launch, launches_for(launch), stream_);
  std::optional<Work> reference;
  if (reference_launch)
    reference.emplace(reference_launch, launches_for(reference_launch), stream_);
  if (!options_.once) warm_up(kernel, reference ? &*reference : nullptr);

  const StopRule rule{.most_samples = options_.once ? 1 : options_.samples,
                      .most_seconds = options_.seconds,
                      .target_uncertainty = options_.target_spread};
  Timing timing;
  timing.cold = options_.cold;
  timing.launches_per_sample = kernel.launches();
  std::vector<double> reference_ms;
  clocks_mhz_.clear();
  const auto start = Clock::now();
  while (!rule.stop(timing.samples_ms, seconds_since(start)) &&
         !(interrupted() && !timing.samples_ms.empty())) {
    timing.samples_ms.push_back(time_ms(kernel));
    if (reference) reference_ms.push_back(time_ms(*reference));
  }
  const std::vector<std::string> slowdowns = nvml_.slowdowns();

  const Quartiles q = quartiles(timing.samples_ms);
  timing.median_ms = q.median;
  timing.q1_ms = q.q1;
  timing.q3_ms = q.q3;
  timing.gflops = flops / (q.median * 1e6);
  if (reference) timing.percent_of_cublas = percent_of_reference(timing.samples_ms, reference_ms);

  if (options_.once) timing.doubts.emplace_back("a single launch without warm-up");
  const double uncertainty = relative_uncertainty(timing.samples_ms);
  if (!options_.once && !(uncertainty <= TRUSTED_UNCERTAINTY)) {
    timing.doubts.push_back(
        timing.samples_ms.size() < 2
            ? std::string("only one sample; give it more --time")
            : fmt::format("the median is known to {:.1f} % only", 100 * uncertainty));
  }
  for (const std::string& slowdown : slowdowns) timing.doubts.push_back(slowdown);
  if (!clocks_mhz_.empty()) {
    const auto [low, high] = std::ranges::minmax(clocks_mhz_);
    timing.clock_mhz = quartiles(clocks_mhz_).median;
    if (high - low > TRUSTED_CLOCK_RANGE * *timing.clock_mhz) {
      timing.doubts.push_back(
          fmt::format("the clock moved between {:.0f} and {:.0f} MHz", low, high));
    }
    int device = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&properties, device));
    const double peak = peak_gflops(
        properties.multiProcessorCount,
        fp32_lanes_per_multiprocessor(properties.major, properties.minor), *timing.clock_mhz);
    timing.percent_of_peak = 100 * timing.gflops / peak;
  }
  return timing;
}

}  // namespace runner

#include "runner/machine/cuda/stopwatch.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "results/values/statistics.hpp"
#include "runner/machine/cuda/nvml.hpp"
#include "runner/machine/peak.hpp"

namespace runner {
namespace {

constexpr int MOST_LAUNCHES = 1000;

}  // namespace

// A kernel ready to be timed: one call launches it `launches` times, in a graph or one after the other.
class Stopwatch::Work {
 public:
  enum class Way { in_a_graph, one_by_one };

  Work(Launch launch, int launches, Way way, cudaStream_t stream)
      : launch_(std::move(launch)), launches_(launches), stream_(stream) {
    if (launches == 1 || way == Way::one_by_one) return;
    Owned<cudaGraph_t, cudaGraphDestroy> graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < launches && error == cudaSuccess; ++i) error = launch_(stream);
    const cudaError_t end = cudaStreamEndCapture(stream, graph.out());
    check(error);
    check(end);
    check(cudaGraphInstantiate(graph_.out(), graph.get(), 0));
  }

  int launches() const { return launches_; }
  void enqueue() const {
    if (graph_.get() != nullptr) {
      check(cudaGraphLaunch(graph_.get(), stream_));
      return;
    }
    for (int i = 0; i < launches_; ++i) check(launch_(stream_));
  }

 private:
  Launch launch_;
  int launches_;
  cudaStream_t stream_;
  Owned<cudaGraphExec_t, cudaGraphExecDestroy> graph_;
};

Stopwatch::Stopwatch(const results::MeasureOptions& options) : options_(options) {
  if (options_.cold) {
    int device = 0;
    int l2_bytes = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    flush_ = DeviceBuffer<char>(2 * int64_t{l2_bytes});
  }
  check(cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
  check(cudaEventCreate(start_.out()));
  check(cudaEventCreate(stop_.out()));
}

Sample Stopwatch::sample(const Work& work) {
  if (flush_.size() > 0) {
    check(cudaMemsetAsync(flush_.data(), 0, static_cast<size_t>(flush_.size()), stream_.get()));
  }
  // The gate holds the device until all is enqueued. A profiler must see only the one launch, and without graphs the host's time counts.
  const bool gated = !options_.once && !options_.no_graph;
  if (gated) gate_.close(stream_.get());
  check(cudaEventRecord(start_.get(), stream_.get()));
  work.enqueue();
  check(cudaEventRecord(stop_.get(), stream_.get()));
  if (gated) gate_.open();
  Sample sample{.clock_mhz = nvml().clock_mhz(), .slowdowns = nvml().slowdowns()};
  check(cudaEventSynchronize(stop_.get()));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start_.get(), stop_.get()));
  sample.ms = static_cast<double>(ms) / work.launches();
  return sample;
}

// Prepares enough launches for a sample that is long enough. The first launch of a kernel also loads its code, so a
// short launch is timed again. Launches follow each other faster in a graph than alone, so a graph that is too short is
// made anew.
//
// Does not use a graph that makes a launch slower. A copy of 1 GiB runs at 2770 GB/s as a node of a graph and at 4260
// on a stream; a copy of 1025 MiB at 4290 and 4280 (one H200, driver 580.159, CUDA 13.0, 2026-11-22). Nor if the user asked for none.
std::unique_ptr<Stopwatch::Work> Stopwatch::prepare(const Launch& launch) {
  constexpr double SLOWER =
      1.1;  // than alone: such a graph is not used; as a rule a graph is faster
  const auto made = [&](int launches, Work::Way way) {
    return std::make_unique<Work>(launch, launches, way, stream_.get());
  };
  auto work = made(1, Work::Way::one_by_one);
  if (options_.once || options_.cold) return work;
  double ms = sample(*work).ms;
  for (int again = 0; again < 2; ++again) {
    if (ms < SHORTEST_SAMPLE_MS) ms = std::min(ms, sample(*work).ms);
  }
  const double alone_ms = ms;
  const auto way = options_.no_graph ? Work::Way::one_by_one : Work::Way::in_a_graph;
  while (ms * work->launches() < SHORTEST_SAMPLE_MS && work->launches() < MOST_LAUNCHES) {
    const double wanted = std::ceil(1.1 * SHORTEST_SAMPLE_MS / ms);
    const int launches = static_cast<int>(std::min(wanted, double{MOST_LAUNCHES}));
    work = made(launches, way);
    ms = std::min(sample(*work).ms, sample(*work).ms);
  }
  if (ms > SLOWER * alone_ms) work = made(work->launches(), Work::Way::one_by_one);
  return work;
}

// Keeps two rows of launches on the stream, and waits for the older one. So the device works without a pause while the host waits and reads
// the counter: in a pause it would take power that is not the kernel's. A reading takes milliseconds, so a row is much longer.
std::optional<double> Stopwatch::joules_of(const Work& work, double ms_of_launch) {
  constexpr double ROW_MS = 50;
  const int repeats =
      std::max(1, static_cast<int>(std::ceil(ROW_MS / (ms_of_launch * work.launches()))));
  cudaEvent_t older = start_.get(), newer = stop_.get();
  const auto enqueue = [&](cudaEvent_t done) {
    for (int i = 0; i < repeats; ++i) work.enqueue();
    check(cudaEventRecord(done, stream_.get()));
  };
  enqueue(older);
  const auto joules = joules_of_launch(
      [&] {
        enqueue(newer);
        check(cudaEventSynchronize(older));
        std::swap(older, newer);
        return work.launches() * repeats;
      },
      [] { return nvml().joules(); });
  check(cudaStreamSynchronize(stream_.get()));
  return joules;
}

results::Timing Stopwatch::measure(const Launch& launch, const Launch& reference_launch) {
  check(cudaDeviceSynchronize());
  const std::unique_ptr<Work> kernel = prepare(launch);
  const std::unique_ptr<Work> reference = reference_launch ? prepare(reference_launch) : nullptr;

  const Sampler kernel_sampler = [&] {
    if (!options_.once) return sample(*kernel);
    // A profiler that waits for this call (ncu --profile-from-start off) sees only this launch.
    check(cudaProfilerStart());
    const Sample only = sample(*kernel);
    check(cudaProfilerStop());
    return only;
  };
  const Sampler reference_sampler = [&] { return sample(*reference); };
  results::Timing timing =
      take_turns(kernel_sampler, reference ? reference_sampler : Sampler(), options_);
  timing.launches_per_sample = kernel->launches();
  if (options_.energy && !options_.once) {
    timing.joules = joules_of(*kernel, results::quartiles(timing.samples_ms).median);
    if (reference) {
      timing.reference_joules =
          joules_of(*reference, results::quartiles(timing.reference_samples_ms).median);
    }
  }
  if (timing.clocks_mhz.size() == 3) {
    int device = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&properties, device));
    timing.fp32_peak_gflops = peak_gflops(
        properties.multiProcessorCount,
        fp32_lanes_per_multiprocessor(properties.major, properties.minor), timing.clocks_mhz[1]);
  }
  return timing;
}

}  // namespace runner

// The simulated GPU: it counts and takes no time.
#include <fmt/format.h>
#include <sys/mman.h>

#include <functional>
#include <set>

#include "app/error.hpp"
#include "results/values/counts.hpp"
#include "runner/machine/machine.hpp"
#include "simulator/simulator.hpp"

namespace runner::machine {
namespace {

namespace counts = results::counts;
using simulator::Access;
using simulator::AccessCounters;
using simulator::Counters;

bool is_load(const AccessCounters& a) {  // cp.async reads global memory, as a load does
  return a.access == Access::global_load || a.access == Access::async_copy;
}
bool is_async_copy(const AccessCounters& a) { return a.access == Access::async_copy; }
bool is_store(const AccessCounters& a) { return a.access == Access::global_store; }
bool is_atomic(const AccessCounters& a) { return a.access == Access::global_atomic; }
bool is_global(const AccessCounters& a) { return simulator::is_global(a.access); }
bool is_shared(const AccessCounters& a) { return simulator::is_shared(a.access); }
bool is_shared_load(const AccessCounters& a) { return a.access == Access::shared_load; }
// True for loads and ldmatrix: Nsight Compute counts their wavefronts together, their instructions apart.
bool is_shared_read(const AccessCounters& a) {
  return is_shared_load(a) || a.access == Access::matrix_load;
}
bool is_shared_store(const AccessCounters& a) { return a.access == Access::shared_store; }
bool is_local(const AccessCounters& a) { return simulator::is_local(a.access); }

// Returns the buffer's name, or "other" for memory without a name, such as a kernel's workspace. The simulator numbers
// such allocations, but the number depends on earlier allocations.
std::string name_of(const std::string& buffer) {
  return buffer.starts_with("buffer ") ? "other" : buffer;
}
std::string name_of(const AccessCounters& a) { return name_of(a.buffer); }

class Counting {
 public:
  explicit Counting(const Counters& counters) : counters_(counters) {
    for (const AccessCounters& a : counters.accesses) {
      if (is_global(a)) buffers_.insert(name_of(a));
    }
  }

  // Adds the sum over the accesses of a kind, for each buffer that has any.
  template <typename Value>
  void by_buffer(const char* key, bool (*kind)(const AccessCounters&), Value value) {
    for (const std::string& buffer : buffers_) {
      const auto here = [&](const AccessCounters& a) { return kind(a) && name_of(a) == buffer; };
      if (std::ranges::none_of(counters_.accesses, here)) continue;
      traffic_.counts.push_back({key, buffer, sum(here, value)});
    }
  }
  // Adds the sum over the accesses of a kind.
  template <typename Value>
  void total(const char* key, bool (*kind)(const AccessCounters&), Value value) {
    total(key, sum(kind, value));
  }
  void total(const char* key, uint64_t value) { traffic_.counts.push_back({key, "", value}); }

  results::Traffic take() { return std::move(traffic_); }

 private:
  template <typename Kind, typename Value>
  uint64_t sum(const Kind& kind, Value value) const {
    uint64_t total = 0;
    for (const AccessCounters& a : counters_.accesses) {
      if (kind(a)) total += std::invoke(value, a);
    }
    return total;
  }

  const Counters& counters_;
  std::set<std::string> buffers_;
  results::Traffic traffic_;
};

results::Traffic traffic_of(const Counters& c) {
  Counting counting(c);
  counting.by_buffer(counts::LOAD_REQUESTS, is_load, &AccessCounters::requests);
  counting.by_buffer(counts::LOAD_SECTORS, is_load, &AccessCounters::sectors);
  counting.by_buffer(counts::LOAD_LINES, is_load, &AccessCounters::lines);
  counting.by_buffer(counts::LOAD_LANES, is_load, &AccessCounters::lanes);
  counting.by_buffer(counts::LOAD_BYTES, is_load, &AccessCounters::bytes_asked);
  counting.by_buffer(counts::ASYNC_COPY_BYTES, is_async_copy, &AccessCounters::bytes_asked);
  counting.by_buffer(counts::STORE_REQUESTS, is_store, &AccessCounters::requests);
  counting.by_buffer(counts::STORE_SECTORS, is_store, &AccessCounters::sectors);
  counting.by_buffer(counts::STORE_LINES, is_store, &AccessCounters::lines);
  counting.by_buffer(counts::STORE_LANES, is_store, &AccessCounters::lanes);
  counting.by_buffer(counts::STORE_BYTES, is_store, &AccessCounters::bytes_asked);
  counting.by_buffer(counts::ATOMIC_REQUESTS, is_atomic, &AccessCounters::requests);
  counting.by_buffer(counts::ATOMIC_SECTORS, is_atomic, &AccessCounters::sectors);
  counting.total(counts::GLOBAL_BYTES_FETCHED, is_global, &AccessCounters::bytes_fetched);
  counting.total(counts::GLOBAL_BYTES_USED, is_global, &AccessCounters::bytes_used);
  counting.total(counts::SHARED_LOADS, is_shared_load, &AccessCounters::requests);
  counting.total(counts::SHARED_LOAD_WAVEFRONTS, is_shared_read, &AccessCounters::wavefronts);
  counting.total(counts::SHARED_LOAD_CONFLICTS, is_shared_read, &AccessCounters::bank_conflicts);
  counting.total(counts::SHARED_STORES, is_shared_store, &AccessCounters::requests);
  counting.total(counts::SHARED_STORE_WAVEFRONTS, is_shared_store, &AccessCounters::wavefronts);
  counting.total(counts::SHARED_STORE_CONFLICTS, is_shared_store, &AccessCounters::bank_conflicts);
  counting.total(counts::SHARED_LOAD_LANES, is_shared_load, &AccessCounters::lanes);
  counting.total(counts::SHARED_WAVEFRONTS, is_shared, &AccessCounters::wavefronts);
  counting.total(counts::SHARED_BANK_CONFLICTS, is_shared, &AccessCounters::bank_conflicts);
  counting.total(counts::LOCAL_BYTES, is_local, &AccessCounters::bytes_asked);
  counting.total(counts::WARP_INSTRUCTIONS, c.warp_instructions);
  counting.total(counts::LANE_INSTRUCTIONS, c.lane_instructions);
  counting.total(counts::FFMA, c.ffma);
  counting.total(counts::FLOPS, c.flops);
  if (c.tensor_flops > 0) counting.total(counts::TENSOR_FLOPS, c.tensor_flops);
  counting.total(counts::BARRIERS, c.barriers);
  counting.total(counts::LAUNCHES, c.launches);
  if (c.async_copies > 0) {
    counting.total(counts::ASYNC_COPY_LANES, c.async_copies);
    counting.total(counts::ASYNC_COPY_LANES_DURING_LOADS, c.async_copies_during_loads);
  }
  results::Traffic traffic = counting.take();
  traffic.simulation_seconds = c.seconds;
  return traffic;
}

std::vector<results::Line> lines_of(const Counters& c) {
  std::vector<results::Line> lines;
  lines.reserve(c.accesses.size());
  for (const AccessCounters& a : c.accesses) {
    lines.push_back({.file = a.where.file,
                     .line = a.where.line,
                     .instruction = a.instruction,
                     .buffer = name_of(a),
                     .bytes_per_lane = a.bytes_per_lane,
                     .requests = a.requests,
                     .lanes = a.lanes,
                     .bytes_used = a.bytes_used,
                     .sectors = a.sectors,
                     .lines = a.lines,
                     .wavefronts = a.wavefronts,
                     .bank_conflicts = a.bank_conflicts});
  }
  return lines;
}

// Returns the kernels without registers. On a device nvcc allocates them, and they bound the blocks on a
// multiprocessor. The simulator's own allocation says nothing about that.
std::vector<results::Kernel> kernels_of(const std::vector<simulator::KernelUse>& used) {
  const auto extent = [](const simulator::Dim3& d) {
    return std::array<int64_t, 3>{d.x, d.y, d.z};
  };
  std::vector<results::Kernel> kernels;
  kernels.reserve(used.size());
  for (const simulator::KernelUse& use : used) {
    kernels.push_back({.name = use.kernel,
                       .grid = extent(use.grid),
                       .block = extent(use.block),
                       .shared_bytes = static_cast<int64_t>(use.shared_bytes)});
  }
  return kernels;
}

std::string text_of(const simulator::SourceLine& where) {
  return fmt::format("{}:{}", where.file, where.line);
}

results::Hazard hazard_of(const simulator::Hazard& found) {
  results::Hazard hazard{.kind = simulator::name_of(found.kind),
                         .message = found.message.what,
                         .kernel = found.kernel,
                         .times = found.times};
  if (!found.message.where.empty()) hazard.message += "\nat " + found.message.where;
  if (!found.message.advice.empty()) hazard.message += "\ntry: " + found.message.advice;
  for (const simulator::SourceLine& line : {found.where, found.other}) {
    if (line.line > 0) hazard.lines.push_back(text_of(line));
  }
  if (hazard.lines.empty() && !found.code.empty()) hazard.lines.push_back(found.code);
  return hazard;
}

}  // namespace

const results::Machine KIND = results::Machine::simulator;
const char* const NAME = "simulator";
const bool MEASURES_TIME = false;
const int64_t DEFAULT_SIZE = 256;
// Allocations know their bounds here, so an access beside a matrix is a fault with its line and thread. Poison around
// the matrix would only hide it.
const int64_t GUARD = 0;

Device open() {
  // Faults and hazards are printed below the table instead: last_failure(), take_hazards().
  simulator::set_fault_output(false);
  simulator::current_device().hazards.set_output(false);
  // The time of the simulation is a figure of each run.
  simulator::repeat_launches(false);
  const simulator::DeviceLimits& limits = simulator::device_limits();
  return {.name = "simulated GPU",
          .detail = fmt::format("sm_{}{}", limits.compute_major, limits.compute_minor),
          .compute_capability = 10 * limits.compute_major + limits.compute_minor,
          .memory_bytes = static_cast<int64_t>(simulator::current_device().memory.total_bytes())};
}

void describe(results::Provenance& provenance) {
  const Device device = open();
  provenance.device = device.name;
  provenance.device_detail = device.detail;
  provenance.memory_bytes = device.memory_bytes;
  provenance.multiprocessors = simulator::device_limits().multiprocessors;
  provenance.schedule = order();
}

results::Roofs measure_roofs() { return {}; }

void name_buffer(const void* buffer, const char* name) {
  if (buffer == nullptr) return;
  simulator::current_device().memory.set_name(reinterpret_cast<uint64_t>(buffer), name);
}

cudaError_t run(const Launch& launch, results::Observation& seen) {
  simulator::reset_counters();
  cudaError_t error = launch(nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const Counters counters = simulator::counters();
  // The reference works on the host, so nothing of it can be counted.
  if (counters.launches > 0) {
    seen.traffic = traffic_of(counters);
    seen.lines = lines_of(counters);
    seen.kernels = kernels_of(simulator::kernels_used());
  }
  return error;
}

std::optional<double> fp16_gflops(int64_t, int64_t, int64_t, double) { return std::nullopt; }

std::optional<results::Timing> time(const Launch&, const Launch&, const results::MeasureOptions&) {
  return std::nullopt;
}

Failure last_failure() {
  const auto fault = simulator::last_fault();
  if (!fault) return {};
  const simulator::Message told = fault->message();
  return {.kind = name_of(fault->kind),
          .action = name_of(fault->action),
          .memory = name_of(fault->place.kind),
          .text = told.text(),
          .account = simulator::Message{told.what, told.where, ""}.text(),
          .place = told.where,
          .is_in_freed_memory = fault->kind == simulator::FaultKind::use_after_free,
          .waits_for_ever = fault->kind == simulator::FaultKind::endless_wait};
}

void record_requests(const lens::Wanted& wanted) { simulator::record_requests(wanted); }

void record_timelines(uint64_t block) { simulator::record_timelines("", block); }

std::vector<lens::Timeline> recorded_timelines() { return simulator::recorded_timelines(); }

void record_layouts() { simulator::record_layouts(); }

std::vector<lens::Layout> recorded_layouts() { return simulator::recorded_layouts(); }

std::vector<lens::Request> recorded_requests() {
  std::vector<lens::Request> requests = simulator::recorded_requests();
  for (lens::Request& request : requests) request.buffer = name_of(request.buffer);
  return requests;
}

std::vector<lens::MatrixProduct> matrix_products() {
  return simulator::matrix_products(simulator::counters());
}

std::optional<LaunchProgress> progress() {
  const auto [ended, blocks] = simulator::launch_progress();
  if (blocks == 0) return std::nullopt;
  return LaunchProgress{static_cast<int64_t>(ended), static_cast<int64_t>(blocks)};
}

void look_for_hazards(bool on) { simulator::look_for_hazards(on); }
bool looks_for_hazards() { return simulator::looks_for_hazards(); }

std::vector<results::Hazard> take_hazards() {
  std::vector<results::Hazard> hazards;
  simulator::HazardStore& store = simulator::current_device().hazards;
  for (const simulator::Hazard& hazard : store.found()) add_hazards({hazard_of(hazard)}, hazards);
  store.clear();
  return hazards;
}

void vary_order(uint64_t seed) { simulator::set_schedule(seed); }
uint64_t order() { return simulator::schedule(); }

std::optional<uint64_t> blocks_run() { return simulator::program_counters().blocks; }

std::optional<std::string> call_that_waits(const std::function<void()>& launch) {
  simulator::forget_waits();
  launch();
  return simulator::first_wait();
}

bool returns_at_once(const Launch&, cudaStream_t) { return true; }

cudaError_t run_together(const Launch& one, const Launch& other) {
  for (const Launch& launch : {one, other}) {
    if (const cudaError_t error = launch(nullptr); error != cudaSuccess) return error;
  }
  return cudaDeviceSynchronize();
}

const bool HAS_GRAPHS = false;
cudaError_t run_as_graph(const Launch&, int) { return cudaErrorNotSupported; }

const bool RUNS_EXCERPTS = true;

void run_only(const std::optional<Excerpt>& excerpt) {
  using Blocks = simulator::LaunchExcerpt::Blocks;
  simulator::LaunchExcerpt part;
  if (excerpt) {
    part.blocks = excerpt->blocks == Excerpt::Blocks::first  ? Blocks::first
                  : excerpt->blocks == Excerpt::Blocks::last ? Blocks::last
                                                             : Blocks::all;
    part.count = static_cast<uint64_t>(excerpt->count);
    if (excerpt->turns) part.turns = static_cast<uint64_t>(*excerpt->turns);
  }
  simulator::set_excerpt(part);
}

bool take_cut_short() {
  if (!simulator::take_cut_short()) return false;
  simulator::clear_fault();
  return true;
}

void offer_addresses(int64_t bytes) {
  const auto wanted = static_cast<size_t>(bytes);
  void* const tried =
      mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (tried == MAP_FAILED) {
    throw Error(ExitCode::usage,
                fmt::format("64-bit indices are checked with {} GiB of addresses, nearly all "
                            "untouched, and {}; `ulimit -v unlimited` allows them",
                            bytes >> 30, simulator::host_memory().text()));
  }
  munmap(tried, wanted);
  simulator::current_device().memory.offer_free(static_cast<uint64_t>(bytes));
}

std::vector<KernelCode> take_code() {
  std::vector<KernelCode> all;
  for (const simulator::runtime::KernelCode& code : simulator::runtime::take_kernel_code()) {
    KernelCode& kernel = all.emplace_back(KernelCode{.kernel = code.kernel, .lines = {}});
    for (const simulator::CodeLine& one : code.lines) {
      kernel.lines.push_back({.file = one.where.file, .line = one.where.line, .text = one.text});
    }
  }
  return all;
}

void interrupt() { simulator::interrupt(); }

}  // namespace runner::machine

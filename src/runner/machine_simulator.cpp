// The simulated GPU: it counts and takes no time.
#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "runner/machine.hpp"
#include "runner/promise.hpp"
#include "simulator/count/counters.hpp"
#include "simulator/execute/module.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/runtime/diagnostics.hpp"

namespace runner::machine {
namespace {

using simulator::Access;
using simulator::AccessCounters;
using simulator::Counters;

bool is_global_load(const AccessCounters& a) { return a.access == Access::global_load; }
bool is_global_store(const AccessCounters& a) { return a.access == Access::global_store; }
bool is_async_copy(const AccessCounters& a) { return a.access == Access::async_copy; }
// cp.async reads global memory as a load does.
bool is_load(const AccessCounters& a) { return is_global_load(a) || is_async_copy(a); }
bool is_global(const AccessCounters& a) { return simulator::is_global(a.access); }
bool is_shared(const AccessCounters& a) { return simulator::is_shared(a.access); }
bool is_local(const AccessCounters& a) { return simulator::is_local(a.access); }

// The sum of one counter over the accesses of a kind, to one buffer where `buffer` names one.
template <typename Value>
double sum(const Counters& counters, bool (*kind)(const AccessCounters&), char buffer,
           Value value) {
  double total = 0;
  for (const AccessCounters& a : counters.accesses) {
    if (kind(a) && (buffer == '-' || a.buffer == std::string_view(&buffer, 1))) {
      total += static_cast<double>(std::invoke(value, a));
    }
  }
  return total;
}

// Nothing where the denominator counted nothing: a rung that loads nothing has no sectors per request.
std::optional<double> ratio(double numerator, double denominator) {
  if (denominator == 0) return std::nullopt;
  return numerator / denominator;
}

std::optional<double> sectors_per_request(const Counters& c, bool (*kind)(const AccessCounters&),
                                          char buffer) {
  return ratio(sum(c, kind, buffer, &AccessCounters::sectors),
               sum(c, kind, buffer, &AccessCounters::requests));
}

std::optional<double> flops_per_byte(const Counters& c) {
  return ratio(static_cast<double>(c.flops),
               sum(c, is_global, '-', &AccessCounters::bytes_fetched));
}

double shared_load_lanes(const Counters& c) {
  return sum(
      c, [](const AccessCounters& a) { return a.access == Access::shared_load; }, '-',
      &AccessCounters::lanes);
}

std::optional<double> counted(const Counters& c, const ladder::Claim& claim) {
  const std::string_view counter = claim.counter;
  const char buffer = *claim.buffer == '\0' ? '-' : *claim.buffer;
  if (counter == "load_sectors_per_request") return sectors_per_request(c, is_load, buffer);
  if (counter == "store_sectors_per_request")
    return sectors_per_request(c, is_global_store, buffer);
  if (counter == "load_bytes_per_lane") {
    return ratio(sum(c, is_load, buffer, &AccessCounters::bytes_asked),
                 sum(c, is_load, buffer, &AccessCounters::lanes));
  }
  if (counter == "flops_per_global_byte") return flops_per_byte(c);
  if (counter == "shared_loads_per_ffma") {
    return ratio(shared_load_lanes(c), static_cast<double>(c.ffma));
  }
  if (counter == "shared_bank_conflicts")
    return sum(c, is_shared, '-', &AccessCounters::bank_conflicts);
  if (counter == "async_copy_share") {
    return ratio(sum(c, is_async_copy, buffer, &AccessCounters::bytes_asked),
                 sum(c, is_load, buffer, &AccessCounters::bytes_asked));
  }
  if (counter == "local_bytes") return sum(c, is_local, '-', &AccessCounters::bytes_asked);
  return std::nullopt;
}

// Exact counts, for comparisons from one version of a kernel to the next.
std::vector<std::pair<std::string, uint64_t>> totals_of(const Counters& c) {
  std::vector<std::pair<std::string, uint64_t>> totals;
  const auto add = [&](const std::string& what, bool (*kind)(const AccessCounters&), char buffer,
                       auto value) {
    totals.emplace_back(what, static_cast<uint64_t>(sum(c, kind, buffer, value)));
  };
  for (const char buffer : {'A', 'B', 'C'}) {
    add(fmt::format("load requests {}", buffer), is_load, buffer, &AccessCounters::requests);
    add(fmt::format("load sectors {}", buffer), is_load, buffer, &AccessCounters::sectors);
  }
  add("store requests C", is_global_store, 'C', &AccessCounters::requests);
  add("store sectors C", is_global_store, 'C', &AccessCounters::sectors);
  add("global bytes fetched", is_global, '-', &AccessCounters::bytes_fetched);
  add("global bytes used", is_global, '-', &AccessCounters::bytes_used);
  add("shared wavefronts", is_shared, '-', &AccessCounters::wavefronts);
  add("shared bank conflicts", is_shared, '-', &AccessCounters::bank_conflicts);
  add("local bytes", is_local, '-', &AccessCounters::bytes_asked);
  add("async copy bytes", is_async_copy, '-', &AccessCounters::bytes_asked);
  totals.emplace_back("warp instructions", c.warp_instructions);
  totals.emplace_back("lane instructions", c.lane_instructions);
  totals.emplace_back("ffma", c.ffma);
  totals.emplace_back("flops", c.flops);
  totals.emplace_back("barriers", c.barriers);
  totals.emplace_back("launches", c.launches);
  totals.emplace_back("blocks", c.blocks);
  return totals;
}

Traffic traffic_of(const Counters& c, const ladder::Rung& rung, const ladder::Sgemm& problem) {
  Traffic traffic;
  const auto add = [&](const char* what, bool (*kind)(const AccessCounters&), char buffer) {
    if (const auto value = sectors_per_request(c, kind, buffer)) {
      traffic.sectors_per_request.emplace_back(fmt::format("{} {}", what, buffer), *value);
    }
  };
  for (const char buffer : {'A', 'B', 'C'}) add("load", is_load, buffer);
  add("store", is_global_store, 'C');
  traffic.load_sectors_per_request = sectors_per_request(c, is_load, '-').value_or(0);
  traffic.bytes_used_over_fetched = ratio(sum(c, is_global, '-', &AccessCounters::bytes_used),
                                          sum(c, is_global, '-', &AccessCounters::bytes_fetched))
                                        .value_or(0);
  traffic.flops_per_byte = flops_per_byte(c).value_or(0);
  traffic.totals = totals_of(c);
  traffic.seconds = c.seconds;
  if (applies(rung.promise, problem)) {
    for (const ladder::Claim& claim : rung.promise.claims) {
      traffic.promise.push_back(check_claim(claim, counted(c, claim)));
    }
  }
  return traffic;
}

}  // namespace

const char* const name = "simulator";
const bool measures_time = false;
const int64_t default_size = 256;
// Allocations know their bounds here: an access beside a matrix is a fault with its line and thread, which
// says more than spoilt poison. Poison would only hide it.
const int64_t guard = 0;

Device open() {
  simulator::set_fault_output(false);  // last_failure() is printed below the table instead
  return {.name = "simulated GPU",
          .detail = fmt::format("sm_{}{}", simulator::device_limits().compute_major,
                                simulator::device_limits().compute_minor),
          .memory_bytes = static_cast<int64_t>(simulator::DeviceMemory::instance().total_bytes())};
}

void name_matrices(const ladder::Sgemm& p) {
  auto& memory = simulator::DeviceMemory::instance();
  const auto name_one = [&memory](const float* matrix, const char* as) {
    if (matrix != nullptr) memory.set_name(reinterpret_cast<uint64_t>(matrix), as);
  };
  name_one(p.A, "A");
  name_one(p.B, "B");
  name_one(p.C, "C");
}

cudaError_t run(const ladder::Rung& rung, const ladder::Sgemm& problem,
                std::optional<Traffic>& traffic) {
  simulator::reset_counters();
  cudaError_t error = ladder::launch(rung, problem, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  const Counters counters = simulator::counters();
  // The reference works on the host: nothing of it can be counted.
  if (counters.launches > 0) traffic = traffic_of(counters, rung, problem);
  return error;
}

std::optional<Timing> time(const ladder::Rung&, const ladder::Sgemm&, const MeasureOptions&) {
  return std::nullopt;
}

std::string last_failure() {
  const auto fault = simulator::last_fault();
  return fault ? fault->text() : "";
}

void vary_order(uint64_t seed) { simulator::set_schedule(seed); }

std::optional<uint64_t> blocks_run() { return simulator::program_counters().blocks; }

void interrupt() { simulator::interrupt(); }

}  // namespace runner::machine

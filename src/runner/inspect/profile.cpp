#include "runner/inspect/profile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/own_program.hpp"
#include "results/files/json.hpp"
#include "results/tables/table_cells.hpp"
#include "results/values/counts.hpp"
#include "results/values/metrics.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/inspect/nsight.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/baselines.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/launch_once.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

namespace counts = results::counts;
using device::Claim;
using device::Relation;
using results::ratio;
using results::Result;
using results::Run;
using results::Traffic;

constexpr double BYTES_OF_A_SECTOR = 32, LANES = 32;

// ---- Claims.

// A metric of a buffer's accesses: the quotient of two counts. A device has both counts only as sums over buffers.
struct PerRequest {
  const char* metric;
  const char *sum, *requests;
};
constexpr PerRequest PER_REQUEST[] = {
    {"load_sectors_per_request", counts::LOAD_SECTORS, counts::LOAD_REQUESTS},
    {"load_lines_per_request", counts::LOAD_LINES, counts::LOAD_REQUESTS},
    {"store_sectors_per_request", counts::STORE_SECTORS, counts::STORE_REQUESTS},
};

const PerRequest* per_request(const Claim& claim) {
  const auto* const found =
      std::ranges::find(PER_REQUEST, std::string_view(claim.counter), &PerRequest::metric);
  return found == std::end(PER_REQUEST) || *claim.buffer == '\0' ? nullptr : found;
}

// Returns the relation of a sum whose parts have these relations; nothing if one bounds it above and another below.
std::optional<Relation> relation_of_sum(const std::vector<Claim>& parts) {
  Relation relation = Relation::equal;
  for (const Claim& part : parts) {
    if (part.relation == Relation::equal) continue;
    if (relation != Relation::equal && relation != part.relation) return std::nullopt;
    relation = part.relation;
  }
  return relation;
}

// Returns the claims of one metric on several buffers, as one claim on their sum.
std::optional<DeviceClaim> check_sum(const PerRequest& metric, const std::vector<Claim>& claims,
                                     const Traffic& counted, const Traffic* simulated) {
  const std::optional<Relation> relation = relation_of_sum(claims);
  const auto now = ratio(counted.count(metric.sum), counted.count(metric.requests));
  if (!relation || !now || simulated == nullptr) return std::nullopt;
  double claimed = 0, requests = 0;
  std::string note, unclaimed;
  for (const results::Count& one : simulated->counts) {
    if (one.key != metric.requests) continue;
    requests += static_cast<double>(one.value);
    const auto claim =
        std::ranges::find(claims, one.buffer, [](const Claim& c) { return std::string(c.buffer); });
    if (claim == claims.end()) {
      claimed += simulated->count(metric.sum, one.buffer).value_or(0);
      unclaimed += fmt::format("{}{}", unclaimed.empty() ? "" : ", ", one.buffer);
      continue;
    }
    claimed += claim->value * static_cast<double>(one.value);
    note += fmt::format("{}{} {:g}", note.empty() ? "" : ", ", one.buffer, claim->value);
  }
  if (requests == 0) return std::nullopt;
  if (claims.size() > 1) note += ", by their requests";
  if (!unclaimed.empty()) note += fmt::format("; {} as simulated", unclaimed);
  const Claim sum{metric.metric, "", *relation, claimed / requests};
  return DeviceClaim{check_claim(sum, now), note};
}

// A device's figure for a claim on the whole launch, its relation to the claim, and a note on its origin.
struct Stand {
  std::optional<double> figure{};
  Relation relation{};
  std::string note{};
};

Stand stand_for(const Claim& claim, const Traffic& counted) {
  const std::string_view key = claim.counter;
  if (*claim.buffer != '\0') return {};
  if (key == "shared_bank_conflicts") {
    return {counted.count(counts::SHARED_LOAD_CONFLICTS), claim.relation,
            "of loads: to stores the device's arbitration adds some at random"};
  }
  if (key == "shared_store_wavefronts_per_request") {
    if (claim.relation == Relation::at_most) return {};
    return {
        ratio(counted.count(counts::SHARED_STORE_WAVEFRONTS), counted.count(counts::SHARED_STORES)),
        Relation::at_least, "at least: the device's arbitration adds some at random"};
  }
  const auto ffma = counted.count(counts::FFMA);
  if (key == "shared_loads_per_ffma") {
    const auto loads = counted.count(counts::SHARED_LOADS);
    if (claim.relation != Relation::at_most || !loads) return {};
    return {ratio(*loads * LANES, ffma), claim.relation,
            "with 32 lanes a load, the most there are"};
  }
  const auto loaded = counted.count(counts::LOAD_SECTORS);
  const auto stored = counted.count(counts::STORE_SECTORS);
  if (key == "flops_per_global_byte") {
    if (claim.relation != Relation::at_least || !ffma || !loaded || !stored) return {};
    return {ratio(2 * *ffma, (*loaded + *stored) * BYTES_OF_A_SECTOR), claim.relation,
            "of FFMA alone"};
  }
  if (key == "global_sectors" && loaded && stored) return {*loaded + *stored, claim.relation};
  return {runner::counted(Result{.seen = {.traffic = counted}}, claim), claim.relation};
}

// ---- Text.

std::string grouped(uint64_t value) { return results::thousands_apart(fmt::format("{}", value)); }

std::string difference(double device, double simulated, const NsightMetric& metric) {
  if (device == simulated) return "equal";
  const double by = std::abs(device - simulated);
  return fmt::format("{} {}{}{}", grouped(static_cast<uint64_t>(by)),
                     device > simulated ? "more" : "fewer",
                     metric.may_differ == nullptr ? "" : ": ",
                     metric.may_differ == nullptr ? "" : metric.may_differ);
}

std::string counters_text(const Traffic& counted, const Traffic* simulated,
                          const text::Page& page) {
  std::string text = fmt::format("  {:<26}{:>14}{:>14}\n", "", "device", "simulator");
  const char* before = "";
  for (const NsightMetric& metric : nsight_metrics()) {
    if (std::string_view(before) == metric.count) continue;  // another part of the same count
    before = metric.count;
    const auto device = counted.count(metric.count);
    const auto here = simulated == nullptr ? std::nullopt : simulated->count(metric.count);
    if (device.value_or(0) == 0 && here.value_or(0) == 0) continue;
    const auto cell = [](std::optional<double> value) {
      return value ? grouped(static_cast<uint64_t>(*value)) : "-";
    };
    std::string line = fmt::format("  {:<26}{:>14}{:>14}", metric.name, cell(device), cell(here));
    if (device && here) line += "  " + difference(*device, *here, metric);
    text += text::wrap(line, page.width, 58) + "\n";
  }
  return text;
}

std::string of_buffer(const std::string& buffer) { return buffer.empty() ? "" : " of " + buffer; }

std::string claims_text(const Workload& workload, const Traffic& counted, const Traffic* simulated,
                        const text::Page& page) {
  const text::Signs signs(page.unicode);
  const DeviceClaims claims = check_on_device(workload.claims, counted, simulated);
  std::string text;
  for (const auto& [claim, note] : claims.checked) {
    const std::string line = fmt::format(
        "  {} {}{} {} {:g}: {:g}{}", claim.kept ? signs.right : signs.wrong,
        results::metric(claim.counter).name, of_buffer(claim.buffer), claim.relation, claim.value,
        claim.counted.value_or(0), note.empty() ? "" : fmt::format(" ({})", note));
    text += text::wrap(line, page.width, 4) + "\n";
  }
  std::vector<std::string> not_counted;
  bool of_widths = false;
  for (const Claim& claim : claims.not_counted) {
    const results::Metric& metric = results::metric(claim.counter);
    not_counted.push_back(fmt::format("{}{}", metric.name, of_buffer(claim.buffer)));
    of_widths |= std::string_view(claim.counter).ends_with("bytes_per_lane");
  }
  if (!not_counted.empty()) {
    const std::string line = fmt::format(
        "  {} claimed, and not counted on the device: {}{}", signs.none,
        fmt::join(not_counted, ", "),
        of_widths ? fmt::format(" ('sgemm_runner sass {}' shows widths)", workload.words.front())
                  : "");
    text += text::wrap(line, page.width, 4) + "\n";
  }
  if (text.empty()) text = "  its promise does not speak of this size\n";
  return text;
}

// ---- The run.

Run read_recorded(const std::string& file) {
  try {
    return results::read_run(file);
  } catch (const results::Unusable& error) {
    throw Error(ExitCode::failure, error.what());
  }
}

std::vector<std::string> command_of(const Workload& workload) {
  std::vector<std::string> command{own_program().string(), "profile"};
  for (const std::string& word : workload.words) command.push_back(word);
  command.emplace_back("--once");
  return command;
}

bool has_device() {
  if (machine::KIND != results::Machine::cuda) return false;
  try {
    machine::open();
    return true;
  } catch (const Error& error) {
    if (error.code() == ExitCode::no_device) return false;
    throw;
  }
}

// Returns the simulated GPU's recorded counts of the workload; nullptr if there are none.
const Traffic* simulated_of(const Run& simulated, const Workload& workload) {
  const Result* known = find_result(simulated, workload);
  return known == nullptr || !known->seen.traffic ? nullptr : &*known->seen.traffic;
}

// Compares the promise with the device's counts.
void hold(const Workload& workload, const Run& simulated, Result& result) {
  if (!result.seen.traffic) return;
  result.judged.claims.clear();
  const DeviceClaims held =
      check_on_device(workload.claims, *result.seen.traffic, simulated_of(simulated, workload));
  for (const DeviceClaim& one : held.checked) result.judged.claims.push_back(one.claim);
}

// Takes the workloads that were recorded on a device.
void take_recorded(const std::vector<Workload>& workloads, const Run& recorded,
                   const Run& simulated, Run& done) {
  done.from = recorded.from;
  std::vector<std::string> lacking;
  for (const Workload& workload : workloads) {
    if (const Result* found = find_result(recorded, workload)) {
      hold(workload, simulated, done.results.emplace_back(*found));
    } else {
      lacking.push_back(fmt::format("{} at {}", workload.name, workload.size));
    }
  }
  if (lacking.empty()) return;
  const std::string text = fmt::format(
      "no device's counters of {}{} are recorded, and there is no GPU here to count on",
      lacking.front(),
      lacking.size() == 1 ? "" : fmt::format(" (nor of {} others)", lacking.size() - 1));
  if (done.results.empty()) throw Error(ExitCode::no_device, text);
  warn(text);
}

std::string where_of(const Run& run, const Result& result, bool is_recorded) {
  if (!is_recorded) return run.from.device;
  const std::string date = (result.date.empty() ? run.from.date : result.date).substr(0, 10);
  return fmt::format("{}, recorded on {} (no GPU here)", run.from.device, date);
}

ExitCode verdict_on(const Run& run) {
  if (interrupted()) return ExitCode::interrupted;
  const bool all_right =
      !run.results.empty() && std::ranges::all_of(run.results, &Result::is_right);
  return all_right ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace

DeviceClaims check_on_device(const std::vector<Claim>& claims, const Traffic& counted,
                             const Traffic* simulated) {
  DeviceClaims found;
  std::vector<const PerRequest*> done;
  for (const Claim& claim : claims) {
    if (const PerRequest* metric = per_request(claim)) {
      if (std::ranges::find(done, metric) != done.end()) continue;
      done.push_back(metric);
      std::vector<Claim> alike;
      std::ranges::copy_if(claims, std::back_inserter(alike),
                           [&](const Claim& other) { return per_request(other) == metric; });
      if (auto checked = check_sum(*metric, alike, counted, simulated)) {
        found.checked.push_back(std::move(*checked));
      } else {
        found.not_counted.insert(found.not_counted.end(), alike.begin(), alike.end());
      }
      continue;
    }
    const Stand stand = stand_for(claim, counted);
    if (!stand.figure) {
      found.not_counted.push_back(claim);
      continue;
    }
    Claim judged = claim;
    judged.relation = stand.relation;
    found.checked.push_back({check_claim(judged, stand.figure), stand.note});
  }
  return found;
}

const Result* find_result(const Run& run, const Workload& workload) {
  const std::string name = results::full_name(workload.result());
  for (const Result& result : run.results) {
    if (results::full_name(result) == name) return &result;
  }
  return nullptr;
}

void profile_all(const std::vector<Workload>& workloads, const std::string& ncu,
                 const Run& simulated, bool with_progress, Run& done) {
  const machine::Device device = machine::open();
  ProgressLine progress(with_progress);
  for (const Workload& workload : workloads) {
    stop_if_interrupted();
    if (!ladder::suffices(device.compute_capability, workload.needs)) {
      warn(fmt::format("{} needs another device than {}; it is left out", workload.name,
                       device.name));
      continue;
    }
    progress.say(fmt::format("{} at {}: Nsight Compute", workload.name, workload.size));
    Result result = verified(workload);
    const NsightCounts counted = count_with_nsight(ncu, command_of(workload));
    for (const std::string& missing : counted.missing) {
      warn(fmt::format("Nsight Compute gives no {} here", missing));
    }
    result.seen.traffic = counted.traffic;
    result.seen.lines.clear();
    hold(workload, simulated, result);
    done.results.push_back(std::move(result));
  }
}

std::string profile_text(const Workload& workload, const Result& counted, const Traffic* simulated,
                         const std::string& where, const text::Page& page) {
  std::string text =
      text::wrap(fmt::format("{} at {}: {}", workload.name, workload.size, where), page.width, 2) +
      "\n";
  if (!counted.judged.correct)
    text += fmt::format("  WRONG RESULT: {}\n", counted.judged.complaint);
  if (!counted.seen.traffic) return text + "  nothing was counted\n";
  text += counters_text(*counted.seen.traffic, simulated, page);
  return text + claims_text(workload, *counted.seen.traffic, simulated, page);
}

ExitCode run(const ProfileRequest& request) {
  catch_signals(machine::interrupt);
  if (request.once) {
    machine::open();
    for (const Workload& workload : request.workloads) launch_once(workload);
    return ExitCode::ok;
  }
  const text::Page page = stdout_page(request.color);
  std::unique_ptr<OutputFile> json_file;
  if (!request.json_file.empty()) json_file = std::make_unique<OutputFile>(request.json_file);

  const Run simulated = read_recorded(simulated_counters());
  Run done;
  std::optional<Error> failure;
  const bool is_recorded = !has_device();
  if (is_recorded) {
    take_recorded(request.workloads, read_recorded(device_counters()), simulated, done);
  } else {
    const std::string ncu = find_nsight();
    done.from = provenance(request.command_line, true);
    try {
      profile_all(request.workloads, ncu, simulated, true, done);
    } catch (const std::exception&) {
      failure = caught_error();
    }
    if (failure && done.results.empty()) throw Error(*failure);
  }

  if (json_file) json_file->commit(results::to_json(done));
  if (request.json_to_stdout) {
    write_stdout(results::to_json(done));
  } else {
    std::string text;
    for (const Workload& workload : request.workloads) {
      const Result* counted = find_result(done, workload);
      if (counted == nullptr) continue;
      text += (text.empty() ? "" : "\n") +
              profile_text(workload, *counted, simulated_of(simulated, workload),
                           where_of(done, *counted, is_recorded), page);
    }
    write_stdout(text);
  }
  if (failure) warn(fmt::format("{}; what was done before is above", failure->what()));
  return failure ? failure->code() : verdict_on(done);
}

}  // namespace runner

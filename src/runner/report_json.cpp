// Results for programs: JSON and CSV.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "runner/machine.hpp"
#include "runner/promise.hpp"
#include "runner/report.hpp"
#include "runner/select.hpp"

namespace runner {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json number_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json context_of(const Report& report) {
  return {{"date", report.date},
          {"executable", "sgemm_runner"},
          {"num_cpus", std::thread::hardware_concurrency()},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"library_build_type", "release"},
          {"sgemm_runner_version", SGEMM_VERSION},
          {"machine", machine::name},
          {"device", report.device},
          {"device_detail", report.detail}};
}

// A wrong value may be a NaN, which JSON has no number for.
Json exact(float value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

void add_verdict(Json& row, const Verdict& verdict) {
  row["correct"] = verdict.correct;
  row["max_abs_error"] = verdict.max_abs_error;
  row["error_over_bound"] = verdict.error_over_bound;
  row["elements_compared"] = verdict.compared;
  if (verdict.correct) return;
  row["complaint"] = verdict.complaint;
  row["error_occurred"] = true;  // Google Benchmark's word for a row that is not to be used
  row["error_message"] = verdict.complaint;
  if (verdict.first_mismatch) {
    const Mismatch& m = *verdict.first_mismatch;
    row["first_mismatch"] = {
        {"row", m.row}, {"col", m.col}, {"got", exact(m.got)}, {"want", m.want}};
  }
}

void add_traffic(Json& row, const Traffic& traffic) {
  if (!traffic.promise.empty()) {
    row["promise_kept"] = traffic.promise_kept();
    row["promise"] = Json::array();
    for (const ClaimCheck& check : traffic.promise) {
      row["promise"].push_back({{"claim", text(check.claim)},
                                {"counted", number_or_null(check.counted)},
                                {"kept", check.kept}});
    }
  }
  row["sectors_per_request"] = Json::object();
  for (const auto& [what, value] : traffic.sectors_per_request)
    row["sectors_per_request"][what] = value;
  row["load_sectors_per_request"] = traffic.load_sectors_per_request;
  row["bytes_used_over_fetched"] = traffic.bytes_used_over_fetched;
  row["flops_per_byte"] = traffic.flops_per_byte;
  row["counters"] = Json::object();
  for (const auto& [what, count] : traffic.totals) row["counters"][what] = count;
  row["simulation_seconds"] = traffic.seconds;
}

void add_timing(Json& row, const Timing& timing) {
  row["median_ms"] = timing.median_ms;
  row["q1_ms"] = timing.q1_ms;
  row["q3_ms"] = timing.q3_ms;
  row["gflops"] = timing.gflops;
  row["percent_of_cublas"] = number_or_null(timing.percent_of_cublas);
  row["percent_of_peak"] = number_or_null(timing.percent_of_peak);
  row["clock_mhz"] = number_or_null(timing.clock_mhz);
  row["trusted"] = timing.trusted();
  row["doubts"] = timing.doubts;
  row["l2"] = timing.options.cold ? "cold" : "warm";
  row["once"] = timing.options.once;
  row["seconds_at_most"] = timing.options.seconds;
  row["samples_at_most"] = timing.options.samples;
  row["launches_per_sample"] = timing.launches_per_sample;
  row["samples_ms"] = timing.samples_ms;
  row["reference_samples_ms"] = timing.reference_samples_ms;
}

Json row_of(const Report& report, const Row& r) {
  const Problem& p = r.problem;
  const std::string name = fmt::format("sgemm/{}/{}", label(*r.rung), p.size());
  // Google Benchmark's own keys. On the simulator there is no time to give; its tools want a number.
  const double real_time = r.timing    ? r.timing->median_ms
                           : r.traffic ? r.traffic->seconds * 1e3
                                       : 0.0;
  Json row = {{"name", name},
              {"run_name", name},
              {"run_type", "iteration"},
              {"repetitions", 1},
              {"repetition_index", 0},
              {"threads", 1},
              {"iterations", r.timing ? r.timing->samples_ms.size() : size_t{1}},
              {"real_time", real_time},
              {"cpu_time", real_time},
              {"time_unit", "ms"},
              {"kernel_id", r.rung->number},
              {"kernel", r.rung->name},
              {"m", p.M},
              {"n", p.N},
              {"k", p.K},
              {"lda", p.lda},
              {"ldb", p.ldb},
              {"ldc", p.ldc},
              {"alpha", p.alpha},
              {"beta", p.beta},
              {"seed", p.seed},
              {"machine", machine::name},
              {"device", report.device},
              {"date", report.date}};
  if (r.path != nullptr) row["path"] = r.path;
  add_verdict(row, r.verdict);
  if (r.traffic) add_traffic(row, *r.traffic);
  if (r.timing) add_timing(row, *r.timing);
  return row;
}

Json rows_of(const Report& report) {
  Json rows = Json::array();
  for (const Row& row : report.rows) rows.push_back(row_of(report, row));
  return rows;
}

std::string csv_cell(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                     : value.is_null() ? ""
                                       : value.dump();
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The single values of a row; an object's as "object.key". Lists are left out.
std::vector<std::pair<std::string, Json>> flatten(const Json& row) {
  std::vector<std::pair<std::string, Json>> flat;
  for (const auto& [key, value] : row.items()) {
    if (value.is_array()) continue;
    if (!value.is_object()) {
      flat.emplace_back(key, value);
      continue;
    }
    for (const auto& [inner, single] : value.items())
      flat.emplace_back(fmt::format("{}.{}", key, inner), single);
  }
  return flat;
}

}  // namespace

std::string to_json(const Report& report) {
  const Json json = {{"context", context_of(report)}, {"benchmarks", rows_of(report)}};
  return json.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::vector<std::vector<std::pair<std::string, Json>>> rows;
  std::vector<std::string> columns;
  for (const Json& row : rows_of(report)) {
    rows.push_back(flatten(row));
    for (const auto& [key, value] : rows.back()) {
      if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
    }
  }
  std::string csv = fmt::format("{}\n", fmt::join(columns, ","));
  for (const auto& row : rows) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto cell = std::ranges::find(row, columns[i], &std::pair<std::string, Json>::first);
      csv += (i == 0 ? "" : ",") + (cell == row.end() ? std::string() : csv_cell(cell->second));
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace runner

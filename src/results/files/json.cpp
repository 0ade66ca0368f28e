#include "results/files/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>
#include <utility>

#include "results/files/fields.hpp"
#include "results/files/strict_json.hpp"
#include "results/values/counts.hpp"
#include "results/values/line_figures.hpp"
#include "results/values/metrics.hpp"

namespace results {
namespace {

// ---- THE fields of each struct in a file, in the order of writing.

constexpr auto SMALL = Whole<int>{0, INT32_MAX};
constexpr auto LARGE = Whole<int64_t>{0, INT64_MAX};
constexpr auto FIGURE = Number<double>{0, LARGEST};
constexpr auto SIGNED = Number<double>{-LARGEST, LARGEST};
constexpr auto POSITIVE = Number<double>{SMALLEST, LARGEST};
constexpr auto MS = Number<double>{1e-6, 1e9};  // a nanosecond, eleven days
constexpr auto TEXTS = List<Text>{};

constexpr auto ROOFS = std::tuple{
    known("copy_gbytes_per_second", &Roofs::copy_gbytes_per_second, POSITIVE),
    known("fp32_gflops", &Roofs::fp32_gflops, POSITIVE),
};

const char* machine_name(Machine machine) {
  return machine == Machine::simulator ? "simulator" : "cuda";
}

constexpr auto PROVENANCE = std::tuple{
    known("date", &Provenance::date, Date{}),
    known("executable", &Provenance::program, Text{}),
    known("commit", &Provenance::commit, Text{}),
    known("uncommitted_changes", &Provenance::uncommitted_changes, Truth{}),
    known("command_line", &Provenance::command_line, TEXTS),
    needed("machine", &Provenance::machine,
           Word<Machine>{machine_name, 2, "is neither 'simulator' nor 'cuda'"}),
    needed("device", &Provenance::device, Text{}),
    needed("device_detail", &Provenance::device_detail, Text{}),
    known("multiprocessors", &Provenance::multiprocessors, SMALL),
    known("memory_bytes", &Provenance::memory_bytes, LARGE),
    known("driver", &Provenance::driver, Text{}),
    known("cuda", &Provenance::cuda, Text{}),
    known("cublas", &Provenance::cublas, Text{}),
    known("power_limit_watts", &Provenance::power_limit_watts, POSITIVE),
    known("clock_limit_mhz", &Provenance::clock_limit_mhz, POSITIVE),
    known("ecc", &Provenance::ecc, Truth{}),
    known("schedule", &Provenance::schedule, Natural{}),
    known("roofs", &Provenance::roofs, Object<ROOFS>{}),
};

constexpr auto COMPARED_WITH = std::tuple{
    needed("file", &ComparedWith::file, Text{}),
    needed("date", &ComparedWith::date, Date{}),
    known("commit", &ComparedWith::commit, Text{}),
    needed("notes", &ComparedWith::notes, TEXTS),
};

constexpr auto LESSON = std::tuple{
    needed("lab", &Lesson::lab, Text{}),
    needed("question", &Lesson::question, Text{}),
    omitted("answer", &Lesson::answer, LinesOfText{}),
};

// Arguments of calls that cuBLAS may have refused, so they may be any.
constexpr auto ARGUMENT = Whole<int64_t>{INT64_MIN, INT64_MAX};

constexpr auto LOGGED_CALLS = std::tuple{
    needed("entry", &LoggedCalls::entry, Text{}),
    needed("m", &LoggedCalls::M, ARGUMENT),
    needed("n", &LoggedCalls::N, ARGUMENT),
    needed("k", &LoggedCalls::K, ARGUMENT),
    omitted("trans_a", &LoggedCalls::transposes_a, Truth{}),
    omitted("trans_b", &LoggedCalls::transposes_b, Truth{}),
    omitted("batch", &LoggedCalls::batch, ARGUMENT),
    needed("outcome", &LoggedCalls::outcome, Text{}),
    needed("calls", &LoggedCalls::calls, LARGE),
    omitted("timed", &LoggedCalls::timed, LARGE),
    omitted("ms", &LoggedCalls::ms, FIGURE),
};

constexpr auto DISTRIBUTED_SPAN = std::tuple{
    needed("is_product", &DistributedSpan::is_product, Truth{}),
    needed("panel", &DistributedSpan::panel, LARGE),
    needed("begin_s", &DistributedSpan::begin_s, SIGNED),
    needed("end_s", &DistributedSpan::end_s, SIGNED),
};

constexpr auto DISTRIBUTED_PROCESS = std::tuple{
    needed("rank", &DistributedProcess::rank, SMALL),
    needed("host", &DistributedProcess::host, Text{}),
    needed("device", &DistributedProcess::device, Text{}),
    needed("whole_s", &DistributedProcess::whole_s, FIGURE),
    needed("product_s", &DistributedProcess::product_s, FIGURE),
    needed("messages_s", &DistributedProcess::messages_s, FIGURE),
    needed("received_bytes", &DistributedProcess::received_bytes, LARGE),
    omitted("spans", &DistributedProcess::spans, List<Object<DISTRIBUTED_SPAN>>{}),
};

constexpr auto SIZE = Whole<int64_t>{0, (int64_t{1} << 40) - 1};
constexpr auto FACTOR =
    Number<float>{-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
constexpr auto SIDE_OF_GRID = Whole<int>{1, INT32_MAX};

constexpr auto DISTRIBUTED = std::tuple{
    needed("m", &DistributedProduct::M, SIZE),
    needed("n", &DistributedProduct::N, SIZE),
    needed("k", &DistributedProduct::K, SIZE),
    omitted("trans_a", &DistributedProduct::transposes_a, Truth{}),
    omitted("trans_b", &DistributedProduct::transposes_b, Truth{}),
    needed("alpha", &DistributedProduct::alpha, FACTOR),
    needed("beta", &DistributedProduct::beta, FACTOR),
    needed("seed", &DistributedProduct::seed, Natural{}),
    needed("grid_rows", &DistributedProduct::grid_rows, SIDE_OF_GRID),
    needed("grid_cols", &DistributedProduct::grid_cols, SIDE_OF_GRID),
    needed("block", &DistributedProduct::block, SIZE),
    needed("panel", &DistributedProduct::panel, SIZE),
    needed("kernel", &DistributedProduct::kernel, Text{}),
    needed("carrier", &DistributedProduct::carrier, Text{}),
    needed("correct", &DistributedProduct::correct, Truth{}),
    needed("error_over_bound", &DistributedProduct::error_over_bound, AnyNumber<double>{}),
    needed("elements_compared", &DistributedProduct::elements_compared, LARGE),
    omitted("failures", &DistributedProduct::failures, TEXTS),
    needed("samples_s", &DistributedProduct::samples_s, List<Number<double>>{FIGURE}),
    omitted("reproducible", &DistributedProduct::reproducible, Truth{}),
    omitted("usual_samples_s", &DistributedProduct::usual_samples_s, List<Number<double>>{FIGURE}),
    omitted("device_bytes", &DistributedProduct::device_bytes, LARGE),
    omitted("tiles", &DistributedProduct::tiles, LARGE),
    omitted("tiles_found", &DistributedProduct::tiles_found, LARGE),
    omitted("bits", &DistributedProduct::bits, Text{}),
    omitted("one_gpu_samples_s", &DistributedProduct::one_gpu_samples_s,
            List<Number<double>>{FIGURE}),
    omitted("cublas_samples_s", &DistributedProduct::cublas_samples_s,
            List<Number<double>>{FIGURE}),
    omitted("cublasmp_samples_s", &DistributedProduct::cublasmp_samples_s,
            List<Number<double>>{FIGURE}),
    omitted("model_s", &DistributedProduct::model_s, FIGURE),
    needed("least_bytes", &DistributedProduct::least_bytes, LARGE),
    needed("processes", &DistributedProduct::processes, List<Object<DISTRIBUTED_PROCESS>>{}),
    Follows{"seconds", seconds_of, FIGURE},
    Follows{"hidden_share", hidden_share, Number<double>{0, 1}},
    Follows{"received_bytes", received_bytes, LARGE},
    Follows{"efficiency", efficiency_of, FIGURE},
    Follows{"share_of_cublas", share_of_cublas, FIGURE},
};

constexpr auto COMPARED = std::tuple{
    needed("verdict", &Compared::verdict, Word<Change>{name_of, 6, "is no verdict"}),
    needed("reasons", &Compared::reasons, TEXTS),
    omitted("base_percent", &Compared::base_percent, Three<Number<double>>{FIGURE}),
    omitted("base_ms", &Compared::base_ms, FIGURE),
    omitted("change_percent", &Compared::change_percent, SIGNED),
    omitted("threshold_percent", &Compared::threshold_percent, FIGURE),
    omitted("p_value", &Compared::p_value, FIGURE),
};

constexpr auto JUDGED_ROW = std::tuple{
    needed("name", &JudgedRow::name, Text{}),
    needed("kernel", &JudgedRow::kernel, Text{}),
    omitted("m", &JudgedRow::M, SIZE),
    omitted("n", &JudgedRow::N, SIZE),
    omitted("k", &JudgedRow::K, SIZE),
    omitted("quartiles_ms", &JudgedRow::quartiles_ms, Three<Number<double>>{MS}),
    omitted("clock_mhz", &JudgedRow::clock_mhz, POSITIVE),
    omitted("slowdowns", &JudgedRow::slowdowns, TEXTS),
    omitted("base_rank", &JudgedRow::base_rank, SMALL),
    Within{&JudgedRow::compared, COMPARED},
};

constexpr auto JUDGED_GPU = std::tuple{
    needed("rank", &JudgedGpu::rank, SMALL),
    needed("host", &JudgedGpu::host, Text{}),
    needed("gpu", &JudgedGpu::gpu, Text{}),
    known("device", &JudgedGpu::device, Text{}),
    known("driver", &JudgedGpu::driver, Text{}),
    known("cuda", &JudgedGpu::cuda, Text{}),
    known("cublas", &JudgedGpu::cublas, Text{}),
    known("power_limit_watts", &JudgedGpu::power_limit_watts, POSITIVE),
    needed("verdict", &JudgedGpu::verdict, Word<GpuVerdict>{name_of, 8, "is no verdict on a GPU"}),
    needed("reasons", &JudgedGpu::reasons, TEXTS),
    known("clocks_mhz", &JudgedGpu::clocks_mhz, Three<Number<double>>{POSITIVE}),
    needed("rows", &JudgedGpu::rows, List<Object<JUDGED_ROW>>{}),
};

constexpr auto CONTEXT = std::tuple{
    Within{&Run::from, PROVENANCE},
    omitted("compared_with", &Run::compared_with, Object<COMPARED_WITH>{}),
    omitted("labs", &Run::lessons, List<Object<LESSON>>{}),
    omitted("calls", &Run::calls, List<Object<LOGGED_CALLS>>{}),
    omitted("distributed", &Run::distributed, List<Object<DISTRIBUTED>>{}),
    omitted("acceptance", &Run::acceptance, List<Object<JUDGED_GPU>>{}),
};

constexpr auto IDENTITY = std::tuple{
    needed("set", &Identity::set, Text{}),
    known("kernel_id", &Identity::number, SMALL),
    needed("kernel", &Identity::name, Text{}),
    omitted("variant", &Identity::variant, Text{}),
    omitted("parameters", &Identity::parameters, Members<Whole<int64_t>>{{INT64_MIN, INT64_MAX}}),
};

constexpr auto STRIDE = Whole<int64_t>{1, SIZE.most};
constexpr auto BATCH = Whole<int64_t>{1, SIZE.most};
constexpr auto OFFSET = Whole<int64_t>{0, LARGEST_OFFSET};

constexpr auto PROBLEM = std::tuple{
    needed("m", &Problem::M, SIZE),
    needed("n", &Problem::N, SIZE),
    needed("k", &Problem::K, SIZE),
    needed("lda", &Problem::lda, STRIDE),
    needed("ldb", &Problem::ldb, STRIDE),
    needed("ldc", &Problem::ldc, STRIDE),
    omitted("offset_a", &Problem::offset_a, OFFSET),
    omitted("offset_b", &Problem::offset_b, OFFSET),
    omitted("offset_c", &Problem::offset_c, OFFSET),
    needed("alpha", &Problem::alpha, FACTOR),
    needed("beta", &Problem::beta, FACTOR),
    needed("seed", &Problem::seed, Natural{}),
    omitted("data", &Problem::data,
            Word<Data>{name_of, EVERY_DATA.size(), "is no data that this version knows"}),
    omitted("trans_a", &Problem::transposes_a, Truth{}),
    omitted("trans_b", &Problem::transposes_b, Truth{}),
    omitted("batch", &Problem::batch, BATCH),
    omitted("stride_a", &Problem::stride_a, SIZE),
    omitted("stride_b", &Problem::stride_b, SIZE),
    omitted("stride_c", &Problem::stride_c, SIZE),
};

constexpr auto EXPECTED_RUNG = std::tuple{
    needed("kernel_id", &ExpectedRung::number, SMALL),
    needed("kernel", &ExpectedRung::name, Text{}),
    needed("us", &ExpectedRung::us, FIGURE),
};

constexpr auto SUBJECT = std::tuple{
    omitted("useful_bytes", &Result::useful_bytes, LARGE),
    omitted("below_fp32", &Result::below_fp32, Text{}),
    omitted("idea", &Result::idea, Text{}),
    omitted("path", &Result::path, Text{}),
    omitted("expected", &Result::expected, List<Object<EXPECTED_RUNG>>{}),
};

constexpr auto DAY = std::tuple{known("date", &Result::date, Date{})};

constexpr auto COMPARISON =
    std::tuple{omitted("comparison", &Result::compared, Object<COMPARED>{})};

constexpr auto ACCURACY = std::tuple{
    needed("correct", &Judgement::correct, Truth{}),
    needed("max_abs_error", &Judgement::max_abs_error, AnyNumber<double>{}),
    needed("error_over_bound", &Judgement::error_over_bound, AnyNumber<double>{}),
    needed("elements_compared", &Judgement::compared, LARGE),
};

// The first four are metrics with the same keys.
constexpr auto ERRORS = std::tuple{
    omitted("frobenius_error", &Errors::frobenius, FIGURE),
    omitted("largest_error", &Errors::largest, FIGURE),
    omitted("reference_frobenius_error", &Errors::reference_frobenius, FIGURE),
    omitted("reference_largest_error", &Errors::reference_largest, FIGURE),
    needed("wrong_infinities", &Errors::wrong_infinities, LARGE),
    needed("reference_wrong_infinities", &Errors::reference_wrong_infinities, LARGE),
    omitted("frobenius_floor", &Errors::frobenius_floor, FIGURE),
    omitted("frobenius_share", &Errors::frobenius_share, FIGURE),
    omitted("largest_floor", &Errors::largest_floor, FIGURE),
};

constexpr auto FAILURE = std::tuple{
    known("error_message", &Judgement::complaint, LinesOfText{}),  // Google Benchmark's word
    known("cuda_error", &Judgement::error, Text{}),
    known("failure", &Judgement::failure, LinesOfText{}),
};

constexpr auto MISMATCH = std::tuple{
    needed("row", &Mismatch::row, LARGE),
    needed("col", &Mismatch::col, LARGE),
    omitted("product", &Mismatch::product, LARGE),
    needed("got", &Mismatch::got, AnyNumber<float>{}),
    needed("want", &Mismatch::want, AnyNumber<double>{}),
    needed("bound", &Mismatch::bound, AnyNumber<double>{}),
};

constexpr auto FIRST_MISMATCH =
    std::tuple{omitted("first_mismatch", &Judgement::first_mismatch, Object<MISMATCH>{})};

// The key of a metric. Only this program knows the list of metrics.
struct MetricKey : Text {
  static std::string read(const Place& place) {
    if (find_metric(place.text()) == nullptr) place.refuse("is no metric");
    return place.text();
  }
};

constexpr auto CLAIM = std::tuple{
    needed("counter", &CheckedClaim::counter, MetricKey{}),
    needed("buffer", &CheckedClaim::buffer, Text{}),
    needed("relation", &CheckedClaim::relation, Text{}),
    needed("value", &CheckedClaim::value, SIGNED),
    known("counted", &CheckedClaim::counted, SIGNED),
    needed("kept", &CheckedClaim::kept, Truth{}),
};

constexpr auto PROMISE = std::tuple{omitted("promise", &Judgement::claims, List<Object<CLAIM>>{})};

constexpr auto CONTRACT = std::tuple{
    needed("contract_checks", &Judgement::contract_checks, SMALL),
    needed("contract_broken", &Judgement::contract,
           List<Joined<BrokenCheck>>{{&BrokenCheck::name, ": ", &BrokenCheck::complaint}}),
};

constexpr auto DOUBTS = std::tuple{known("doubts", &Judgement::doubts, TEXTS)};

constexpr auto EFFORT =
    std::tuple{omitted("simulation_seconds", &Traffic::simulation_seconds, FIGURE)};

const char* l2_name(bool cold) { return cold ? "cold" : "warm"; }
const char* reference_name(bool is_copy) { return is_copy ? "copy" : nullptr; }

constexpr auto MEASURE_OPTIONS = std::tuple{
    needed("l2", &MeasureOptions::cold, Word<bool>{l2_name, 2, "is neither 'warm' nor 'cold'"}),
    needed("once", &MeasureOptions::once, Truth{}),
    omitted("no_graph", &MeasureOptions::no_graph, Truth{}),
    omitted("energy", &MeasureOptions::energy, Truth{}),
    needed("seconds_at_most", &MeasureOptions::seconds, POSITIVE),
    needed("samples_at_most", &MeasureOptions::samples, SMALL),
    needed("target_spread", &MeasureOptions::target_spread, Number<double>{0, 1}),
};

constexpr auto TIMING = std::tuple{
    Within{&Timing::options, MEASURE_OPTIONS},
    needed("is_reference", &Timing::is_reference, Truth{}),
    omitted("reference", &Timing::is_against_copy, Word<bool>{reference_name, 2, "is not 'copy'"}),
    needed("launches_per_sample", &Timing::launches_per_sample, SMALL),
    needed("steady", &Timing::steady, Truth{}),
    needed("clocks_mhz", &Timing::clocks_mhz, List<Number<double>>{POSITIVE}),
    needed("slowdowns", &Timing::slowdowns, TEXTS),
    known("fp32_peak_gflops", &Timing::fp32_peak_gflops, POSITIVE),
    omitted("reference_clock_mhz", &Timing::reference_clock_mhz, POSITIVE),
    omitted("joules", &Timing::joules, FIGURE),
    omitted("reference_joules", &Timing::reference_joules, FIGURE),
    omitted("fp16_roof_gflops", &Timing::fp16_roof_gflops, POSITIVE),
    needed("samples_ms", &Timing::samples_ms, List<Number<double>>{MS}),
    needed("reference_samples_ms", &Timing::reference_samples_ms, List<Number<double>>{MS}),
    omitted("samples_of_runs", &Timing::samples_of_runs, List<Whole<int>>{{1, INT32_MAX}}),
    omitted("sample_seconds", &Timing::sample_seconds, List<Number<double>>{FIGURE}),
    omitted("sample_clocks_mhz", &Timing::sample_clocks_mhz, List<Number<double>>{FIGURE}),
};

constexpr auto EXTENT = Three<Whole<int64_t>>{{0, INT32_MAX}};

constexpr auto KERNEL = std::tuple{
    needed("name", &Kernel::name, Text{}),
    needed("grid", &Kernel::grid, EXTENT),
    needed("block", &Kernel::block, EXTENT),
    known("registers", &Kernel::registers, SMALL),
    known("shared_bytes", &Kernel::shared_bytes, LARGE),
    known("blocks_per_multiprocessor", &Kernel::blocks_per_multiprocessor, SMALL),
};

constexpr auto LINE = std::tuple{
    needed("file", &Line::file, Text{}),
    needed("line", &Line::line, SMALL),
    needed("instruction", &Line::instruction, Text{}),
    needed("buffer", &Line::buffer, Text{}),
    known("bytes_per_lane", &Line::bytes_per_lane, Whole<uint32_t>{0, INT32_MAX}),
    needed("requests", &Line::requests, Natural{}),
    known("lanes", &Line::lanes, Natural{}),
    known("bytes_used", &Line::bytes_used, Natural{}),
    needed("sectors", &Line::sectors, Natural{}),
    needed("lines", &Line::lines, Natural{}),
    needed("wavefronts", &Line::wavefronts, Natural{}),
    needed("bank_conflicts", &Line::bank_conflicts, Natural{}),
    Follows{"sectors_per_request", sectors_per_request, FIGURE},
    Follows{"bytes_used_over_fetched", bytes_used_over_fetched, FIGURE},
    Follows{"wavefronts_per_request", wavefronts_per_request, FIGURE},
    Follows{"waste", waste_of, Word<Waste>{name_of, 3, "is neither 'none' nor 'some' nor 'much'"}},
};

constexpr auto HAZARD = std::tuple{
    needed("kind", &Hazard::kind, Text{}),     needed("message", &Hazard::message, LinesOfText{}),
    known("kernel", &Hazard::kernel, Text{}),  known("lines", &Hazard::lines, TEXTS),
    known("times", &Hazard::times, Natural{}),
};

constexpr auto KERNELS_AND_LINES = std::tuple{
    omitted("kernels", &Observation::kernels, List<Object<KERNEL>>{}),
    omitted("lines", &Observation::lines, List<Object<LINE>>{}),
};

constexpr auto HAZARDS =
    std::tuple{omitted("hazards", &Observation::hazards, List<Object<HAZARD>>{})};

constexpr auto LEFT_TO_FP64 = std::tuple{
    needed("rows", &LeftToFP64::rows, LARGE),
    needed("cols", &LeftToFP64::cols, LARGE),
    needed("bands", &LeftToFP64::bands, LARGE),
    needed("share", &LeftToFP64::share, Number<double>{0, 1}),
};
constexpr auto WAYS =
    std::tuple{omitted("left_to_fp64", &Observation::left_to_fp64, Object<LEFT_TO_FP64>{})};

// ---- Writing.

// Adds Google Benchmark's own keys, if the result has a time. Its tools expect microseconds or less.
void add_benchmark_keys(Json& row, const Result& r) {
  if (!r.seen.timing) return;
  const double us = 1e3 * value(r, "median_ms").value_or(0);
  row["run_name"] = row["name"];
  row["run_type"] = "iteration";
  row["repetitions"] = 1;
  row["repetition_index"] = 0;
  row["threads"] = 1;
  row["iterations"] = r.seen.timing->samples_ms.size();
  row["real_time"] = us;
  row["cpu_time"] = us;
  row["time_unit"] = "us";
}

// Adds each metric that the result has, for the whole launch.
void add_figures(Json& row, const Result& r, const Roofs& roofs) {
  for (const Metric& m : metrics()) {
    const auto figure = m.in_rows ? m.value(r, "", roofs) : std::nullopt;
    if (figure) row[m.key] = *figure;
  }
}

void add_traffic(Json& row, const Result& r, const Traffic& traffic) {
  row["sectors_per_request"] = Json::object();
  for (const auto& [verb, key, count] :
       {std::tuple{"load", "load_sectors_per_request", counts::LOAD_REQUESTS},
        std::tuple{"store", "store_sectors_per_request", counts::STORE_REQUESTS}}) {
    for (const Count& one : traffic.counts) {
      const auto figure = one.key == count ? value(r, key, one.buffer) : std::nullopt;
      const std::string name = one.buffer.empty() ? verb : fmt::format("{} {}", verb, one.buffer);
      if (figure) row["sectors_per_request"][name] = *figure;
    }
  }
  row["counts"] = Json::object();
  for (const Count& one : traffic.counts) {
    const auto of_a_buffer = [&one](const Count& c) {
      return c.key == one.key && !c.buffer.empty();
    };
    if (std::ranges::any_of(traffic.counts, of_a_buffer)) {  // then "" is a buffer without a name
      row["counts"][one.key][one.buffer] = one.value;
    } else {
      row["counts"][one.key] = one.value;
    }
  }
  write(row, traffic, EFFORT);
}

void add_judgement(Json& row, const Result& r) {
  const Judgement& j = r.judged;
  write(row, j, ACCURACY);
  if (j.errors) write(row, *j.errors, ERRORS);
  if (!j.correct) {
    row["error_occurred"] = true;  // Google Benchmark's word for an unusable row
    write(row, j, FAILURE);
  }
  write(row, j, FIRST_MISMATCH);
  if (!j.claims.empty()) row["promise_kept"] = j.promise_kept();
  write(row, j, PROMISE);
  if (j.contract_checks > 0) write(row, j, CONTRACT);
  if (r.seen.timing) {
    row["trusted"] = j.trusted();
    write(row, j, DOUBTS);
  }
}

Json row_of(const Result& r, const Provenance& from) {
  Json row = {{"name", full_name(r)}};
  add_benchmark_keys(row, r);
  write(row, r.who, IDENTITY);
  if (r.problem) write(row, *r.problem, PROBLEM);
  write(row, r, SUBJECT);
  row["machine"] = machine_name(from.machine);
  row["device"] = from.device;
  write(row, r, DAY);
  if (!r.refusal.empty()) {  // Google Benchmark's words for a row that was skipped
    row["skipped"] = true;
    row["skip_message"] = r.refusal;
    write(row, r, COMPARISON);
    return row;
  }
  add_judgement(row, r);
  add_figures(row, r, from.roofs);
  if (r.seen.traffic) add_traffic(row, r, *r.seen.traffic);
  if (r.seen.timing) write(row, *r.seen.timing, TIMING);
  write(row, r.seen, KERNELS_AND_LINES);
  if (r.seen.looked_for_hazards) row["hazards"] = Json::array();  // an empty list says: none
  write(row, r.seen, HAZARDS);
  write(row, r.seen, WAYS);
  write(row, r, COMPARISON);
  return row;
}

// ---- Reading.

constexpr size_t LONGEST_FILE = size_t{1} << 28;

void check_schema(const Place& context) {
  if (!context.has("schema")) {
    context.refuse(
        "has no 'schema': it is no run of sgemm_runner, or was written by an older version; "
        "record it anew with --json=FILE");
  }
  const int64_t schema = context.at("schema").integer(0, INT32_MAX);
  if (schema != SCHEMA) {
    context.refuse(fmt::format(
        "has schema {}, and this version reads schema {}: {}", schema, SCHEMA,
        schema > SCHEMA ? "use a newer sgemm_runner" : "record it anew with --json=FILE"));
  }
}

Traffic traffic_from(const Place& row) {
  Traffic traffic;
  row.at("counts").for_each_member([&](const std::string& key, const Place& count) {
    if (!count.is_object()) {
      traffic.counts.push_back({key, "", count.natural()});
      return;
    }
    count.for_each_member([&](const std::string& buffer, const Place& one) {
      traffic.counts.push_back({key, buffer, one.natural()});
    });
  });
  read(row, traffic, EFFORT);
  return traffic;
}

Timing timing_from(const Place& row) {
  Timing t;
  read(row, t, TIMING);
  if (!t.clocks_mhz.empty() && t.clocks_mhz.size() != 3) {
    row.at("clocks_mhz").refuse("does not have three values: lowest, median, highest");
  }
  if (t.samples_ms.empty()) row.at("samples_ms").refuse("is empty");
  const auto refuse_unless_as_many = [&](const char* key, const std::vector<double>& values) {
    if (!values.empty() && values.size() != t.samples_ms.size())
      row.at(key).refuse("has not as many values as samples_ms");
  };
  refuse_unless_as_many("reference_samples_ms", t.reference_samples_ms);
  refuse_unless_as_many("sample_seconds", t.sample_seconds);
  refuse_unless_as_many("sample_clocks_mhz", t.sample_clocks_mhz);
  const int64_t of_runs =
      std::accumulate(t.samples_of_runs.begin(), t.samples_of_runs.end(), int64_t{0});
  if (row.has("samples_of_runs") && of_runs != static_cast<int64_t>(t.samples_ms.size()))
    row.at("samples_of_runs").refuse("does not add up to the number of samples_ms");
  return t;
}

Judgement judgement_from(const Place& row) {
  Judgement j;
  read(row, j, ACCURACY);
  if (row.has("wrong_infinities")) read(row, j.errors.emplace(), ERRORS);
  read(row, j, FAILURE);
  read(row, j, FIRST_MISMATCH);
  read(row, j, PROMISE);
  if (row.has("contract_checks")) read(row, j, CONTRACT);
  read(row, j, DOUBTS);
  return j;
}

Result result_from(const Place& row) {
  Result r;
  read(row, r.who, IDENTITY);
  if (row.has("m")) read(row, r.problem.emplace(), PROBLEM);
  if (row.at("name").text() != full_name(r))
    row.at("name").refuse(
        fmt::format("is not '{}', as its kernel and sizes have it", full_name(r)));
  read(row, r, SUBJECT);
  read(row, r, DAY);
  read(row, r, COMPARISON);
  if (row.has("skip_message")) {
    r.refusal = row.at("skip_message").text();
    if (r.refusal.empty()) row.at("skip_message").refuse("is empty");
    return r;
  }
  r.judged = judgement_from(row);
  if (row.has("counts")) r.seen.traffic = traffic_from(row);
  if (row.has("samples_ms")) r.seen.timing = timing_from(row);
  read(row, r.seen, KERNELS_AND_LINES);
  r.seen.looked_for_hazards = row.has("hazards");
  read(row, r.seen, HAZARDS);
  read(row, r.seen, WAYS);
  return r;
}

}  // namespace

std::string to_json(const Run& run) {
  Json rows = Json::array();
  for (const Result& result : run.results) rows.push_back(row_of(result, run.from));
  Json context = {{"schema", SCHEMA}};
  write(context, run, CONTEXT);
  const Json json = {{"context", std::move(context)}, {"benchmarks", std::move(rows)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string schema_json() {
  const auto described = [](const auto&... tables) {
    Json description = Json::object();
    (describe(description, tables), ...);
    return description;
  };
  Json listed = Json::object();
  for (const Metric& m : metrics()) {
    if (!m.in_rows) continue;
    listed[m.key] = {{"name", m.name},
                     {"heading", m.heading},
                     {"unit", m.unit},
                     {"decimals", m.precision},
                     {"hint", m.hint}};
  }
  const Json parts = {
      {"context", described(CONTEXT)},
      {"identity", described(IDENTITY)},
      {"problem", described(PROBLEM)},
      {"row", described(SUBJECT, DAY, COMPARISON, KERNELS_AND_LINES, HAZARDS, WAYS, EFFORT)},
      {"judgement", described(ACCURACY, FAILURE, FIRST_MISMATCH, PROMISE, DOUBTS)},
      {"errors", described(ERRORS)},
      {"contract", described(CONTRACT)},
      {"timing", described(TIMING)},
      {"metrics", std::move(listed)},
  };
  std::string text = fmt::format("{{\n\"schema\": {}", SCHEMA);  // a line for each field
  for (const auto& [part, fields] : parts.items()) {
    text += fmt::format(",\n\"{}\": {{", part);
    const char* before = "\n";
    for (const auto& [key, field] : fields.items()) {
      text += fmt::format("{}  \"{}\": {}", std::exchange(before, ",\n"), key, field.dump());
    }
    text += "\n}";
  }
  return text + "\n}\n";
}

Run run_from_json(std::string_view text) {
  const Json json = strict_json(text);
  const Place file(json, "the file");
  if (!file.is_object() || !file.has("context") || !file.has("benchmarks")) {
    throw Unusable("it is no run of sgemm_runner: 'context' and 'benchmarks' are not in it");
  }
  const Place context(json.at("context"), "context");
  check_schema(context);
  Run run;
  read(context, run, CONTEXT);
  Place(json.at("benchmarks"), "benchmarks").for_each([&](const Place& row) {
    run.results.push_back(result_from(row));
  });
  return run;
}

Run read_run(const std::string& path) {
  const auto unusable = [&](const std::string& why) {
    return Unusable(fmt::format("'{}' cannot be used: {}", path, why));
  };
  std::string text;
  try {
    if (!std::filesystem::exists(path)) throw unusable("there is no such file");
    if (std::filesystem::is_directory(path)) throw unusable("it is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw unusable("it cannot be read");
    char piece[65536];
    while (file.read(piece, sizeof piece), file.gcount() > 0) {
      text.append(piece, static_cast<size_t>(file.gcount()));
      if (text.size() > LONGEST_FILE) throw unusable("it is too long for a run");
    }
    if (file.bad()) throw unusable("it cannot be read");
  } catch (const std::system_error&) {  // of the stream or of the file system
    throw unusable("it cannot be read");
  }
  try {
    return run_from_json(text);
  } catch (const Unusable& error) {
    throw unusable(error.what());
  }
}

}  // namespace results

#include "results/files/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "results/files/strict_json.hpp"
#include "results/values/counts.hpp"
#include "results/values/line_figures.hpp"
#include "results/values/metrics.hpp"
#include "text/foreign.hpp"

namespace results {
namespace {

using Json = nlohmann::ordered_json;

// ---- Writing.

constexpr const char* MACHINES[] = {"simulator", "cuda"};

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A wrong value may be a NaN, which JSON has no number for.
Json exact(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

Json written(const Provenance& p) {
  return {{"schema", SCHEMA},
          {"date", p.date},
          {"executable", p.program},
          {"commit", or_null(p.commit)},
          {"uncommitted_changes", or_null(p.uncommitted_changes)},
          {"command_line", p.command_line},
          {"machine", MACHINES[static_cast<int>(p.machine)]},
          {"device", p.device},
          {"device_detail", p.device_detail},
          {"multiprocessors", or_null(p.multiprocessors)},
          {"memory_bytes", or_null(p.memory_bytes)},
          {"driver", or_null(p.driver)},
          {"cuda", or_null(p.cuda)},
          {"cublas", or_null(p.cublas)},
          {"power_limit_watts", or_null(p.power_limit_watts)},
          {"clock_limit_mhz", or_null(p.clock_limit_mhz)},
          {"ecc", or_null(p.ecc)},
          {"schedule", or_null(p.schedule)},
          {"roofs",
           {{"copy_gbytes_per_second", or_null(p.roofs.copy_gbytes_per_second)},
            {"fp32_gflops", or_null(p.roofs.fp32_gflops)}}}};
}

Json written(const Lesson& l) {
  Json lesson = {{"lab", l.lab}, {"question", l.question}};
  if (!l.answer.empty()) lesson["answer"] = l.answer;
  return lesson;
}

Json written(const ComparedWith& with) {
  return {{"file", with.file},
          {"date", with.date},
          {"commit", or_null(with.commit)},
          {"notes", with.notes}};
}

Json written(const Compared& c) {
  Json comparison = {{"verdict", name_of(c.verdict)}, {"reasons", c.reasons}};
  if (c.base_percent) comparison["base_percent"] = *c.base_percent;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) comparison[key] = *value;
  };
  add("base_ms", c.base_ms);
  add("change_percent", c.change_percent);
  add("threshold_percent", c.threshold_percent);
  add("p_value", c.p_value);
  return comparison;
}

// Google Benchmark's own keys, where there is a time to give. Its tools think in microseconds or less.
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

void add_identity(Json& row, const Identity& who) {
  row["set"] = who.set;
  row["kernel_id"] = or_null(who.number);
  row["kernel"] = who.name;
  if (!who.variant.empty()) row["variant"] = who.variant;
  if (who.parameters.empty()) return;
  row["parameters"] = Json::object();
  for (const auto& [key, value] : who.parameters) row["parameters"][key] = value;
}

void add_problem(Json& row, const Problem& p) {
  row["m"] = p.M;
  row["n"] = p.N;
  row["k"] = p.K;
  row["lda"] = p.lda;
  row["ldb"] = p.ldb;
  row["ldc"] = p.ldc;
  if (p.offset_a != 0) row["offset_a"] = p.offset_a;
  if (p.offset_b != 0) row["offset_b"] = p.offset_b;
  if (p.offset_c != 0) row["offset_c"] = p.offset_c;
  row["alpha"] = p.alpha;
  row["beta"] = p.beta;
  row["seed"] = p.seed;
}

void add_judgement(Json& row, const Result& r) {
  const Judgement& j = r.judged;
  row["correct"] = j.correct;
  row["max_abs_error"] = exact(j.max_abs_error);
  row["error_over_bound"] = exact(j.error_over_bound);
  row["elements_compared"] = j.compared;
  if (!j.correct) {
    row["error_occurred"] = true;  // Google Benchmark's word for a row that is not to be used
    row["error_message"] = j.complaint;
    row["cuda_error"] = j.error;
    row["failure"] = j.failure;
  }
  if (j.first_mismatch) {
    const Mismatch& m = *j.first_mismatch;
    row["first_mismatch"] = {{"row", m.row},
                             {"col", m.col},
                             {"got", exact(m.got)},
                             {"want", exact(m.want)},
                             {"bound", exact(m.bound)}};
  }
  if (!j.claims.empty()) {
    row["promise_kept"] = j.promise_kept();
    row["promise"] = Json::array();
    for (const CheckedClaim& c : j.claims) {
      row["promise"].push_back({{"counter", c.counter},
                                {"buffer", c.buffer},
                                {"relation", c.relation},
                                {"value", c.value},
                                {"counted", or_null(c.counted)},
                                {"kept", c.kept}});
    }
  }
  if (j.contract_checks > 0) {
    row["contract_checks"] = j.contract_checks;
    row["contract_broken"] = j.contract;
  }
  if (r.seen.timing) {
    row["trusted"] = j.trusted();
    row["doubts"] = j.doubts;
  }
}

// Each metric that the result has, of the whole launch.
void add_figures(Json& row, const Result& r, const Roofs& roofs) {
  for (const Metric& m : metrics()) {
    if (const auto figure = m.value(r, "", roofs)) row[m.key] = *figure;
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
    if (std::ranges::any_of(traffic.counts, of_a_buffer)) {  // then "" is one that nobody named
      row["counts"][one.key][one.buffer] = one.value;
    } else {
      row["counts"][one.key] = one.value;
    }
  }
  if (traffic.simulation_seconds > 0) row["simulation_seconds"] = traffic.simulation_seconds;
}

void add_timing(Json& row, const Timing& t) {
  row["l2"] = t.options.cold ? "cold" : "warm";
  row["once"] = t.options.once;
  row["seconds_at_most"] = t.options.seconds;
  row["samples_at_most"] = t.options.samples;
  row["target_spread"] = t.options.target_spread;
  row["is_reference"] = t.is_reference;
  if (t.is_against_copy) row["reference"] = "copy";
  row["launches_per_sample"] = t.launches_per_sample;
  row["steady"] = t.steady;
  row["clocks_mhz"] = t.clocks_mhz;
  row["slowdowns"] = t.slowdowns;
  row["fp32_peak_gflops"] = or_null(t.fp32_peak_gflops);
  row["samples_ms"] = t.samples_ms;
  row["reference_samples_ms"] = t.reference_samples_ms;
  if (!t.samples_of_runs.empty()) row["samples_of_runs"] = t.samples_of_runs;
  if (!t.sample_seconds.empty()) row["sample_seconds"] = t.sample_seconds;
  if (!t.sample_clocks_mhz.empty()) row["sample_clocks_mhz"] = t.sample_clocks_mhz;
}

Json written(const Kernel& k) {
  return {{"name", k.name},
          {"grid", k.grid},
          {"block", k.block},
          {"registers", or_null(k.registers)},
          {"shared_bytes", or_null(k.shared_bytes)},
          {"blocks_per_multiprocessor", or_null(k.blocks_per_multiprocessor)}};
}

Json written(const Line& l) {
  return {{"file", l.file},
          {"line", l.line},
          {"instruction", l.instruction},
          {"buffer", l.buffer},
          {"bytes_per_lane", l.bytes_per_lane},
          {"requests", l.requests},
          {"lanes", l.lanes},
          {"bytes_used", l.bytes_used},
          {"sectors", l.sectors},
          {"lines", l.lines},
          {"wavefronts", l.wavefronts},
          {"bank_conflicts", l.bank_conflicts},
          {"sectors_per_request", or_null(sectors_per_request(l))},
          {"bytes_used_over_fetched", or_null(bytes_used_over_fetched(l))},
          {"wavefronts_per_request", or_null(wavefronts_per_request(l))},
          {"waste", name_of(waste_of(l))}};
}

Json written(const Hazard& h) {
  return {{"kind", h.kind},
          {"message", h.message},
          {"kernel", h.kernel},
          {"lines", h.lines},
          {"times", h.times}};
}

template <typename T>
void add_list(Json& row, const char* key, const std::vector<T>& values) {
  if (values.empty()) return;
  row[key] = Json::array();
  for (const T& value : values) row[key].push_back(written(value));
}

Json row_of(const Result& r, const Provenance& from) {
  Json row = {{"name", full_name(r)}};
  add_benchmark_keys(row, r);
  add_identity(row, r.who);
  if (r.problem) add_problem(row, *r.problem);
  if (r.useful_bytes) row["useful_bytes"] = *r.useful_bytes;
  if (!r.idea.empty()) row["idea"] = r.idea;
  if (!r.path.empty()) row["path"] = r.path;
  row["machine"] = MACHINES[static_cast<int>(from.machine)];
  row["device"] = from.device;
  row["date"] = r.date;
  if (!r.refusal.empty()) {  // Google Benchmark's words for what was not run, and is no failure
    row["skipped"] = true;
    row["skip_message"] = r.refusal;
    if (r.compared) row["comparison"] = written(*r.compared);
    return row;
  }
  add_judgement(row, r);
  add_figures(row, r, from.roofs);
  if (r.seen.traffic) add_traffic(row, r, *r.seen.traffic);
  if (r.seen.timing) add_timing(row, *r.seen.timing);
  add_list(row, "kernels", r.seen.kernels);
  add_list(row, "lines", r.seen.lines);
  if (r.seen.looked_for_hazards) row["hazards"] = Json::array();  // an empty list says: none
  add_list(row, "hazards", r.seen.hazards);
  if (r.compared) row["comparison"] = written(*r.compared);
  return row;
}

// ---- Reading. A file may have been damaged, or edited: each value is checked for what it can be.

constexpr size_t LONGEST_FILE = size_t{1} << 28;
constexpr size_t LONGEST_TEXT = 4096;
constexpr double LARGEST = 1e18, SMALLEST = 1e-9;       // of any figure above 0
constexpr double LONGEST_MS = 1e9, SHORTEST_MS = 1e-6;  // eleven days, a nanosecond

// One place in the file: what complaints name, and what values are taken from.
class Place {
 public:
  Place(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& why) const { throw Unusable(path_ + ": " + why); }

  bool has(const char* key) const {
    if (!json_.is_object()) refuse("is not an object");
    return json_.contains(key) && !json_.at(key).is_null();
  }
  Place at(const char* key) const {
    if (!json_.is_object()) refuse("is not an object");
    if (!json_.contains(key)) refuse(fmt::format("has no '{}'", key));
    return {json_.at(key), fmt::format("{}.{}", path_, key)};
  }
  template <typename Visit>
  void for_each(const Visit& visit) const {
    if (!json_.is_array()) refuse("is not a list");
    for (size_t i = 0; i < json_.size(); ++i)
      visit(Place(json_.at(i), fmt::format("{}[{}]", path_, i)));
  }
  template <typename Visit>
  void for_each_member(const Visit& visit) const {
    if (!json_.is_object()) refuse("is not an object");
    for (const auto& [key, value] : json_.items()) {
      const std::string plain = text::plain_line(beginning(key));
      visit(plain, Place(value, path_ + "." + plain));
    }
  }
  bool is_object() const { return json_.is_object(); }

  std::string text() const { return text::plain_line(raw_text()); }
  std::string text_of_lines() const { return text::plain_lines(raw_text()); }
  bool truth() const {
    if (!json_.is_boolean()) refuse("is neither true nor false");
    return json_.get<bool>();
  }
  int64_t integer(int64_t least, int64_t most) const {
    if (!json_.is_number_integer()) refuse("is not a whole number");
    const bool too_large =
        json_.is_number_unsigned() && json_.get<uint64_t>() > static_cast<uint64_t>(most);
    if (too_large || json_.get<int64_t>() < least || json_.get<int64_t>() > most) {
      refuse(fmt::format("is not between {} and {}", least, most));
    }
    return json_.get<int64_t>();
  }
  uint64_t natural() const {
    if (!json_.is_number_unsigned()) refuse("is not a whole number from 0");
    return json_.get<uint64_t>();
  }
  // "2026-11-22T10:00:00+00:00", or nothing where it is not known.
  std::string date() const {
    const std::string date = text();
    if (!date.empty() && !is_date(date)) refuse("is no date such as 2026-11-22T10:00:00+00:00");
    return date;
  }
  double number(double least, double most) const {
    if (!json_.is_number()) refuse("is not a number");
    const double value = json_.get<double>();
    if (!(value >= least && value <= most)) {
      refuse(fmt::format("is not between {:g} and {:g}", least, most));
    }
    return value;
  }
  double positive() const { return number(SMALLEST, LARGEST); }
  // What exact() wrote.
  double any_number() const {
    if (json_.is_number()) return json_.get<double>();
    const std::string word = text();
    const double infinity = std::numeric_limits<double>::infinity();
    if (word == "inf") return infinity;
    if (word == "-inf") return -infinity;
    if (word == "nan" || word == "-nan") return std::numeric_limits<double>::quiet_NaN();
    refuse("is not a number");
  }

 private:
  static bool is_date(std::string_view text) {
    constexpr std::string_view PATTERN = "9999-99-99T99:99:99";
    const auto fits = [](std::string_view given, std::string_view pattern) {
      return std::ranges::equal(
          given, pattern, [](char c, char p) { return p == '9' ? c >= '0' && c <= '9' : c == p; });
    };
    if (!fits(text.substr(0, PATTERN.size()), PATTERN)) return false;
    const auto number = [&](size_t at) { return 10 * (text[at] - '0') + text[at + 1] - '0'; };
    const std::chrono::year_month_day day{std::chrono::year(100 * number(0) + number(2)),
                                          std::chrono::month(static_cast<unsigned>(number(5))),
                                          std::chrono::day(static_cast<unsigned>(number(8)))};
    if (!day.ok() || number(11) > 23 || number(14) > 59 || number(17) > 59) return false;
    const std::string_view zone = text.substr(PATTERN.size());
    return zone == "Z" || ((zone.starts_with('+') || zone.starts_with('-')) &&
                           fits(zone.substr(1), "99:99") && number(20) <= 23 && number(23) <= 59);
  }
  std::string_view raw_text() const {
    if (!json_.is_string()) refuse("is not a text");
    return beginning(json_.get_ref<const std::string&>());
  }
  static std::string_view beginning(std::string_view text) { return text.substr(0, LONGEST_TEXT); }

  const Json& json_;
  std::string path_;
};

std::vector<std::string> texts(const Place& place) {
  std::vector<std::string> list;
  place.for_each([&](const Place& one) { list.push_back(one.text()); });
  return list;
}

std::vector<double> numbers(const Place& place, double least, double most) {
  std::vector<double> list;
  place.for_each([&](const Place& one) { list.push_back(one.number(least, most)); });
  return list;
}

template <typename Read>
auto optional_at(const Place& place, const char* key, const Read& read)
    -> std::optional<decltype(read(place))> {
  if (!place.has(key)) return std::nullopt;
  return read(place.at(key));
}

constexpr auto TEXT = [](const Place& p) { return p.text(); };
constexpr auto TRUTH = [](const Place& p) { return p.truth(); };
constexpr auto POSITIVE = [](const Place& p) { return p.positive(); };
constexpr auto SMALL = [](const Place& p) { return static_cast<int>(p.integer(0, INT32_MAX)); };
constexpr auto LARGE = [](const Place& p) { return p.integer(0, INT64_MAX); };

Machine machine_from(const Place& place) {
  const std::string word = place.text();
  for (const Machine machine : {Machine::simulator, Machine::cuda}) {
    if (word == MACHINES[static_cast<int>(machine)]) return machine;
  }
  place.refuse("is neither 'simulator' nor 'cuda'");
}

Provenance provenance_from(const Place& c) {
  if (!c.has("schema")) {
    c.refuse(
        "has no 'schema': it is no run of sgemm_runner, or was written by an older version; "
        "record it anew with --json=FILE");
  }
  const int64_t schema = c.at("schema").integer(0, INT32_MAX);
  if (schema != SCHEMA) {
    c.refuse(fmt::format(
        "has schema {}, and this version reads schema {}: {}", schema, SCHEMA,
        schema > SCHEMA ? "use a newer sgemm_runner" : "record it anew with --json=FILE"));
  }
  Provenance p{.machine = machine_from(c.at("machine"))};
  if (c.has("date")) p.date = c.at("date").date();
  if (c.has("executable")) p.program = c.at("executable").text();
  p.commit = optional_at(c, "commit", TEXT);
  p.uncommitted_changes = optional_at(c, "uncommitted_changes", TRUTH);
  if (c.has("command_line")) p.command_line = texts(c.at("command_line"));
  p.device = c.at("device").text();
  p.device_detail = c.at("device_detail").text();
  p.multiprocessors = optional_at(c, "multiprocessors", SMALL);
  p.memory_bytes = optional_at(c, "memory_bytes", LARGE);
  p.driver = optional_at(c, "driver", TEXT);
  p.cuda = optional_at(c, "cuda", TEXT);
  p.cublas = optional_at(c, "cublas", TEXT);
  p.power_limit_watts = optional_at(c, "power_limit_watts", POSITIVE);
  p.clock_limit_mhz = optional_at(c, "clock_limit_mhz", POSITIVE);
  p.ecc = optional_at(c, "ecc", TRUTH);
  if (c.has("schedule")) p.schedule = c.at("schedule").natural();
  if (c.has("roofs")) {
    const Place roofs = c.at("roofs");
    p.roofs.copy_gbytes_per_second = optional_at(roofs, "copy_gbytes_per_second", POSITIVE);
    p.roofs.fp32_gflops = optional_at(roofs, "fp32_gflops", POSITIVE);
  }
  return p;
}

Identity identity_from(const Place& row) {
  Identity who{.set = row.at("set").text(), .name = row.at("kernel").text()};
  who.number = optional_at(row, "kernel_id", SMALL);
  if (row.has("variant")) who.variant = row.at("variant").text();
  if (row.has("parameters")) {
    row.at("parameters").for_each_member([&](const std::string& key, const Place& value) {
      who.parameters.emplace_back(key, value.integer(INT64_MIN, INT64_MAX));
    });
  }
  return who;
}

Problem problem_from(const Place& row) {
  constexpr int64_t MOST = (int64_t{1} << 40) - 1;
  const auto factor = [&](const char* key) {
    return static_cast<float>(
        row.at(key).number(-static_cast<double>(std::numeric_limits<float>::max()),
                           static_cast<double>(std::numeric_limits<float>::max())));
  };
  const auto size = [&](const char* key, int64_t least) {
    return row.at(key).integer(least, MOST);
  };
  const auto offset = [&](const char* key) {
    return row.has(key) ? row.at(key).integer(0, LARGEST_OFFSET) : 0;
  };
  return {.M = size("m", 0),
          .N = size("n", 0),
          .K = size("k", 0),
          .lda = size("lda", 1),
          .ldb = size("ldb", 1),
          .ldc = size("ldc", 1),
          .offset_a = offset("offset_a"),
          .offset_b = offset("offset_b"),
          .offset_c = offset("offset_c"),
          .alpha = factor("alpha"),
          .beta = factor("beta"),
          .seed = row.at("seed").natural()};
}

CheckedClaim claim_from(const Place& c) {
  CheckedClaim claim{.counter = c.at("counter").text(),
                     .buffer = c.at("buffer").text(),
                     .relation = c.at("relation").text(),
                     .value = c.at("value").number(-LARGEST, LARGEST),
                     .kept = c.at("kept").truth()};
  if (find_metric(claim.counter) == nullptr) c.at("counter").refuse("is no metric");
  if (c.has("counted")) claim.counted = c.at("counted").number(-LARGEST, LARGEST);
  return claim;
}

Judgement judgement_from(const Place& row) {
  Judgement j{.correct = row.at("correct").truth()};
  j.max_abs_error = row.at("max_abs_error").any_number();
  j.error_over_bound = row.at("error_over_bound").any_number();
  j.compared = row.at("elements_compared").integer(0, INT64_MAX);
  if (row.has("error_message")) j.complaint = row.at("error_message").text_of_lines();
  if (row.has("cuda_error")) j.error = row.at("cuda_error").text();
  if (row.has("failure")) j.failure = row.at("failure").text_of_lines();
  if (row.has("first_mismatch")) {
    const Place m = row.at("first_mismatch");
    j.first_mismatch = Mismatch{.row = m.at("row").integer(0, INT64_MAX),
                                .col = m.at("col").integer(0, INT64_MAX),
                                .got = static_cast<float>(m.at("got").any_number()),
                                .want = m.at("want").any_number(),
                                .bound = m.at("bound").any_number()};
  }
  if (row.has("promise")) {
    row.at("promise").for_each([&](const Place& c) { j.claims.push_back(claim_from(c)); });
  }
  if (row.has("contract_checks")) {
    j.contract_checks = SMALL(row.at("contract_checks"));
    j.contract = texts(row.at("contract_broken"));
  }
  if (row.has("doubts")) j.doubts = texts(row.at("doubts"));
  return j;
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
  if (row.has("simulation_seconds")) {
    traffic.simulation_seconds = row.at("simulation_seconds").number(0, LARGEST);
  }
  return traffic;
}

std::vector<int> runs_from(const Place& place, const Timing& t) {
  std::vector<int> runs;
  int64_t samples = 0;
  place.for_each([&](const Place& one) {
    runs.push_back(static_cast<int>(one.integer(1, INT32_MAX)));
    samples += runs.back();
  });
  if (samples != static_cast<int64_t>(t.samples_ms.size()))
    place.refuse("does not add up to the number of samples_ms");
  return runs;
}

Timing timing_from(const Place& row) {
  Timing t;
  const std::string l2 = row.at("l2").text();
  if (l2 != "warm" && l2 != "cold") row.at("l2").refuse("is neither 'warm' nor 'cold'");
  t.options.cold = l2 == "cold";
  t.options.once = row.at("once").truth();
  t.options.seconds = row.at("seconds_at_most").positive();
  t.options.samples = SMALL(row.at("samples_at_most"));
  t.options.target_spread = row.at("target_spread").number(0, 1);
  t.is_reference = row.at("is_reference").truth();
  if (row.has("reference")) {
    if (row.at("reference").text() != "copy") row.at("reference").refuse("is not 'copy'");
    t.is_against_copy = true;
  }
  t.launches_per_sample = SMALL(row.at("launches_per_sample"));
  t.steady = row.at("steady").truth();
  t.clocks_mhz = numbers(row.at("clocks_mhz"), SMALLEST, LARGEST);
  if (!t.clocks_mhz.empty() && t.clocks_mhz.size() != 3) {
    row.at("clocks_mhz").refuse("has not three values: lowest, median, highest");
  }
  t.slowdowns = texts(row.at("slowdowns"));
  t.fp32_peak_gflops = optional_at(row, "fp32_peak_gflops", POSITIVE);
  t.samples_ms = numbers(row.at("samples_ms"), SHORTEST_MS, LONGEST_MS);
  if (t.samples_ms.empty()) row.at("samples_ms").refuse("is empty");
  t.reference_samples_ms = numbers(row.at("reference_samples_ms"), SHORTEST_MS, LONGEST_MS);
  const auto refuse_unless_as_many = [&](const char* key, const std::vector<double>& values) {
    if (!values.empty() && values.size() != t.samples_ms.size())
      row.at(key).refuse("has not as many values as samples_ms");
  };
  refuse_unless_as_many("reference_samples_ms", t.reference_samples_ms);
  if (row.has("sample_seconds")) {
    t.sample_seconds = numbers(row.at("sample_seconds"), 0, LARGEST);
    refuse_unless_as_many("sample_seconds", t.sample_seconds);
  }
  if (row.has("sample_clocks_mhz")) {
    t.sample_clocks_mhz = numbers(row.at("sample_clocks_mhz"), 0, LARGEST);
    refuse_unless_as_many("sample_clocks_mhz", t.sample_clocks_mhz);
  }
  if (row.has("samples_of_runs")) t.samples_of_runs = runs_from(row.at("samples_of_runs"), t);
  return t;
}

std::array<int64_t, 3> extent_from(const Place& place) {
  std::vector<int64_t> sizes;
  place.for_each([&](const Place& one) { sizes.push_back(one.integer(0, INT32_MAX)); });
  if (sizes.size() != 3) place.refuse("has not three values");
  return {sizes[0], sizes[1], sizes[2]};
}

Kernel kernel_from(const Place& k) {
  return {.name = k.at("name").text(),
          .grid = extent_from(k.at("grid")),
          .block = extent_from(k.at("block")),
          .registers = optional_at(k, "registers", SMALL),
          .shared_bytes = optional_at(k, "shared_bytes", LARGE),
          .blocks_per_multiprocessor = optional_at(k, "blocks_per_multiprocessor", SMALL)};
}

Line line_from(const Place& l) {
  return {.file = l.at("file").text(),
          .line = SMALL(l.at("line")),
          .instruction = l.at("instruction").text(),
          .buffer = l.at("buffer").text(),
          .bytes_per_lane =
              l.has("bytes_per_lane") ? static_cast<uint32_t>(SMALL(l.at("bytes_per_lane"))) : 0,
          .requests = l.at("requests").natural(),
          .lanes = l.has("lanes") ? l.at("lanes").natural() : 0,
          .bytes_used = l.has("bytes_used") ? l.at("bytes_used").natural() : 0,
          .sectors = l.at("sectors").natural(),
          .lines = l.at("lines").natural(),
          .wavefronts = l.at("wavefronts").natural(),
          .bank_conflicts = l.at("bank_conflicts").natural()};
}

Hazard hazard_from(const Place& h) {
  return {.kind = h.at("kind").text(),
          .message = h.at("message").text_of_lines(),
          .kernel = h.has("kernel") ? h.at("kernel").text() : "",
          .lines = h.has("lines") ? texts(h.at("lines")) : std::vector<std::string>(),
          .times = h.has("times") ? h.at("times").natural() : 1};
}

template <typename T>
std::vector<T> list_from(const Place& row, const char* key, T (*read)(const Place&)) {
  std::vector<T> list;
  if (row.has(key)) row.at(key).for_each([&](const Place& one) { list.push_back(read(one)); });
  return list;
}

Lesson lesson_from(const Place& l) {
  return {.lab = l.at("lab").text(),
          .question = l.at("question").text(),
          .answer = l.has("answer") ? l.at("answer").text_of_lines() : ""};
}

Compared comparison_from(const Place& c) {
  Compared compared;
  const auto verdict = change_named(c.at("verdict").text());
  if (!verdict) c.at("verdict").refuse("is no verdict");
  compared.verdict = *verdict;
  compared.reasons = texts(c.at("reasons"));
  if (c.has("base_percent")) {
    const std::vector<double> quartiles = numbers(c.at("base_percent"), 0, LARGEST);
    if (quartiles.size() != 3) c.at("base_percent").refuse("has not three values");
    compared.base_percent = {quartiles[0], quartiles[1], quartiles[2]};
  }
  const auto figure = [&](const char* key, double least) -> std::optional<double> {
    if (!c.has(key)) return std::nullopt;
    return c.at(key).number(least, LARGEST);
  };
  compared.base_ms = figure("base_ms", 0);
  compared.change_percent = figure("change_percent", -LARGEST);
  compared.threshold_percent = figure("threshold_percent", 0);
  compared.p_value = figure("p_value", 0);
  return compared;
}

ComparedWith compared_with_from(const Place& c) {
  return {.file = c.at("file").text(),
          .date = c.at("date").date(),
          .commit = optional_at(c, "commit", TEXT),
          .notes = texts(c.at("notes"))};
}

Result result_from(const Place& row) {
  Result r{.who = identity_from(row)};
  if (row.has("m")) r.problem = problem_from(row);
  if (row.at("name").text() != full_name(r))
    row.at("name").refuse(
        fmt::format("is not '{}', as its kernel and sizes have it", full_name(r)));
  if (row.has("useful_bytes")) r.useful_bytes = LARGE(row.at("useful_bytes"));
  if (row.has("idea")) r.idea = row.at("idea").text();
  if (row.has("path")) r.path = row.at("path").text();
  if (row.has("date")) r.date = row.at("date").date();
  if (row.has("comparison")) r.compared = comparison_from(row.at("comparison"));
  if (row.has("skip_message")) {
    r.refusal = row.at("skip_message").text();
    if (r.refusal.empty()) row.at("skip_message").refuse("is empty");
    return r;
  }
  r.judged = judgement_from(row);
  if (row.has("counts")) r.seen.traffic = traffic_from(row);
  if (row.has("samples_ms")) r.seen.timing = timing_from(row);
  r.seen.kernels = list_from(row, "kernels", kernel_from);
  r.seen.lines = list_from(row, "lines", line_from);
  r.seen.looked_for_hazards = row.has("hazards");
  r.seen.hazards = list_from(row, "hazards", hazard_from);
  return r;
}

}  // namespace

std::string to_json(const Run& run) {
  Json rows = Json::array();
  for (const Result& result : run.results) rows.push_back(row_of(result, run.from));
  Json context = written(run.from);
  if (run.compared_with) context["compared_with"] = written(*run.compared_with);
  add_list(context, "labs", run.lessons);
  const Json json = {{"context", std::move(context)}, {"benchmarks", std::move(rows)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Run run_from_json(std::string_view text) {
  const Json json = strict_json(text);
  const Place file(json, "the file");
  if (!file.is_object() || !file.has("context") || !file.has("benchmarks")) {
    throw Unusable("it is no run of sgemm_runner: 'context' and 'benchmarks' are not in it");
  }
  const Place context(json.at("context"), "context");
  Run run{.from = provenance_from(context), .lessons = list_from(context, "labs", lesson_from)};
  if (context.has("compared_with"))
    run.compared_with = compared_with_from(context.at("compared_with"));
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

#include "results/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/tables/table.hpp"
#include "results/tables/table_cells.hpp"
#include "results/values/metrics.hpp"
#include "results/values/statistics.hpp"

namespace results {
namespace {

constexpr size_t MOST_COUNTS_TOLD = 6;
constexpr size_t MOST_ROWS_TOLD = 3;
constexpr double SAME_CLOCK = 0.02;  // two clocks count as equal up to this relative difference
constexpr double OWN_CHANGE = 0.04;  // a larger relative change of the own time is not ignored
constexpr double OWN_SHARE = 0.5;    // the least share of the own time in the ratio's change
constexpr const char* OWN_BUFFER = "of the kernel's own";

// ---- Counters.

// True for counters that depend on the compiler's choice of instructions, not only on the kernel's accesses.
bool is_the_compilers(const std::string& key) {
  return key == "warp_instructions" || key == "lane_instructions";
}

// Returns the counts by key and buffer. Ignores the number of a kernel's own allocation, as in "buffer 11", because it
// depends on earlier allocations.
std::map<std::pair<std::string, std::string>, uint64_t> compared_counts(const Result& r) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  if (!r.seen.traffic) return counts;
  for (const Count& one : r.seen.traffic->counts) {
    if (is_the_compilers(one.key)) continue;
    const bool is_numbered = one.buffer.starts_with("buffer ");
    counts[{one.key, is_numbered ? OWN_BUFFER : one.buffer}] += one.value;
  }
  return counts;
}

std::string spoken(const std::string& key, const std::string& buffer) {
  std::string name = key;
  std::ranges::replace(name, '_', ' ');
  return buffer.empty() ? name : name + " " + buffer;
}

std::string from_to(uint64_t then, uint64_t now) {
  const double factor = then > 0 ? static_cast<double>(now) / static_cast<double>(then) : 0;
  const bool is_told = now > 0 && then > 0 && std::abs(factor - 1) >= 0.005;
  return fmt::format("{}, was {}{}", thousands_apart(std::to_string(now)),
                     thousands_apart(std::to_string(then)),
                     is_told ? fmt::format(" ({:.3g} times)", factor) : "");
}

std::vector<std::string> changed_counts(const Result& base, const Result& now) {
  const auto then = compared_counts(base), today = compared_counts(now);
  auto keys = then;
  keys.insert(today.begin(), today.end());
  std::vector<std::string> changes;
  const auto value = [](const auto& counts, const auto& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? uint64_t{0} : found->second;
  };
  for (const auto& [key, _] : keys) {
    const bool in_both = then.contains(key) == today.contains(key);
    if (in_both && value(then, key) == value(today, key)) continue;
    changes.push_back(fmt::format("{} {}", spoken(key.first, key.second),
                                  from_to(value(then, key), value(today, key))));
  }
  if (changes.size() > MOST_COUNTS_TOLD) {
    const size_t more = changes.size() - MOST_COUNTS_TOLD;
    changes.resize(MOST_COUNTS_TOLD);
    changes.push_back(fmt::format("{} more counts", more));
  }
  return changes;
}

// Returns the changed figures. Figures that are neither better high nor better low are left out.
std::vector<std::string> changed_figures(const Result& base, const Result& now) {
  std::vector<std::string> changes;
  for (const Metric& m : metrics()) {
    if (m.better == Better::neither) continue;
    const auto then = m.value(base, "", {}), today = m.value(now, "", {});
    if (!then || !today || *then == *today) continue;
    const bool better = (*today > *then) == (m.better == Better::more);
    const auto told = [](double value) {
      return value < 10'000 ? fmt::format("{:.4g}", value) : grouped(value);
    };
    changes.push_back(fmt::format("{}: {} {}, was {}", better ? "better" : "worse", m.name,
                                  told(*today), told(*then)));
  }
  return changes;
}

std::string launches_of(const Result& r) {
  std::vector<std::string> launches;
  launches.reserve(r.seen.kernels.size());
  for (const Kernel& k : r.seen.kernels) {
    launches.push_back(fmt::format("{} <<<({}), ({})>>>", k.name, fmt::join(k.grid, ", "),
                                   fmt::join(k.block, ", ")));
  }
  return launches.empty() ? "nothing" : fmt::format("{}", fmt::join(launches, ", then "));
}

Compared compare_counts(const Result& base, const Result& now) {
  Compared compared;
  if (base.path != now.path)
    compared.reasons.push_back(
        fmt::format("it took the path '{}', before '{}'", now.path, base.path));
  if (base.seen.kernels != now.seen.kernels) {
    const std::string then = launches_of(base), today = launches_of(now);
    compared.reasons.push_back(then == today
                                   ? "its kernels take other registers, shared memory or blocks"
                                   : fmt::format("it launched {}, before {}", today, then));
  }
  std::vector<std::string> counts = changed_counts(base, now);
  if (compared.reasons.empty() && counts.empty()) return {.verdict = Change::same};
  compared.verdict = Change::changed;
  for (std::string& change : changed_figures(base, now))
    compared.reasons.push_back(std::move(change));
  for (std::string& change : counts) compared.reasons.push_back(std::move(change));
  return compared;
}

// ---- Times.

// A kernel's speed: each run's values, their median over the runs, and its uncertainty. A larger value is faster.
struct Speed {
  std::vector<std::vector<double>> runs;
  double value = 0;
  double error_of_medians = 0;         // relative standard error
  std::optional<double> between_runs;  // relative standard deviation of the runs' medians

  // Returns the relative standard error. A single run has no scatter between runs; the scatter of `other` replaces it.
  double error(const Speed& other) const {
    const double scatter = between_runs.value_or(other.between_runs.value_or(0));
    return std::max(error_of_medians, scatter / std::sqrt(static_cast<double>(runs.size())));
  }
  std::vector<double> samples() const {
    std::vector<double> all;
    for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
    return all;
  }
};

Speed speed_of(std::vector<std::vector<double>> runs) {
  Speed speed{.runs = std::move(runs), .between_runs = {}};
  speed.value = median_over_runs(speed.runs).value_or(0);
  std::vector<double> medians;
  double variance = 0;
  for (const std::vector<double>& run : speed.runs) {
    medians.push_back(quartiles(run).median);
    const double error = standard_error_of_median(run);
    variance += error * error;
  }
  const auto n = static_cast<double>(speed.runs.size());
  speed.error_of_medians = std::sqrt(variance) / n / speed.value;
  if (medians.size() > 1) speed.between_runs = standard_deviation(medians) / speed.value;
  return speed;
}

bool has_ratio(const Timing& t) { return !t.is_reference && !t.reference_samples_ms.empty(); }

// Returns the ratio to the reference, or without a reference the launches in a millisecond.
Speed speed_of(const Timing& t) {
  if (has_ratio(t)) return speed_of(by_run(t, paired_percent(t)));
  std::vector<double> rates;
  rates.reserve(t.samples_ms.size());
  for (const double ms : t.samples_ms) rates.push_back(1 / ms);
  return speed_of(by_run(t, rates));
}

// Returns the metric "median_ms".
double median_ms(const Timing& t) { return quartiles(t.samples_ms).median; }

bool had_one_clock(const Timing& a, const Timing& b) {
  if (a.clocks_mhz.size() != 3 || b.clocks_mhz.size() != 3) return true;  // unknown
  return std::abs(a.clocks_mhz[1] / b.clocks_mhz[1] - 1) <= SAME_CLOCK;
}

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

Compared compare_times(const Timing& base, const Timing& now) {
  Compared compared{.base_ms = median_ms(base)};
  if (base.is_reference || now.is_reference) {
    compared.verdict = Change::same;
    compared.reasons = {"it is the reference, which the others are held against"};
    return compared;
  }
  const bool by_ratio = has_ratio(base);
  const char* reference = base.is_against_copy ? "the copy" : "cuBLAS";
  const std::string quantity = by_ratio ? fmt::format("the ratio to {}", reference) : "the speed";
  const Speed then = speed_of(base), today = speed_of(now);
  const std::vector<double> samples_then = then.samples(), samples_today = today.samples();
  const double change = today.value / then.value - 1;
  const double error = STANDARD_ERRORS * std::hypot(then.error(today), today.error(then));
  const double threshold = std::max(LEAST_CHANGE, error);
  const RankTest ranks = rank_test(samples_today, samples_then);
  const bool same_side = (ranks.share_of_a_above_b > 0.5) == (change > 0);
  const bool ranks_agree = ranks.p_value < MOST_P_VALUE && same_side;
  if (by_ratio) {
    const Quartiles q = quartiles(samples_then);
    compared.base_percent = {q.q1, then.value, q.q3};
  }
  compared.change_percent = 100 * change;
  compared.threshold_percent = 100 * threshold;
  compared.p_value = ranks.p_value;

  const auto unsure = [&](std::string why) {
    compared.verdict = Change::unsure;
    compared.reasons.push_back(std::move(why));
    return compared;
  };
  const double own_change = median_ms(base) / median_ms(now) - 1;  // of the own speed
  const bool same_clock = had_one_clock(base, now);
  if (std::abs(change) <= threshold) {
    if (error > HIDDEN_CHANGE) {
      return unsure(fmt::format("{} scatters so much that a change of {:.0f} % would not show",
                                quantity, 100 * error));
    }
    if (by_ratio && same_clock && std::abs(own_change) > std::max(threshold, OWN_CHANGE)) {
      return unsure(
          fmt::format("the kernel's own speed changed by {} at the same clock, {} by {} only",
                      signed_percent(own_change), quantity, signed_percent(change)));
    }
    if (std::abs(change) > LEAST_CHANGE) {
      return unsure(fmt::format("{} changed by {}, and scatters by as much", quantity,
                                signed_percent(change)));
    }
    compared.verdict = Change::same;
    return compared;
  }
  if (!ranks_agree) {
    return unsure(fmt::format(
        "{} changed by {}, and the rank test does not tell the samples apart (p = {:.2g})",
        quantity, signed_percent(change), ranks.p_value));
  }
  if (by_ratio && same_clock && own_change / change < OWN_SHARE) {
    return unsure(
        fmt::format("{} changed by {}, but the kernel's own speed by {}: it was {} that moved",
                    quantity, signed_percent(change), signed_percent(own_change), reference));
  }
  if (!by_ratio && !same_clock) {
    return unsure(
        fmt::format("its speed changed by {}, and the clock was another", signed_percent(change)));
  }
  compared.verdict = change < 0 ? Change::slower : Change::faster;
  compared.reasons.push_back(fmt::format("{} changed by {} (threshold {:.1f} %, p = {:.1g})",
                                         quantity, signed_percent(change), 100 * threshold,
                                         ranks.p_value));
  return compared;
}

// ---- Rows and runs.

// Returns the verdict on a wrong row. If only a promise was broken, the result is right and its counters are compared,
// too.
Compared compare_wrong(const Result& base, const Result& now) {
  Compared compared{.verdict = Change::wrong, .reasons = faults(now)};
  const bool are_counted = base.seen.traffic && now.seen.traffic;
  if (!now.judged.correct || !base.is_right() || !are_counted) return compared;
  for (std::string& change : compare_counts(base, now).reasons)
    compared.reasons.push_back(std::move(change));
  return compared;
}

Compared compare_rows(const Result& base, const Result& now) {
  if (!now.is_right()) return compare_wrong(base, now);
  if (!base.is_right()) {
    return {
        .verdict = Change::unsure,
        .reasons = {"the other run's result is wrong: there is nothing to hold this one against"}};
  }
  if (base.refusal != now.refusal) {
    const auto told = [](const std::string& refusal) {
      return refusal.empty() ? "it ran" : fmt::format("it refused ({})", refusal);
    };
    return {.verdict = Change::changed,
            .reasons = {fmt::format("{}; before, {}", told(now.refusal), told(base.refusal))}};
  }
  if (!now.refusal.empty()) return {.verdict = Change::same};
  if (base.seen.timing && now.seen.timing)
    return compare_times(*base.seen.timing, *now.seen.timing);
  if (base.seen.timing || now.seen.timing)
    return {.verdict = Change::unsure, .reasons = {"it was timed in one of the runs only"}};
  if (base.seen.traffic.has_value() != now.seen.traffic.has_value())
    return {.verdict = Change::unsure, .reasons = {"it was counted in one of the runs only"}};
  return compare_counts(base, now);
}

template <typename T>
std::string told(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

// Notes a fact that differs, as "driver 570 there, 580 here". A fact that a run lacks is "unknown".
template <typename T>
void note(const char* what, const std::optional<T>& base, const std::optional<T>& now,
          std::vector<std::string>& notes) {
  if (base == now) return;
  notes.push_back(fmt::format("{} {} there, {} here", what, told(base), told(now)));
}

std::optional<std::string> short_commit(const std::optional<std::string>& commit) {
  return commit ? std::optional(commit->substr(0, 10)) : std::nullopt;
}

void refuse_unless_comparable(const Provenance& base, const Provenance& now,
                              const std::string& file) {
  const auto refuse = [&](const char* what, const std::string& there, const std::string& here) {
    throw NotComparable(fmt::format("'{}' cannot be compared with this run: {} {} there, {} here",
                                    file, what, there, here));
  };
  constexpr const char* MACHINES[] = {"the simulated GPU", "a CUDA device"};
  if (base.machine != now.machine) {
    refuse("the machine is", MACHINES[static_cast<int>(base.machine)],
           MACHINES[static_cast<int>(now.machine)]);
  }
  if (base.device != now.device) refuse("the device is", base.device, now.device);
  if (base.device_detail != now.device_detail)
    refuse("the device is", base.device_detail, now.device_detail);
  if (base.cublas && now.cublas && *base.cublas != *now.cublas)
    refuse("cuBLAS is", *base.cublas, *now.cublas);
}

std::vector<std::string> notes_on(const Provenance& base, const Provenance& now) {
  std::vector<std::string> notes;
  note("commit", short_commit(base.commit), short_commit(now.commit), notes);
  if (base.uncommitted_changes.value_or(false)) notes.emplace_back("uncommitted changes there");
  if (now.uncommitted_changes.value_or(false)) notes.emplace_back("uncommitted changes here");
  note("cuBLAS", base.cublas, now.cublas, notes);
  note("driver", base.driver, now.driver, notes);
  note("CUDA", base.cuda, now.cuda, notes);
  note("power limit in watts", base.power_limit_watts, now.power_limit_watts, notes);
  note("clock limit in MHz", base.clock_limit_mhz, now.clock_limit_mhz, notes);
  const auto on = [](const std::optional<bool>& ecc) {
    return ecc ? std::optional(*ecc ? "on" : "off") : std::nullopt;
  };
  note("ECC", on(base.ecc), on(now.ecc), notes);
  return notes;
}

const Result* partner_in(const Run& run, const Result& of) {
  const auto found =
      std::ranges::find_if(run.results, [&](const Result& r) { return is_same_subject(r, of); });
  return found == run.results.end() ? nullptr : &*found;
}

// Adds "3 rows are not in it: a, b, c" to the notes; nothing if there are no such rows.
void note_rows(const std::vector<std::string>& names, const std::string& where,
               std::vector<std::string>& notes) {
  if (names.empty()) return;
  const size_t shown = std::min(names.size(), MOST_ROWS_TOLD);
  notes.push_back(fmt::format(
      "{} {} {}: {}{}", names.size(), names.size() == 1 ? "row is" : "rows are", where,
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      names.size() > shown ? ", ..." : ""));
}

bool is_known_scatter(const Run& run) {
  return std::ranges::any_of(run.results, [](const Result& r) {
    return r.seen.timing && r.seen.timing->samples_of_runs.size() > 1;
  });
}

}  // namespace

bool is_same_subject(const Result& a, const Result& b) {
  const auto is_same_kernel = [](const Identity& x, const Identity& y) {
    const bool same_name = x.number ? x.number == y.number : !y.number && x.name == y.name;
    return x.set == y.set && same_name && x.variant == y.variant && x.parameters == y.parameters;
  };
  const auto is_same_problem = [](std::optional<Problem> x, std::optional<Problem> y) {
    if (x) x->seed = 0;  // any seed gives random numbers, so seeds need not agree
    if (y) y->seed = 0;
    return x == y;
  };
  const auto is_timed_alike = [](const std::optional<Timing>& x, const std::optional<Timing>& y) {
    if (!x || !y) return true;
    return x->options.cold == y->options.cold && x->options.once == y->options.once &&
           x->options.no_graph == y->options.no_graph && x->is_against_copy == y->is_against_copy &&
           has_ratio(*x) == has_ratio(*y);
  };
  return is_same_kernel(a.who, b.who) && is_same_problem(a.problem, b.problem) &&
         is_timed_alike(a.seen.timing, b.seen.timing);
}

Compared compare_own_times(Result base, Result now) {
  for (Result* row : {&base, &now}) {
    if (!row->seen.timing) continue;
    row->seen.timing->is_reference = false;
    row->seen.timing->reference_samples_ms.clear();
    row->seen.timing->clocks_mhz.clear();
  }
  return compare_rows(base, now);
}

void compare(const Run& base, const std::string& file, Run& now) {
  refuse_unless_comparable(base.from, now.from, file);
  ComparedWith with{.file = file,
                    .date = base.from.date,
                    .commit = base.from.commit,
                    .notes = notes_on(base.from, now.from)};
  std::vector<std::string> only_here, only_there;
  bool any_partner = false;
  for (Result& row : now.results) {
    const Result* partner = partner_in(base, row);
    row.compared = partner ? std::optional(compare_rows(*partner, row)) : std::nullopt;
    any_partner |= partner != nullptr;
    if (partner == nullptr) only_here.push_back(full_name(row));
  }
  for (const Result& row : base.results) {
    if (partner_in(now, row) == nullptr) only_there.push_back(full_name(row));
  }
  if (!any_partner) {
    throw NotComparable(fmt::format(
        "'{}' cannot be compared with this run: no kernel has the same shape and options in "
        "both (there {}, here {})",
        file, only_there.empty() ? "nothing" : only_there.front(),
        only_here.empty() ? "nothing" : only_here.front()));
  }
  note_rows(only_there, "there and not here", with.notes);
  note_rows(only_here, "here and not there", with.notes);
  const bool timed = std::ranges::any_of(
      now.results, [](const Result& r) { return r.compared && r.compared->change_percent; });
  if (timed && !is_known_scatter(base) && !is_known_scatter(now)) {
    with.notes.emplace_back(
        "neither holds several runs, so how far runs scatter is not known: 'save' records it");
  }
  now.compared_with = std::move(with);
}

std::array<int, 6> tally(const Run& run) {
  std::array<int, 6> counts{};
  for (const Result& row : run.results) {
    if (row.compared) ++counts.at(static_cast<size_t>(row.compared->verdict));
  }
  return counts;
}

namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Appends lists with one value for each sample. Empties `to` if one of them is incomplete.
void append_whole(std::vector<double>& to, size_t samples, const std::vector<double>& from,
                  size_t samples_from) {
  if (to.size() == samples && from.size() == samples_from) {
    append(to, from);
  } else {
    to.clear();
  }
}

// Returns the mean of a figure over runs. `all` already counts the run of `one`; nothing if a run lacks the figure.
std::optional<double> mean(std::optional<double> before, std::optional<double> one,
                           const Timing& all) {
  if (!before || !one) return std::nullopt;
  const auto runs = static_cast<double>(all.samples_of_runs.size());
  return *before + (*one - *before) / runs;
}

void add_timing(Timing& all, const Timing& one) {
  const size_t before = all.samples_ms.size(), more = one.samples_ms.size();
  if (all.samples_of_runs.empty()) all.samples_of_runs = {static_cast<int>(before)};
  if (one.samples_of_runs.empty()) {
    all.samples_of_runs.push_back(static_cast<int>(more));
  } else {
    append(all.samples_of_runs, one.samples_of_runs);
  }
  append(all.samples_ms, one.samples_ms);
  append(all.reference_samples_ms, one.reference_samples_ms);
  append_whole(all.sample_seconds, before, one.sample_seconds, more);
  append_whole(all.sample_clocks_mhz, before, one.sample_clocks_mhz, more);
  if (all.clocks_mhz.size() == 3 && one.clocks_mhz.size() == 3) {
    all.clocks_mhz[0] = std::min(all.clocks_mhz[0], one.clocks_mhz[0]);
    all.clocks_mhz[2] = std::max(all.clocks_mhz[2], one.clocks_mhz[2]);
  }
  all.reference_clock_mhz = mean(all.reference_clock_mhz, one.reference_clock_mhz, all);
  all.joules = mean(all.joules, one.joules, all);
  all.reference_joules = mean(all.reference_joules, one.reference_joules, all);
  all.fp16_roof_gflops = mean(all.fp16_roof_gflops, one.fp16_roof_gflops, all);
  all.steady &= one.steady;
  for (const std::string& slowdown : one.slowdowns) {
    if (std::ranges::find(all.slowdowns, slowdown) == all.slowdowns.end())
      all.slowdowns.push_back(slowdown);
  }
}

std::optional<double> higher(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::max(a, b) : a ? a : b;
}

}  // namespace

void add_run(Run& all, const Run& one) {
  Roofs& roofs = all.from.roofs;
  roofs.copy_gbytes_per_second =
      higher(roofs.copy_gbytes_per_second, one.from.roofs.copy_gbytes_per_second);
  roofs.fp32_gflops = higher(roofs.fp32_gflops, one.from.roofs.fp32_gflops);
  for (const Lesson& lesson : one.lessons) {
    if (std::ranges::find(all.lessons, lesson) == all.lessons.end()) all.lessons.push_back(lesson);
  }
  for (const Result& row : one.results) {
    const auto known =
        std::ranges::find_if(all.results, [&](const Result& r) { return is_same_subject(r, row); });
    if (known == all.results.end()) {
      all.results.push_back(row);
      continue;
    }
    if (!row.is_right()) *known = row;
    std::optional<Timing>& timing = known->seen.timing;
    if (known->is_right() && timing && row.seen.timing) add_timing(*timing, *row.seen.timing);
  }
}

}  // namespace results

#include "results/compare/acceptance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "results/compare/comparison.hpp"
#include "results/tables/table.hpp"
#include "results/values/statistics.hpp"

namespace results {
namespace {

constexpr size_t MOST_ROWS_TOLD = 3;

// ---- Which GPUs are alike.

// A fact that decides if two GPUs can be compared.
struct Fact {
  const char* name;
  std::optional<std::string> (*of)(const Provenance& from);
};

constexpr Fact FACTS[] = {
    {"device",
     [](const Provenance& from) { return std::optional(from.device + " " + from.device_detail); }},
    {"driver", [](const Provenance& from) { return from.driver; }},
    {"CUDA", [](const Provenance& from) { return from.cuda; }},
    {"cuBLAS", [](const Provenance& from) { return from.cublas; }},
};

// The value that most GPUs have, and the lowest rank among these. Of two values that as many have, the one of the lower rank.
struct Usual {
  std::string value;
  int rank = 0;
};

std::optional<Usual> usual(const Fact& fact, const std::vector<GpuRun>& runs) {
  std::map<std::string, int> counts;
  for (const GpuRun& one : runs) {
    const auto value = one.run ? fact.of(one.run->from) : std::nullopt;
    if (value) ++counts[*value];
  }
  std::optional<Usual> most;
  for (const GpuRun& one : runs) {
    const auto value = one.run ? fact.of(one.run->from) : std::nullopt;
    if (value && (!most || counts[*value] > counts[most->value])) most = {*value, one.rank};
  }
  return most;
}

std::vector<std::optional<Usual>> usual_facts(const std::vector<GpuRun>& runs) {
  std::vector<std::optional<Usual>> facts;
  for (const Fact& fact : FACTS) facts.push_back(usual(fact, runs));
  return facts;
}

// Returns how a GPU differs from most, a clause for each fact.
std::vector<std::string> differences(const Provenance& from,
                                     const std::vector<std::optional<Usual>>& facts) {
  std::vector<std::string> clauses;
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::optional<std::string> mine = FACTS[i].of(from);
    const std::optional<Usual>& most = facts[i];
    if (mine && most && *mine != most->value)
      clauses.push_back(fmt::format("its {} is {}, and {} on rank {}", FACTS[i].name, *mine,
                                    most->value, most->rank));
  }
  return clauses;
}

// ---- Rows, and the GPU that each is compared with.

// A GPU that has a run.
struct Measured {
  int rank;
  const Run* run;
};

// The row of one GPU.
struct RowOf {
  Measured gpu;
  const Result* row;
};

// Returns the row whose time is the median of all; nothing if none is timed.
std::optional<RowOf> median_of(const std::vector<RowOf>& rows) {
  std::vector<std::pair<double, size_t>>
      times;  // with the places of the rows, which decide between equal times
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::optional<Timing>& timing = rows[i].row->seen.timing;
    if (timing) times.emplace_back(quartiles(timing->samples_ms).median, i);
  }
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  return rows[times[(times.size() - 1) / 2].second];
}

// Returns the row that most of the others equal, the first of several.
RowOf commonest_of(const std::vector<RowOf>& rows) {
  std::vector<std::ptrdiff_t> equals;
  equals.reserve(rows.size());
  for (const RowOf& one : rows) {
    equals.push_back(std::ranges::count_if(rows, [&](const RowOf& other) {
      return compare_own_times(*one.row, *other.row).verdict == Change::same;
    }));
  }
  return rows[static_cast<size_t>(std::ranges::max_element(equals) - equals.begin())];
}

// The rows of all right GPUs that have one subject, and the one that is the measure.
struct Subject {
  std::vector<RowOf> rows;
  RowOf base{};

  bool is_of(const Result& row) const { return is_same_subject(*rows.front().row, row); }
  bool has_another_than(int rank) const {
    return std::ranges::any_of(rows, [rank](const RowOf& one) { return one.gpu.rank != rank; });
  }
};

std::vector<Subject> subjects_of(const std::vector<Measured>& right) {
  std::vector<Subject> subjects;
  for (const Measured& gpu : right) {
    for (const Result& row : gpu.run->results) {
      const auto known = std::ranges::find_if(
          subjects, [&](const Subject& subject) { return subject.is_of(row); });
      if (known == subjects.end()) {
        subjects.push_back({.rows = {{gpu, &row}}});
      } else {
        known->rows.push_back({gpu, &row});
      }
    }
  }
  for (Subject& subject : subjects) {
    const std::optional<RowOf> median = median_of(subject.rows);
    subject.base = median ? *median : commonest_of(subject.rows);
  }
  return subjects;
}

// ---- One GPU.

// Returns the lowest, the median and the highest clock of a row; nothing if they are unknown.
std::vector<double> clocks_of(const Result& row) {
  const std::optional<Timing>& timing = row.seen.timing;
  return timing && timing->clocks_mhz.size() == 3 ? timing->clocks_mhz : std::vector<double>();
}

std::optional<double> clock_of(const Result& row) {
  const std::vector<double> clocks = clocks_of(row);
  return clocks.empty() ? std::nullopt : std::optional(clocks[1]);
}

// Returns the lowest clock of all rows, the median of their medians, and the highest clock.
std::optional<std::array<double, 3>> clocks_of(const Run& run) {
  std::vector<double> lowest, medians, highest;
  for (const Result& row : run.results) {
    const std::vector<double> clocks = clocks_of(row);
    if (clocks.empty()) continue;
    lowest.push_back(clocks[0]);
    medians.push_back(clocks[1]);
    highest.push_back(clocks[2]);
  }
  if (medians.empty()) return std::nullopt;
  return std::array{std::ranges::min(lowest), quartiles(medians).median, std::ranges::max(highest)};
}

JudgedRow described(const Result& row) {
  JudgedRow judged{.name = full_name(row), .kernel = spoken_name(row.who)};
  if (row.problem) {
    judged.M = row.problem->M;
    judged.N = row.problem->N;
    judged.K = row.problem->K;
  }
  if (!row.seen.timing) return judged;
  const Quartiles q = quartiles(row.seen.timing->samples_ms);
  judged.quartiles_ms = {q.q1, q.median, q.q3};
  judged.clock_mhz = clock_of(row);
  judged.slowdowns = row.seen.timing->slowdowns;
  return judged;
}

JudgedGpu named(const GpuRun& one) {
  return {.rank = one.rank, .host = one.host, .gpu = one.gpu, .verdict = GpuVerdict::ok};
}

JudgedGpu described(const GpuRun& one, const Run& run) {
  JudgedGpu judged = named(one);
  judged.device = run.from.device;
  judged.driver = run.from.driver;
  judged.cuda = run.from.cuda;
  judged.cublas = run.from.cublas;
  judged.power_limit_watts = run.from.power_limit_watts;
  judged.clocks_mhz = clocks_of(run);
  for (const Result& row : run.results) judged.rows.push_back(described(row));
  return judged;
}

// Returns "7 rows", or "3 of 7 rows".
std::string count_of(size_t some, size_t all) {
  if (some == all) return fmt::format("{} row{}", all, all == 1 ? "" : "s");
  return fmt::format("{} of {} rows", some, all);
}

// Returns the names of some rows: "12 stream_k at 4096x4096x4096, 11 tuned at ..., ...".
std::string listed(std::vector<std::string> names) {
  const bool is_cut = names.size() > MOST_ROWS_TOLD;
  if (is_cut) names.resize(MOST_ROWS_TOLD);
  return fmt::format("{}{}", fmt::join(names, ", "), is_cut ? ", ..." : "");
}

// Gives one GPU with a run its verdict. Each function adds a verdict with its reasons.
class Judge {
 public:
  Judge(const GpuRun& gpu, const Run& run, const std::vector<Subject>& subjects)
      : run_(run), subjects_(subjects), judged_(described(gpu, run)) {}

  void add(GpuVerdict verdict, std::string reason) {
    judged_.verdict = std::max(judged_.verdict, verdict);
    judged_.reasons.push_back(std::move(reason));
  }

  void add_wrong_rows() {
    for (const Result& row : run_.results) {
      if (!row.is_right()) add(GpuVerdict::wrong, complaint(row));
    }
  }

  void add_slowdowns() {
    for (const char* fault : slowdowns::FAULTS) {
      const std::vector<const JudgedRow*> rows = rows_with([fault](const JudgedRow& row) {
        return std::ranges::find(row.slowdowns, fault) != row.slowdowns.end();
      });
      if (!rows.empty())
        add(GpuVerdict::throttled,
            fmt::format("{} during {}: {}", fault, count_of(rows.size(), judged_.rows.size()),
                        listed(names_of(rows))));
    }
  }

  // Compares each row with that of the median GPU.
  void compare() {
    for (size_t i = 0; i < judged_.rows.size(); ++i) {
      const Result& row = run_.results[i];
      JudgedRow& judged = judged_.rows[i];
      const Subject* const subject = subject_for(row);
      if (subject == nullptr || !subject->has_another_than(judged_.rank)) {
        judged.compared.reasons = {"there is nothing to compare it with"};
        continue;
      }
      judged.base_rank = subject->base.gpu.rank;
      judged.compared = compare_own_times(*subject->base.row, row);
    }
    add_slower_rows();
    add_rows(Change::changed, GpuVerdict::changed, "is not as on");
    add_rows(Change::unsure, GpuVerdict::unsure, "is not certain beside");
    add_lonely_rows();
    add_lacking_rows();
  }

  void leave_uncompared() {
    for (JudgedRow& row : judged_.rows)
      row.compared.reasons = {"the GPU is not compared with the others"};
  }

  const JudgedGpu& judged() const { return judged_; }

 private:
  template <typename Condition>
  std::vector<const JudgedRow*> rows_with(const Condition& condition) const {
    std::vector<const JudgedRow*> rows;
    for (const JudgedRow& row : judged_.rows) {
      if (condition(row)) rows.push_back(&row);
    }
    return rows;
  }

  static std::vector<std::string> names_of(const std::vector<const JudgedRow*>& rows) {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const JudgedRow* row : rows) names.push_back(subject_of(*row));
    return names;
  }

  const Subject* subject_for(const Result& row) const {
    const auto found =
        std::ranges::find_if(subjects_, [&](const Subject& subject) { return subject.is_of(row); });
    return found == subjects_.end() ? nullptr : &*found;
  }

  // Tells which rows are slower, the slowest first, and facts that may explain it.
  void add_slower_rows() {
    std::vector<const JudgedRow*> rows =
        rows_with([](const JudgedRow& row) { return row.compared.verdict == Change::slower; });
    if (rows.empty()) return;
    std::ranges::sort(rows, {}, [](const JudgedRow* row) {
      return std::pair(row->compared.change_percent, row->name);
    });
    const JudgedRow& worst = *rows.front();
    add(GpuVerdict::slower,
        fmt::format("{} is {:.1f} % slower than on rank {}, the median GPU (threshold {:.1f} %, p "
                    "= {:.1g})",
                    subject_of(worst), -worst.compared.change_percent.value_or(0),
                    worst.base_rank.value_or(0), worst.compared.threshold_percent.value_or(0),
                    worst.compared.p_value.value_or(1)));
    if (rows.size() > 1)
      add(GpuVerdict::slower,
          fmt::format("{} are slower: {}", count_of(rows.size(), judged_.rows.size()),
                      listed(names_of(rows))));
    const Subject* const subject =
        subject_for(run_.results[static_cast<size_t>(&worst - judged_.rows.data())]);
    if (subject == nullptr) return;
    const RowOf& base = subject->base;
    const Provenance &mine = run_.from, &there = base.gpu.run->from;
    add_difference("clock was", "MHz", worst.clock_mhz, clock_of(*base.row), base);
    add_difference("power limit is", "W", mine.power_limit_watts, there.power_limit_watts, base);
    add_difference("highest allowed clock is", "MHz", mine.clock_limit_mhz, there.clock_limit_mhz,
                   base);
  }

  // Tells a fact that differs on the median GPU.
  void add_difference(const char* fact, const char* unit, std::optional<double> mine,
                      std::optional<double> there, const RowOf& base) {
    if (!mine || !there || *mine == *there) return;
    add(GpuVerdict::slower, fmt::format("its {} {:.0f} {}, and {:.0f} {} on rank {}", fact, *mine,
                                        unit, *there, unit, base.gpu.rank));
  }

  // Tells the compared rows of a verdict with their reasons.
  void add_rows(Change change, GpuVerdict verdict, const char* relation) {
    size_t count = 0;
    for (const JudgedRow& row : judged_.rows) {
      if (row.compared.verdict != change || !row.base_rank) continue;
      if (++count <= MOST_ROWS_TOLD)
        add(verdict, fmt::format("{} {} rank {}: {}", subject_of(row), relation, *row.base_rank,
                                 fmt::join(row.compared.reasons, "; ")));
    }
    if (count > MOST_ROWS_TOLD)
      add(verdict,
          fmt::format("{} of its rows are {}, and these are the first", count, name_of(change)));
  }

  void add_lonely_rows() {
    const std::vector<const JudgedRow*> rows =
        rows_with([](const JudgedRow& row) { return !row.base_rank; });
    if (rows.empty()) return;
    add(GpuVerdict::unsure,
        rows.size() == judged_.rows.size()
            ? "there is nothing to compare it with: no other GPU like it has right results"
            : "no other GPU like it has right results for " + listed(names_of(rows)));
  }

  void add_lacking_rows() {
    std::vector<std::string> names;
    for (const Subject& subject : subjects_) {
      const bool is_here =
          std::ranges::any_of(run_.results, [&](const Result& row) { return subject.is_of(row); });
      if (!is_here) names.push_back(subject_of(described(*subject.rows.front().row)));
    }
    if (!names.empty())
      add(GpuVerdict::unsure, "other GPUs have results that it lacks: " + listed(names));
  }

  const Run& run_;
  const std::vector<Subject>& subjects_;
  JudgedGpu judged_;
};

bool is_right(const Run& run) {
  return !run.results.empty() && std::ranges::all_of(run.results, &Result::is_right);
}

JudgedGpu judged_without_run(const GpuRun& gpu) {
  JudgedGpu judged = named(gpu);
  judged.verdict = gpu.is_wrong ? GpuVerdict::wrong : GpuVerdict::failed;
  judged.reasons = gpu.reasons;
  if (gpu.reasons.empty()) judged.reasons.emplace_back("it gave no result, and no reason");
  return judged;
}

JudgedGpu judged(const GpuRun& gpu, const Run& run, const std::vector<std::string>& differences,
                 const std::vector<Subject>& subjects) {
  Judge judge(gpu, run, subjects);
  if (run.results.empty()) judge.add(GpuVerdict::failed, "its run has no result");
  judge.add_wrong_rows();
  for (const std::string& difference : differences) judge.add(GpuVerdict::other, difference);
  judge.add_slowdowns();
  if (differences.empty()) {
    judge.compare();
  } else {
    judge.leave_uncompared();
  }
  return judge.judged();
}

}  // namespace

std::vector<JudgedGpu> judge(const std::vector<GpuRun>& runs) {
  const std::vector<std::optional<Usual>> facts = usual_facts(runs);
  std::vector<Measured> right;
  for (const GpuRun& one : runs) {
    if (one.run && is_right(*one.run) && differences(one.run->from, facts).empty())
      right.push_back({one.rank, &*one.run});
  }
  const std::vector<Subject> subjects = subjects_of(right);
  std::vector<JudgedGpu> all;
  all.reserve(runs.size());
  for (const GpuRun& one : runs) {
    all.push_back(one.run ? judged(one, *one.run, differences(one.run->from, facts), subjects)
                          : judged_without_run(one));
  }
  return all;
}

}  // namespace results

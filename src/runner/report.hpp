// The results of a run, and the forms they are printed in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/baseline.hpp"
#include "runner/error.hpp"
#include "runner/observation.hpp"
#include "runner/problem.hpp"
#include "runner/terminal.hpp"
#include "runner/verify.hpp"

namespace runner {

/// One rung on one problem.
struct Row {
  const ladder::Rung* rung = nullptr;
  Problem problem{};
  const char* path = nullptr;  // the code path that ran, where the rung has several
  Verdict verdict{};
  std::string failure{};  // what the machine has to say on a launch that failed; several lines
  std::optional<Traffic> traffic{};
  std::optional<Timing> timing{};

  bool is_right() const { return verdict.correct && (!traffic || traffic->promise_kept()); }
};

struct Report {
  std::string device;  // "NVIDIA H200"
  std::string detail;  // "sm_90"
  std::string date;    // ISO 8601, when the run began
  std::vector<Row> rows;
};

/// A superset of Google Benchmark's JSON: `context` and `benchmarks`, ending in a newline.
std::string to_json(const Report& report);
/// One line for each row, its columns the single values of the JSON.
std::string to_csv(const Report& report);
/// The table for people, one for each problem, with what is wrong below it.
std::string to_table(const Report& report, const std::optional<Baseline>& baseline,
                     const Terminal& terminal);
/// The same cells as a Markdown table.
std::string to_markdown(const Report& report, const std::optional<Baseline>& baseline);
/// What is wrong, a paragraph for each row that is not right; nothing if all is well.
std::string complaints(const Report& report, const Terminal& terminal);
/// How each result was judged and each promise counted, for -v.
std::string details(const Report& report, const Terminal& terminal);

}  // namespace runner

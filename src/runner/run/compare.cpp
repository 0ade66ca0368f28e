// `sgemm_runner compare`: compares a run, made now or read from a file, with a saved one.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "app/terminal.hpp"
#include "app/words.hpp"
#include "results/compare/comparison.hpp"
#include "results/compare/comparison_table.hpp"
#include "results/files/json.hpp"
#include "results/tables/table.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/baselines.hpp"
#include "runner/run/calls.hpp"
#include "runner/run/workbench_run.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

using results::Change;
using results::Result;
using results::Run;

constexpr int RUNS_AGAIN = 2;  // runs of the unsure rows, each time

Run read(const std::string& file) {
  try {
    return results::read_run(file);
  } catch (const results::Unusable& error) {
    throw Error(ExitCode::usage, error.what());
  }
}

// Returns the project's own file for this device: nvidia-h200.json for an "NVIDIA H200".
std::string own_file() {
  if (machine::KIND == results::Machine::simulator) return simulated_counters();
  const std::string device = machine::open().name;
  std::string name;
  for (const char c : device) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  std::string file = (baselines() / (name + ".json")).string();
  if (!std::filesystem::exists(file)) {
    throw Error(ExitCode::not_comparable,
                fmt::format("the project has no recorded run of an {}: make one with "
                            "'sgemm_runner save FILE', and name it",
                            device));
  }
  return file;
}

// True if the row belongs to the rung, or to any variant of the lab.
bool is_of_the_kernel(const Result& row, const results::Identity& one) {
  return row.who.set == one.set && row.who.number == one.number &&
         (one.number || row.who.name == one.name);
}
bool is_of(const Result& row, const results::Identity& one) {
  return is_of_the_kernel(row, one) && row.who.variant == one.variant;
}
bool is_of(const Result& row, const results::Problem& size) {
  return row.problem && row.problem->size() == size.size();
}

template <typename Wanted>
bool is_of_any(const Result& row, const std::vector<Wanted>& wanted) {
  return std::ranges::any_of(wanted, [&](const Wanted& one) { return is_of(row, one); });
}

void keep_what_is_meant(const CompareRequest& request, Run& run, const std::string& file) {
  if (run.results.empty()) throw Error(ExitCode::usage, fmt::format("'{}' has no rows", file));
  std::erase_if(run.results, [&](const Result& row) {
    return !(request.only.empty() || is_of_any(row, request.only)) ||
           !(request.sizes.empty() || is_of_any(row, request.sizes));
  });
  // A word that selects no row is a mistake: the comparison would cover less than the user asked for.
  const auto require = [&](const std::string& name, const auto& is_meant) {
    if (std::ranges::any_of(run.results, is_meant)) return;
    throw Error(ExitCode::usage,
                fmt::format("'{}' has no row of {}{}", file, name,
                            run.results.empty() ? "" : " among what --only and --size name"));
  };
  for (const results::Identity& one : request.only)
    require(results::label(one), [&](const Result& row) { return is_of_the_kernel(row, one); });
  for (const results::Problem& one : request.sizes)
    require("size " + one.size(), [&](const Result& row) { return is_of(row, one); });
}

// Refuses to overwrite the base: a gate that did so would pass the next time.
void refuse_to_write_over(const CompareRequest& request, const std::string& base) {
  const auto is_same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code none;
    const auto whole = [&](const std::string& file) {
      return std::filesystem::weakly_canonical(file, none);
    };
    return std::filesystem::equivalent(a, b, none) || whole(a) == whole(b);
  };
  for (const std::string& output : {request.json_file, request.markdown_file}) {
    for (const std::string& input : {base, request.now}) {
      if (is_same(output, input)) {
        throw Error(ExitCode::usage,
                    fmt::format("'{}' is compared with: write to another file", output));
      }
    }
  }
  if (is_same(request.json_file, request.markdown_file))
    throw Error(ExitCode::usage,
                fmt::format("'{}' cannot hold both JSON and Markdown", request.json_file));
}

// Refuses a base that cannot be compared, before minutes of measuring.
void refuse_another_machine(const Run& base, const std::string& file) {
  Run here{.from = provenance({}, false)};
  if (base.results.empty()) return;
  here.results.push_back(base.results.front());
  results::compare(base, file, here);
}

std::vector<const Result*> all_rows(const Run& run) {
  std::vector<const Result*> rows;
  rows.reserve(run.results.size());
  for (const Result& row : run.results) rows.push_back(&row);
  return rows;
}

// Returns the rows that more samples may decide.
std::vector<const Result*> unsure_rows(const Run& run) {
  std::vector<const Result*> rows;
  for (const Result& row : run.results) {
    const bool unsure = row.compared && row.compared->verdict == Change::unsure;
    if (unsure && row.seen.timing && row.compared->change_percent) rows.push_back(&row);
  }
  return rows;
}

// Removes rows that BASE lacks: every timed run adds the reference, even at sizes that BASE has without it.
void keep_rows_of(const Run& base, Run& run) {
  std::erase_if(run.results, [&](const Result& row) {
    return std::ranges::none_of(base.results,
                                [&](const Result& r) { return results::is_same_subject(r, row); });
  });
}

Run run_now(const CompareRequest& request, const Run& base, const std::string& file) {
  refuse_another_machine(base, file);
  const std::vector<std::string> kernel_files =
      request.kernel_files.empty() ? kernel_files_of(base.from.command_line) : request.kernel_files;
  Run now;
  make_calls(calls_for(all_rows(base), kernel_files), request.runs, "compare", now);
  keep_rows_of(base, now);
  for (int again = 0; again < request.again && !interrupted(); ++again) {
    results::compare(base, file, now);
    const std::vector<const Result*> unsure = unsure_rows(now);
    if (unsure.empty()) break;
    Run more = now;
    make_calls(calls_for(unsure, kernel_files), RUNS_AGAIN, "compare, unsure rows again", more);
    keep_rows_of(base, more);
    now = std::move(more);
  }
  now.from.command_line = request.command_line;
  return now;
}

// Returns the source of a rung or a lab; empty for the user's own kernels.
std::string source_of(const results::Identity& who) {
  std::string file;
  if (who.set == "sgemm") file = fmt::format("src/kernels/{}.cu", results::label(who));
  if (who.set == "lab") file = fmt::format("src/labs/{}.cu", who.name);
  return std::filesystem::exists(path_of_name(file)) ? file : "";
}

ExitCode verdict_on(const Run& now, bool strict) {
  if (interrupted()) return ExitCode::interrupted;
  const auto any = [counts = results::tally(now)](Change verdict) {
    return counts.at(static_cast<size_t>(verdict)) > 0;
  };
  if (any(Change::wrong)) return ExitCode::wrong;
  if (any(Change::slower) || any(Change::changed)) return ExitCode::regression;
  if (strict && any(Change::unsure)) return ExitCode::untrusted;
  return ExitCode::ok;
}

std::string text_for_stdout(const CompareRequest& request, const Run& now) {
  if (request.format == Format::json) return results::to_json(now);
  if (request.format == Format::markdown) return results::comparison_markdown(now);
  std::string text;
  const text::Page page = stdout_page(request.color);
  Run untold = now;
  if (request.verbosity >= 0) {
    text = results::comparison_text(now, request.verbosity > 0, page);
    std::erase_if(untold.results, [](const Result& row) { return row.compared.has_value(); });
  }
  text += results::complaints(untold, page);
  if (request.annotations) text += results::comparison_annotations(now, source_of);
  return text;
}

}  // namespace

ExitCode run(const CompareRequest& request) {
  catch_signals(machine::interrupt);
  const std::string file = request.base.empty() ? own_file() : request.base;
  const std::string shown = name_in_project(file);
  refuse_to_write_over(request, file);
  std::unique_ptr<OutputFile> json_file, markdown_file;
  if (!request.json_file.empty()) json_file = std::make_unique<OutputFile>(request.json_file);
  if (!request.markdown_file.empty())
    markdown_file = std::make_unique<OutputFile>(request.markdown_file);

  Run base = read(file);
  keep_what_is_meant(request, base, shown);
  Run now;
  try {
    if (request.now.empty()) {
      now = run_now(request, base, shown);
      if (now.results.empty())
        throw Error(ExitCode::interrupted, "interrupted before there was a result");
    } else {
      now = read(request.now);
      keep_what_is_meant(request, now, request.now);
    }
    results::compare(base, shown, now);
  } catch (const results::NotComparable& error) {
    throw Error(ExitCode::not_comparable, error.what());
  }

  if (json_file) json_file->commit(results::to_json(now));
  if (markdown_file) markdown_file->commit(results::comparison_markdown(now));
  write_stdout(text_for_stdout(request, now));
  if (interrupted()) warn("interrupted; the rest was not measured");
  return verdict_on(now, request.strict);
}

}  // namespace runner

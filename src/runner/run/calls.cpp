#include "runner/run/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/own_program.hpp"
#include "app/subprocess.hpp"
#include "kernels/best/best.hpp"
#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "results/compare/comparison.hpp"
#include "results/files/json.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/choose/size.hpp"
#include "runner/machine/machine.hpp"
#include "runner/machine/sampling.hpp"
#include "runner/trial/progress_line.hpp"

namespace runner {
namespace {

using results::Problem;
using results::Result;
using results::Run;

// Returns the program that runs kernels. It lies beside this one.
std::string runner_program() { return (own_program().parent_path() / "sgemm_runner").string(); }

// Reads one call's results. If the call was interrupted, its last row may be incomplete.
Run run_of(const Call& call) {
  Call words{runner_program()};
  words.insert(words.end(), call.begin(), call.end());
  words.emplace_back("--json");
  const Finished finished = run_watched(words);
  const auto code = static_cast<ExitCode>(finished.code);
  Run run;
  try {
    run = results::run_from_json(finished.output);
  } catch (const results::Unusable&) {
    if (interrupted()) return run;
    if (code == ExitCode::ok)
      throw Error(ExitCode::usage,
                  fmt::format("'sgemm_runner {}' makes no run", fmt::join(call, " ")));
    throw Error(finished.code > 0 && finished.code < 128 ? code : ExitCode::failure,
                fmt::format("'sgemm_runner {}' ended with {} and no result", fmt::join(call, " "),
                            finished.code));
  }
  if (interrupted() && !run.results.empty()) run.results.pop_back();
  return run;
}

// One place among the calls, for rows with the same options and shape.
struct Place {
  Problem problem;
  bool cold = false, once = false, no_graph = false;
  std::vector<std::string> kernels{};
  bool with_files = false;
  bool with_errors = false;
  bool with_energy = false;

  bool has_same_options(const Place& other) const {
    return cold == other.cold && once == other.once && no_graph == other.no_graph &&
           with_errors == other.with_errors && with_energy == other.with_energy &&
           problem.transposes_a == other.problem.transposes_a &&
           problem.transposes_b == other.problem.transposes_b &&
           problem.batch == other.problem.batch && problem.stride_a == other.problem.stride_a &&
           problem.stride_b == other.problem.stride_b &&
           problem.stride_c == other.problem.stride_c && problem.alpha == other.problem.alpha &&
           problem.beta == other.problem.beta && problem.seed == other.problem.seed &&
           problem.data == other.problem.data && problem.offset_a == other.problem.offset_a &&
           problem.offset_b == other.problem.offset_b && problem.offset_c == other.problem.offset_c;
  }
};

// Returns the word for one of our rungs, or nothing if there is no such rung.
std::optional<std::string> word_of_rung(const results::Identity& who) {
  if (who.set != "sgemm") return std::nullopt;
  if (!who.number) return who.name == ladder::best.name ? std::optional(who.name) : std::nullopt;
  const bool is_known =
      std::ranges::any_of(ladder::all(), [&](const auto* r) { return r->number == who.number; });
  return is_known ? std::optional(std::to_string(*who.number)) : std::nullopt;
}

Error gone(const Result& row) {
  return {
      ExitCode::not_comparable,
      fmt::format("{} of the saved run is nothing that this program can run: --only and --size can "
                  "leave it out",
                  results::full_name(row))};
}

Place place_of(const Result& row, const Problem& problem) {
  Place place{.problem = problem, .with_errors = row.judged.errors.has_value()};
  if (row.seen.timing) {
    place.cold = row.seen.timing->options.cold;
    place.once = row.seen.timing->options.once;
    place.no_graph = row.seen.timing->options.no_graph;
    place.with_energy = row.seen.timing->options.energy;
  }
  return place;
}

// Returns the places in the order of their first rows.
std::vector<Place> places_of(const std::vector<const Result*>& rows) {
  std::vector<Place> places;
  for (const Result* row : rows) {
    if (results::is_of_a_lab(*row)) continue;
    if (!row->problem) throw gone(*row);
    const Place wanted = place_of(*row, *row->problem);
    auto place = std::ranges::find_if(places, [&](const Place& p) {
      return p.problem == wanted.problem && p.has_same_options(wanted);
    });
    if (place == places.end()) place = places.insert(places.end(), wanted);
    if (row->who.set == "kernel") {
      place->with_files = true;
    } else if (const auto word = word_of_rung(row->who); word) {
      place->kernels.push_back(*word);
    } else {
      throw gone(*row);
    }
  }
  return places;
}

void add_options(const Place& place, Call& call) {
  std::ranges::copy(options_of(place.problem), std::back_inserter(call));
  if (place.cold) call.emplace_back("--cold");
  if (place.once) call.emplace_back("--once");
  if (place.no_graph) call.emplace_back("--no-graph");
  if (place.with_errors) call.emplace_back("--errors");
  if (place.with_energy) call.emplace_back("--energy");
  if (machine::MEASURES_TIME && !place.once) {
    call.insert(call.end(), {"--time", fmt::format("{}", SECONDS_OF_A_RUN)});
  }
}

// Puts neighbouring places with the same kernels and options, and dense matrices, into one call.
std::vector<Call> calls_of_rungs(const std::vector<Place>& places,
                                 const std::vector<std::string>& kernel_files) {
  std::vector<Call> calls;
  for (size_t first = 0; first < places.size();) {
    const Place& place = places[first];
    std::string sizes = place.problem.size();
    size_t end = first + 1;
    while (end < places.size() && place.problem.is_dense() && places[end].problem.is_dense() &&
           places[end].has_same_options(place) && places[end].kernels == place.kernels &&
           places[end].with_files == place.with_files) {
      sizes += "," + places[end].problem.size();
      ++end;
    }
    Call call = place.kernels;
    if (place.with_files) {
      for (const std::string& file : kernel_files) call.insert(call.end(), {"--kernel", file});
    }
    call.insert(call.end(), {"--size", sizes});
    add_options(place, call);
    calls.push_back(std::move(call));
    first = end;
  }
  return calls;
}

// Returns a call for each lab and its sizes.
std::vector<Call> calls_of_labs(const std::vector<const Result*>& rows) {
  std::vector<std::pair<results::Identity, Call>> calls;
  for (const Result* row : rows) {
    if (!results::is_of_a_lab(*row)) continue;
    const lab::Lab* of = find_lab(row->who.name, lab::all());
    const bool known =
        of != nullptr && std::ranges::any_of(of->variants, [&](const lab::Variant& v) {
          return v.name == row->who.variant;
        });
    if (!known) throw gone(*row);
    const std::string variant = row->who.name + "/" + row->who.variant;
    const auto call = std::ranges::find_if(calls, [&](const auto& one) {
      return one.first.name == row->who.name && one.first.parameters == row->who.parameters;
    });
    if (call != calls.end()) {
      call->second.insert(call->second.begin() + 1, variant);
      continue;
    }
    Call words{"lab", variant};
    for (const auto& [name, size] : row->who.parameters)
      words.insert(words.end(), {"--" + name, std::to_string(size)});
    if (machine::MEASURES_TIME)
      words.insert(words.end(), {"--time", fmt::format("{}", SECONDS_OF_A_RUN)});
    calls.emplace_back(row->who, std::move(words));
  }
  std::vector<Call> only_calls;
  only_calls.reserve(calls.size());
  for (auto& [_, call] : calls) only_calls.push_back(std::move(call));
  return only_calls;
}

}  // namespace

int usual_runs() { return machine::MEASURES_TIME ? 5 : 1; }

void make_calls(const std::vector<Call>& calls, int runs, const char* what, Run& all) {
  ProgressLine progress(true);
  for (int run = 1; run <= runs && !interrupted(); ++run) {
    for (size_t i = 0; i < calls.size() && !interrupted(); ++i) {
      if (runs > 1 || calls.size() > 1) {
        progress.say(
            fmt::format("{}: run {} of {}, part {} of {}", what, run, runs, i + 1, calls.size()));
      }
      const Run one = run_of(calls[i]);
      if (all.from.date.empty()) all.from = one.from;
      results::add_run(all, one);
    }
  }
  for (Result& row : all.results) {
    if (row.seen.timing) row.judged.doubts = doubts(*row.seen.timing);
  }
}

std::vector<Call> calls_for(const std::vector<const Result*>& rows,
                            const std::vector<std::string>& kernel_files) {
  const std::vector<Place> places = places_of(rows);
  if (kernel_files.empty() && std::ranges::any_of(places, &Place::with_files)) {
    throw Error(ExitCode::usage,
                "the saved run has your own kernel and does not name its file: add --kernel FILE");
  }
  std::vector<Call> calls = calls_of_rungs(places, kernel_files);
  for (Call& call : calls_of_labs(rows)) calls.push_back(std::move(call));
  return calls;
}

std::vector<std::string> kernel_files_of(const std::vector<std::string>& command_line) {
  constexpr std::string_view OPTION = "--kernel";
  std::vector<std::string> files;
  for (size_t i = 0; i < command_line.size(); ++i) {
    const std::string& word = command_line[i];
    if (word == OPTION && i + 1 < command_line.size()) {
      files.push_back(command_line[i + 1]);
    } else if (word.starts_with(std::string(OPTION) + "=")) {
      files.push_back(word.substr(OPTION.size() + 1));
    }
  }
  return files;
}

}  // namespace runner

#include "runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/json.hpp"
#include "runner/conduct.hpp"
#include "runner/kernel_file.hpp"
#include "runner/machine.hpp"
#include "runner/measuring.hpp"
#include "runner/output.hpp"
#include "runner/promise_json.hpp"
#include "runner/report.hpp"
#include "runner/terminal.hpp"

namespace runner {
namespace {

using results::Problem;
using results::Run;
using Json = nlohmann::ordered_json;

// The rungs that the device can run. One that was named by itself must be among them.
std::vector<const ladder::Rung*> runnable(const std::vector<Selected>& selected,
                                          const machine::Device& device) {
  std::vector<const ladder::Rung*> rungs;
  for (const auto& [rung, by_name] : selected) {
    const std::string lack = lack_of(device, *rung);
    if (lack.empty()) {
      rungs.push_back(rung);
      continue;
    }
    if (by_name) throw Error(ExitCode::no_device, lack);
    warn(lack + "; it is left out");
  }
  if (rungs.empty() && !selected.empty()) {
    throw Error(ExitCode::no_device, fmt::format("{} can run none of the kernels that were asked for",
                                                 the_device(device)));
  }
  return rungs;
}

// The reference stands at the head of a table of times, asked for or not.
std::vector<Candidate> candidates_of(const RunRequest& request, const machine::Device& device) {
  std::vector<const ladder::Rung*> rungs = runnable(request.rungs, device);
  if (machine::MEASURES_TIME) {
    const ladder::Rung* reference = ladder::all().front();
    std::erase(rungs, reference);
    rungs.insert(rungs.begin(), reference);
  }
  std::vector<Candidate> candidates;
  candidates.reserve(rungs.size() + request.kernel_files.size());
  for (const ladder::Rung* rung : rungs) candidates.push_back(candidate_of(*rung));
  for (const std::string& file : request.kernel_files)
    candidates.push_back(stranger(load_kernel_file(file)));
  return candidates;
}

}  // namespace

ExitCode run(const RunRequest& request) {
  const auto refuse = [&](const machine::Device& device) {
    for (const Problem& p : request.problems)
      refuse_what_cannot_fit(fmt::format("--size {}", p.size()), bytes_needed(p), device);
  };
  const auto measure = [&](const machine::Device& device, Run& done) {
    measure_all(candidates_of(request, device), request.problems, request.measure,
                request.presentation.verbosity >= 0, done);
  };
  return conduct(
      request,
      {.recorded = {.ladder = true}, .refuse_what_cannot_be_run = refuse, .measure = measure});
}

ExitCode run(const TableRequest& request) {
  Run saved;
  try {
    saved = results::read_run(request.file);
  } catch (const results::Unusable& error) {
    throw Error(ExitCode::usage, error.what());
  }
  RecordedRuns recorded;
  if (saved.from.machine == results::Machine::simulator) {
    const auto of_a_lab = std::ranges::count_if(saved.results, results::is_of_a_lab);
    const auto others = std::ssize(saved.results) - of_a_lab;
    recorded = recorded_for(request.presentation, {.ladder = others > 0, .labs = of_a_lab > 0});
  }
  write_stdout(
      report(saved, recorded, request.presentation, stdout_page(request.presentation.color)));
  return ExitCode::ok;
}

ExitCode run(const ListRequest& request) {
  std::string text;
  if (request.style == ListRequest::Style::json) {
    Json list = Json::array();
    for (const ladder::Rung* rung : ladder::all()) {
      list.push_back({{"kernel_id", rung->number},
                      {"kernel", rung->name},
                      {"label", label(*rung)},
                      {"idea", rung->idea},
                      {"needs", {{"compute_capability", rung->needs.compute_capability}}},
                      {"whole_tiles", rung->promise.whole_tiles},
                      {"promise", promise_as_json(rung->promise.claims)}});
    }
    text = list.dump(2) + "\n";
  } else {
    const int width = stdout_page(When::automatic).width;
    for (const ladder::Rung* rung : ladder::all()) {
      text += request.style == ListRequest::Style::numbers
                  ? fmt::format("{}", rung->number)
                  : text::wrap(fmt::format("{:2}  {:<18}{}", rung->number, rung->name, rung->idea),
                               width, 22);
      text += "\n";
    }
  }
  write_stdout(text);
  return ExitCode::ok;
}

ExitCode run(const ShowText& request) {
  write_stdout(request.text);
  return ExitCode::ok;
}

}  // namespace runner

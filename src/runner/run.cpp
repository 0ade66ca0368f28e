#include "runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/json.hpp"
#include "runner/conduct.hpp"
#include "runner/judge.hpp"
#include "runner/kernel_file.hpp"
#include "runner/lab_measuring.hpp"
#include "runner/machine.hpp"
#include "runner/measuring.hpp"
#include "runner/output.hpp"
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

Json written(const std::vector<device::Claim>& claims) {
  Json promise = Json::array();
  for (const device::Claim& claim : claims) {
    const results::CheckedClaim unchecked = check_claim(claim, std::nullopt);
    promise.push_back({{"counter", unchecked.counter},
                       {"buffer", unchecked.buffer},
                       {"relation", unchecked.relation},
                       {"value", unchecked.value}});
  }
  return promise;
}

std::string labs_as_json() {
  Json list = Json::array();
  for (const lab::Lab* one : lab::all()) {
    Json parameters = Json::array(), variants = Json::array();
    for (const lab::Parameter& p : one->parameters) {
      parameters.push_back({{"name", p.name},
                            {"meaning", p.meaning},
                            {"counted", p.counted},
                            {"timed", p.timed},
                            {"odd", odd_size(p)},
                            {"least", p.least},
                            {"most", p.most},
                            {"whole", p.whole}});
    }
    for (const lab::Variant& v : one->variants) {
      Json variant = {{"name", v.name}};
      if (!one->is_riddle) variant["idea"] = v.idea;
      variant["promise"] = written(v.claims);
      variants.push_back(std::move(variant));
    }
    list.push_back({{"lab", one->name},
                    {"question", one->question},
                    {"is_riddle", one->is_riddle},
                    {"parameters", std::move(parameters)},
                    {"variants", std::move(variants)}});
  }
  return list.dump(2) + "\n";
}

std::string labs_as_text(int width) {
  constexpr int INDENT = 16;
  std::string text;
  for (const lab::Lab* one : lab::all()) {
    const auto add = [&](std::string_view name, const std::string& what) {
      text += text::wrap(fmt::format("{:<{}}{}", name, INDENT, what), width, INDENT) + "\n";
    };
    std::vector<std::string> variants;
    variants.reserve(one->variants.size());
    for (const lab::Variant& variant : one->variants) variants.emplace_back(variant.name);
    add(one->name, one->question);
    add("", fmt::format("variants: {}", fmt::join(variants, ", ")));
    for (const lab::Parameter& p : one->parameters) {
      add("", fmt::format("--{} {}: {}", p.name, machine::MEASURES_TIME ? p.timed : p.counted,
                          p.meaning));
    }
  }
  return text;
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

ExitCode run(const LabRequest& request) {
  const auto refuse = [&](const machine::Device& device) {
    refuse_labs_that_cannot_fit(request.labs, device);
  };
  const auto measure = [&](const machine::Device&, Run& done) {
    measure_labs(request.labs,
                 {.measure = request.measure,
                  .reveal = request.reveal,
                  .with_progress = request.presentation.verbosity >= 0},
                 done);
  };
  return conduct(
      request,
      {.recorded = {.labs = true}, .refuse_what_cannot_be_run = refuse, .measure = measure});
}

ExitCode run(const LabListRequest& request) {
  write_stdout(request.json ? labs_as_json() : labs_as_text(stdout_page(When::automatic).width));
  return ExitCode::ok;
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
                      {"promise", written(rung->promise.claims)}});
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

#include "runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "results/json.hpp"
#include "results/table.hpp"
#include "runner/interrupt.hpp"
#include "runner/judge.hpp"
#include "runner/kernel_file.hpp"
#include "runner/machine.hpp"
#include "runner/measuring.hpp"
#include "runner/output.hpp"
#include "runner/provenance.hpp"
#include "runner/recorded.hpp"

namespace runner {
namespace {

using results::Problem;
using results::Result;
using results::Run;

// The rungs that the device can run. One that was named by itself must be among them.
std::vector<const ladder::Rung*> runnable(const std::vector<Selected>& selected,
                                          const machine::Device& device) {
  std::vector<const ladder::Rung*> rungs;
  for (const auto& [rung, by_name] : selected) {
    const int needed = rung->needs.compute_capability;
    if (needed <= device.compute_capability) {
      rungs.push_back(rung);
      continue;
    }
    const std::string lack =
        fmt::format("{} {} needs compute capability {}.{}, and {} has {}.{}", rung->number,
                    rung->name, needed / 10, needed % 10, the_device(device),
                    device.compute_capability / 10, device.compute_capability % 10);
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
  for (const ladder::Rung* rung : rungs) candidates.push_back(candidate_of(*rung));
  for (const std::string& file : request.kernel_files)
    candidates.push_back(stranger(load_kernel_file(file)));
  return candidates;
}

std::optional<Run> recorded_for(const Presentation& presentation) {
  return recorded_run(presentation.baseline_file, presentation.baseline_asked_for);
}

std::string formatted(const Run& run, const std::optional<Run>& recorded,
                      const Presentation& presentation, const text::Page& page) {
  const Run* figures = recorded ? &*recorded : nullptr;
  switch (presentation.format) {
    case Format::table:
      return results::to_table(run, figures, page);
    case Format::json:
      return results::to_json(run);
    case Format::csv:
      return results::to_csv(run);
    case Format::markdown:
      return results::to_markdown(run, figures);
  }
  return "";
}

// All that goes to stdout. What is wrong goes below a table, and to stderr where stdout is for programs.
std::string report(const Run& run, const std::optional<Run>& recorded,
                   const Presentation& presentation, const text::Page& page) {
  const bool for_people =
      presentation.format == Format::table || presentation.format == Format::markdown;
  std::string text;
  if (presentation.verbosity >= 0 || !for_people)
    text = formatted(run, recorded, presentation, page);
  if (presentation.verbosity > 0 && for_people) text += "\n" + results::details(run, page);
  const std::string wrong = results::complaints(run, page);
  if (for_people) return text + wrong;
  write_stderr(wrong);
  return text;
}

ExitCode verdict_on(const Run& run, const std::optional<Error>& failure, bool strict) {
  if (interrupted()) return ExitCode::interrupted;
  if (failure) return failure->code();
  const auto failed = [](const Result& r) { return !r.judged.error.empty(); };
  if (std::ranges::any_of(run.results, failed)) return ExitCode::failure;
  if (!std::ranges::all_of(run.results, &Result::is_right)) return ExitCode::wrong;
  const auto doubtful = [](const Result& r) { return !r.judged.trusted(); };
  if (strict && std::ranges::any_of(run.results, doubtful)) return ExitCode::untrusted;
  return ExitCode::ok;
}

void warn_of_options_without_meaning(const RunRequest& request) {
  if (request.without_meaning.empty() || request.presentation.verbosity < 0) return;
  warn(fmt::format("{} {} no meaning on {}", fmt::join(request.without_meaning, ", "),
                   request.without_meaning.size() == 1 ? "has" : "have",
                   machine::MEASURES_TIME ? "a device, whose cuBLAS is measured"
                                          : "the simulator, which takes no times"));
}

void warn_of_doubts(const Run& run) {
  for (const Result& r : run.results) {
    if (r.judged.trusted()) continue;
    warn(fmt::format("{}: the measurement cannot be trusted: {}", results::full_name(r),
                     fmt::join(r.judged.doubts, "; ")));
  }
}

}  // namespace

ExitCode run(const RunRequest& request) {
  catch_signals();
  const text::Page page = stdout_page(request.presentation.color);
  const std::optional<Run> recorded =
      machine::MEASURES_TIME ? std::nullopt : recorded_for(request.presentation);
  std::unique_ptr<OutputFile> json_file;
  if (!request.json_file.empty()) json_file = std::make_unique<OutputFile>(request.json_file);
  warn_of_options_without_meaning(request);

  const machine::Device device = machine::open();
  refuse_what_cannot_fit(request.problems, device);
  const bool for_a_file = json_file || request.presentation.format == Format::json;
  Run done{.from = provenance(request.command_line, for_a_file)};

  std::optional<Error> failure;  // that ended the run early; what was done before it stays
  try {
    const std::vector<Candidate> candidates = candidates_of(request, device);
    measure_all(candidates, request.problems, request.measure, request.presentation.verbosity >= 0,
                done);
  } catch (const std::exception&) {
    failure = caught_error();
  }
  if (interrupted()) failure.reset();  // cut short by the user
  if (failure && done.results.empty()) throw Error(*failure);

  // That one of the two cannot be written is no reason to lose the other.
  const std::string text = report(done, recorded, request.presentation, page);
  std::optional<Error> unwritten;
  const auto try_to = [&](const std::function<void()>& write) {
    try {
      write();
    } catch (const Error& error) {
      if (!unwritten) unwritten = error;
    }
  };
  if (json_file && !done.results.empty()) {
    try_to([&] { json_file->commit(results::to_json(done)); });
  }
  try_to([&] { write_stdout(text); });

  if (request.presentation.verbosity >= 0) warn_of_doubts(done);
  if (interrupted()) warn("interrupted; the rest was not run");
  if (failure) warn(fmt::format("{}; the run ends here", failure->what()));
  if (unwritten) throw Error(*unwritten);
  return verdict_on(done, failure, request.strict);
}

ExitCode run(const TableRequest& request) {
  Run saved;
  try {
    saved = results::read_run(request.file);
  } catch (const results::Unusable& error) {
    throw Error(ExitCode::usage, error.what());
  }
  std::optional<Run> recorded;
  if (saved.from.machine == results::Machine::simulator)
    recorded = recorded_for(request.presentation);
  write_stdout(
      report(saved, recorded, request.presentation, stdout_page(request.presentation.color)));
  return ExitCode::ok;
}

ExitCode run(const ListRequest& request) {
  std::string text;
  if (request.style == ListRequest::Style::json) {
    auto list = nlohmann::ordered_json::array();
    for (const ladder::Rung* rung : ladder::all()) {
      auto promise = nlohmann::ordered_json::array();
      for (const device::Claim& claim : rung->promise.claims) {
        const results::CheckedClaim unchecked = check_claim(claim, std::nullopt);
        promise.push_back({{"counter", unchecked.counter},
                           {"buffer", unchecked.buffer},
                           {"relation", unchecked.relation},
                           {"value", unchecked.value}});
      }
      list.push_back({{"kernel_id", rung->number},
                      {"kernel", rung->name},
                      {"label", label(*rung)},
                      {"idea", rung->idea},
                      {"needs", {{"compute_capability", rung->needs.compute_capability}}},
                      {"whole_tiles", rung->promise.whole_tiles},
                      {"promise", promise}});
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

#include "runner/run/run_lifecycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "results/files/json.hpp"
#include "results/values/date.hpp"
#include "runner/report/html_report.hpp"
#include "runner/trial/judged_code.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

using Json = nlohmann::ordered_json;
using results::Result;
using results::Run;

void warn_of_options_without_meaning(const RunOptions& options) {
  if (options.without_meaning.empty() || options.presentation.verbosity < 0) return;
  warn(fmt::format("{} {} no meaning on {}", fmt::join(options.without_meaning, ", "),
                   options.without_meaning.size() == 1 ? "has" : "have",
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

// Returns the file name under which the page saves the run.
std::string name_of_data(const RunOptions& options) {
  const std::string name = std::filesystem::path(options.json_file).filename().string();
  return name.empty() ? "run.json" : name;
}

// The results, and the error that ended the run early. Results before the error stay.
struct Measured {
  Run run{};
  std::optional<Error> failure{};
};

// Throws Error if it cannot begin.
void measure(const RunOptions& options, const Work& work,
             const std::function<void(const machine::Device&, Run&)>& measure, Measured& measured) {
  machine::look_for_hazards(options.look_for_hazards);
  if (options.schedule) machine::vary_order(*options.schedule);
  const machine::Device device = machine::open();
  work.refuse_what_cannot_be_run(device);
  measured.run.from = provenance(options.command_line, false);
  try {
    measure(device, measured.run);
  } catch (const std::exception&) {
    measured.failure = caught_error();
  }
}

// ---- Measuring in its own process. It reports JSON: the results so far, true if the last one is still open, and the
// error that ended it.

Json error_as_json(const Error& error) { return {{"code", error.code()}, {"what", error.what()}}; }

Error error_from(const Json& json) {
  return {json.at("code").get<ExitCode>(), json.at("what").get<std::string>()};
}

std::string as_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void measure_and_tell(const RunOptions& options, const Work& work, const ApartWork& apart,
                      Told& told) {
  Measured measured;
  Json said = Json::object();
  try {
    const auto measure_here = [&](const machine::Device& device, Run& run) {
      Result open;
      std::string during;
      const Tell tell = [&](const std::string& step, const Result& at_hand) {
        told.begin(step);
        during = step;
        open = at_hand;
        Run so_far = run;
        so_far.results.push_back(at_hand);
        told.say(as_text({{"run", results::to_json(so_far)}, {"is_open", true}}));
      };
      try {
        apart.measure(device, tell, run);
      } catch (const Threw& threw) {
        open.judged.complaint = fmt::format("{}, during: {}", threw.what(), during);
        run.results.push_back(open);
        throw Error(ExitCode::wrong, "nothing caught that exception");
      }
    };
    measure(options, work, measure_here, measured);
    said["run"] = results::to_json(measured.run);
    if (measured.failure) said["failure"] = error_as_json(*measured.failure);
  } catch (const std::exception&) {
    said["refused"] = error_as_json(caught_error());
  }
  told.say(as_text(said));
}

// Returns the outcome of a process that did not end properly, or whose report cannot be its own.
std::string end_of(const DoneApart& done) {
  using End = DoneApart::End;
  switch (done.end) {
    case End::timed_out:
      return fmt::format("it was ended after {:.3g} s", done.seconds);
    case End::too_much_memory:
      return fmt::format("it took more than {:.3g} GiB of memory",
                         static_cast<double>(done.bytes) / 0x1p30);
    case End::started_a_process:
      return "its host code tried to start another process";
    case End::signalled:
      return fmt::format("its host code ended the process by a signal, {} ({})",
                         strsignal(done.number), done.number);
    case End::exited:
      return fmt::format("its host code ended the process with exit code {}", done.number);
    case End::done:
    case End::interrupted:
      break;
  }
  return "its host code overwrote its judge's report";
}

Measured measure_apart(const RunOptions& options, const Work& work, const ApartWork& apart) {
  apart.prepare();
  ProgressLine progress(options.presentation.verbosity >= 0);
  const DoneApart done = do_apart(
      apart.bounds, [&](Told& told) { measure_and_tell(options, work, apart, told); },
      [&](const Underway& now) { progress.say(now.step, now.launch); });
  write_stderr(done.printed);
  Measured measured;
  bool is_open = false, is_whole = false;
  std::optional<Error> refused;
  try {
    const Json said = done.said.empty() ? Json::object() : Json::parse(done.said);
    if (said.contains("refused")) refused = error_from(said.at("refused"));
    if (said.contains("run"))
      measured.run = results::run_from_json(said.at("run").get<std::string>());
    if (said.contains("failure")) measured.failure = error_from(said.at("failure"));
    is_open = said.value("is_open", false) && !measured.run.results.empty();
    is_whole = done.end == DoneApart::End::done && !is_open && !said.empty();
  } catch (const std::exception&) {
    measured = {};
    refused.reset();
  }
  if (is_whole && refused) throw Error(*refused);
  if (is_whole) return measured;
  if (measured.run.from.device.empty()) measured.run.from = provenance(options.command_line, false);
  if (done.end == DoneApart::End::interrupted) {
    if (is_open) measured.run.results.pop_back();
    return measured;
  }
  if (!is_open) measured.run.results.push_back({.who = apart.who, .date = results::utc_now()});
  results::Judgement& judged = measured.run.results.back().judged;
  judged.complaint = end_of(done);
  if (!done.step.empty()) judged.complaint += ", during: " + done.step;
  measured.failure = Error(ExitCode::wrong, "the process that ran it is gone");
  return measured;
}

}  // namespace

ExitCode run_lifecycle(const RunOptions& options, const Work& work) {
  catch_signals(machine::interrupt);
  const text::Page page = stdout_page(options.presentation.color);
  const results::Recorded recorded = machine::MEASURES_TIME
                                         ? results::Recorded()
                                         : recorded_for(options.presentation, work.recorded);
  std::unique_ptr<OutputFile> json_file;
  if (!options.json_file.empty()) json_file = std::make_unique<OutputFile>(options.json_file);
  std::unique_ptr<HtmlReport> page_file;
  if (!options.presentation.html_file.empty())
    page_file = std::make_unique<HtmlReport>(options.presentation.html_file);
  warn_of_options_without_meaning(options);

  const bool for_a_file = json_file || page_file || options.presentation.format == Format::json;
  results::Provenance commit;
  if (for_a_file) add_commit(commit);
  Measured measured;
  if (work.apart) {
    measured = measure_apart(options, work, *work.apart);
  } else {
    measure(options, work, work.measure, measured);
  }
  Run& done = measured.run;
  std::optional<Error>& failure = measured.failure;
  done.from.commit = commit.commit;
  done.from.uncommitted_changes = commit.uncommitted_changes;
  if (interrupted()) failure.reset();  // the user interrupted the run
  if (failure && done.results.empty()) throw Error(*failure);

  // If one output cannot be written, the others still are.
  const std::string text = report(done, recorded, options.presentation, page);
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
  if (page_file && !done.results.empty() && !interrupted())
    try_to([&] { page_file->commit(done, name_of_data(options)); });

  if (options.presentation.verbosity >= 0) warn_of_doubts(done);
  if (interrupted()) warn("interrupted; the rest was not run");
  if (failure) warn(fmt::format("{}; the run ends here", failure->what()));
  if (unwritten) throw Error(*unwritten);
  return verdict_on(done, failure, options.strict);
}

ExitCode verdict_on(const Run& run, const std::optional<Error>& failure, bool strict) {
  if (interrupted()) return ExitCode::interrupted;
  if (failure) return failure->code();
  const auto failed = [](const Result& r) { return !r.judged.error.empty(); };
  if (std::ranges::any_of(run.results, failed)) return ExitCode::failure;
  // A run without results proves nothing.
  if (run.results.empty() || !std::ranges::all_of(run.results, &Result::is_right))
    return ExitCode::wrong;
  const auto doubtful = [](const Result& r) { return !r.judged.trusted(); };
  if (strict && std::ranges::any_of(run.results, doubtful)) return ExitCode::untrusted;
  return ExitCode::ok;
}

}  // namespace runner

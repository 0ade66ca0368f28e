#include "runner/conduct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

#include "results/json.hpp"
#include "runner/html_report.hpp"
#include "runner/interrupt.hpp"
#include "runner/output.hpp"
#include "runner/provenance.hpp"
#include "runner/terminal.hpp"

namespace runner {
namespace {

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

// What the run is called when it is saved from its page.
std::string name_of_data(const RunOptions& options) {
  const std::string name = std::filesystem::path(options.json_file).filename().string();
  return name.empty() ? "run.json" : name;
}

}  // namespace

ExitCode conduct(const RunOptions& options, const Work& work) {
  catch_signals();
  const text::Page page = stdout_page(options.presentation.color);
  const RecordedRuns recorded =
      machine::MEASURES_TIME ? RecordedRuns() : recorded_for(options.presentation, work.recorded);
  std::unique_ptr<OutputFile> json_file;
  if (!options.json_file.empty()) json_file = std::make_unique<OutputFile>(options.json_file);
  std::unique_ptr<HtmlReport> page_file;
  if (!options.presentation.html_file.empty())
    page_file = std::make_unique<HtmlReport>(options.presentation.html_file);
  warn_of_options_without_meaning(options);

  machine::look_for_hazards(options.look_for_hazards);
  if (options.schedule) machine::vary_order(*options.schedule);
  const machine::Device device = machine::open();
  work.refuse_what_cannot_be_run(device);
  const bool for_a_file = json_file || page_file || options.presentation.format == Format::json;
  Run done{.from = provenance(options.command_line, for_a_file)};

  std::optional<Error> failure;  // that ended the run early; what was done before it stays
  try {
    work.measure(device, done);
  } catch (const std::exception&) {
    failure = caught_error();
  }
  if (interrupted()) failure.reset();  // cut short by the user
  if (failure && done.results.empty()) throw Error(*failure);

  // That one of them cannot be written is no reason to lose the others.
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
  // Nothing that was run proves nothing.
  if (run.results.empty() || !std::ranges::all_of(run.results, &Result::is_right))
    return ExitCode::wrong;
  const auto doubtful = [](const Result& r) { return !r.judged.trusted(); };
  if (strict && std::ranges::any_of(run.results, doubtful)) return ExitCode::untrusted;
  return ExitCode::ok;
}

std::string the_device(const machine::Device& device) {
  return (machine::MEASURES_TIME ? "" : "the ") + device.name;
}

void refuse_what_cannot_fit(const std::string& what, double bytes_needed,
                            const machine::Device& device) {
  if (bytes_needed <= static_cast<double>(device.memory_bytes)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} needs {:.4g} GiB of device memory, and {} has {:.4g} GiB", what,
                          bytes_needed / 0x1p30, the_device(device),
                          static_cast<double>(device.memory_bytes) / 0x1p30));
}

}  // namespace runner

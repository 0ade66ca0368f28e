// `sgemm_runner save`: measures a run several times and writes it to a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/terminal.hpp"
#include "results/files/json.hpp"
#include "results/tables/table.hpp"
#include "runner/machine/machine.hpp"
#include "runner/run/calls.hpp"
#include "runner/run/workbench_run.hpp"

namespace runner {

ExitCode run(const SaveRequest& request) {
  catch_signals(machine::interrupt);
  std::error_code none;
  const bool is_there = std::filesystem::is_regular_file(request.file, none);
  require_free_or_replaced(request.file, request.replace);
  OutputFile file(request.file);

  results::Run saved;
  make_calls({request.words}, request.runs, "save", saved);
  saved.from.command_line = request.command_line;
  const auto is_wrong = [](const results::Result& r) { return !r.is_right(); };
  if (const auto wrong = std::ranges::find_if(saved.results, is_wrong);
      wrong != saved.results.end()) {
    write_stderr(results::complaints(saved, stdout_page(When::never)));
    throw Error(ExitCode::wrong,
                fmt::format("{} is not right; nothing was saved", results::full_name(*wrong)));
  }
  if (saved.results.empty()) {
    throw interrupted() ? Error(ExitCode::interrupted, "interrupted; nothing was saved")
                        : Error(ExitCode::failure, "nothing was measured; nothing was saved");
  }
  if (interrupted() && is_there)
    throw Error(ExitCode::interrupted, fmt::format("interrupted; '{}' is as it was", request.file));
  file.commit(results::to_json(saved));
  const std::string rows =
      fmt::format("{} row{}", saved.results.size(), saved.results.size() == 1 ? "" : "s");
  if (interrupted()) {
    warn(fmt::format("interrupted; '{}' holds the {} that {} measured until then", request.file,
                     rows, saved.results.size() == 1 ? "was" : "were"));
    return ExitCode::interrupted;
  }
  warn(fmt::format("saved {}{} in {}", rows,
                   request.runs > 1 ? fmt::format(" of {} runs", request.runs) : "", request.file));
  return ExitCode::ok;
}

}  // namespace runner

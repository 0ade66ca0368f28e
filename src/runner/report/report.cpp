#include "runner/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/error.hpp"
#include "app/output.hpp"
#include "results/files/json.hpp"
#include "runner/request/baselines.hpp"
#include "text/foreign.hpp"

namespace runner {
namespace {

using results::Run;

// Recorded figures of rungs or of labs: their file, and the complaint about a run without them.
struct Kind {
  bool of_labs;
  std::string file;
  std::string lack;
};

// Returns the run in a file whose figures can stand in.
Run figures_in(const std::string& file, const Kind& kind) {
  Run run = results::read_run(file);
  const auto is_one = [&](const results::Result& r) {
    return results::is_of_a_lab(r) == kind.of_labs && results::can_stand_in(r);
  };
  if (!std::ranges::any_of(run.results, is_one))
    throw results::Unusable(fmt::format("'{}' cannot be used: {}", file, kind.lack));
  return run;
}

void add_recorded(const Presentation& presentation, const Kind& kind, results::Recorded& recorded) {
  const bool asked = presentation.baseline_asked_for;
  const std::string file = asked ? presentation.baseline_file : kind.file;
  if (!asked && access(file.c_str(), F_OK) != 0) return;
  try {
    recorded.push_back(figures_in(file, kind));
  } catch (const results::Unusable& error) {
    const std::string message =
        fmt::format("baseline {}; it must be a file that --json=FILE wrote on a GPU", error.what());
    if (asked) throw Error(ExitCode::usage, message);
    warn(message);
  }
}

std::string formatted(const Run& run, const results::Recorded& recorded,
                      const Presentation& presentation, const text::Page& page) {
  switch (presentation.format) {
    case Format::table:
      return results::to_table(run, recorded, page);
    case Format::json:
      return results::to_json(run);
    case Format::csv:
      return results::to_csv(run);
    case Format::markdown:
      return results::to_markdown(run, recorded);
  }
  return "";
}

}  // namespace

results::Recorded recorded_for(const Presentation& presentation, Needed needed) {
  results::Recorded recorded;
  if (needed.ladder) {
    add_recorded(
        presentation,
        {.of_labs = false,
         .file = recorded_run(),
         .lack = fmt::format("it has no per cent of cuBLAS at {}", results::RECORDED_SIZE)},
        recorded);
  }
  if (needed.labs) {
    add_recorded(
        presentation,
        {.of_labs = true, .file = recorded_labs(), .lack = "it has no lab's per cent of a copy"},
        recorded);
  }
  return recorded;
}

std::string report(const Run& run, const results::Recorded& recorded,
                   const Presentation& presentation, const text::Page& page) {
  const bool for_people =
      presentation.format == Format::table || presentation.format == Format::markdown;
  std::string text;
  if (presentation.verbosity >= 0 || !for_people)
    text = formatted(run, recorded, presentation, page);
  const auto as_asked = [&](const std::string& told) {
    return presentation.format == Format::markdown ? text::in_markdown(told) : told;
  };
  if (presentation.verbosity > 0 && for_people)
    text += "\n" + as_asked(results::details(run, page));
  const std::string wrong = as_asked(results::complaints(run, page));
  if (for_people) return text + wrong;
  write_stderr(wrong);
  return text;
}

}  // namespace runner

#include "runner/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "app/error.hpp"
#include "app/output.hpp"
#include "results/files/json.hpp"
#include "text/foreign.hpp"

namespace runner {
namespace {

using results::Run;

// One kind of figures: where the project keeps them, and how to tell that a run has some.
struct Kind {
  const char* file;
  bool (*is_in)(const Run& run);
  std::string lack;  // said of a run that has none
};

// The run in a file whose figures can stand in.
Run figures_in(const std::string& file, const Kind& kind) {
  Run run = results::read_run(file);
  if (!kind.is_in(run))
    throw results::Unusable(fmt::format("'{}' cannot be used: {}", file, kind.lack));
  return run;
}

std::optional<Run> recorded_of(const Presentation& presentation, const Kind& kind) {
  const bool asked = presentation.baseline_asked_for;
  const std::string file = asked ? presentation.baseline_file : kind.file;
  if (!asked && access(file.c_str(), F_OK) != 0) return std::nullopt;
  try {
    return figures_in(file, kind);
  } catch (const results::Unusable& error) {
    const std::string message =
        fmt::format("baseline {}; it must be what --json=FILE wrote on a GPU", error.what());
    if (asked) throw Error(ExitCode::usage, message);
    warn(message);
    return std::nullopt;
  }
}

std::string formatted(const Run& run, const RecordedRuns& recorded,
                      const Presentation& presentation, const text::Page& page) {
  const results::Recorded figures = recorded.figures();
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

}  // namespace

RecordedRuns recorded_for(const Presentation& presentation, Needed needed) {
  const Kind ladder{
      .file = SGEMM_BASELINE,
      .is_in = results::has_ladder_figures,
      .lack = fmt::format("it has no per cent of cuBLAS at {}", results::RECORDED_SIZE)};
  const Kind labs{.file = SGEMM_LAB_BASELINE,
                  .is_in = results::has_lab_figures,
                  .lack = "it has no lab's per cent of a copy"};
  RecordedRuns recorded;
  if (needed.ladder) recorded.ladder = recorded_of(presentation, ladder);
  if (needed.labs) recorded.labs = recorded_of(presentation, labs);
  return recorded;
}

std::string report(const Run& run, const RecordedRuns& recorded, const Presentation& presentation,
                   const text::Page& page) {
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
